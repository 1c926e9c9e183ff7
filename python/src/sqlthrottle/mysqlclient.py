"""mysqlclient: every statement of a connection asks the throttle before it is sent.

::

    sqlthrottle.mysqlclient.install(connection, throttle)

    connection = sqlthrottle.mysqlclient.connect(host="db", database="shop", throttle=throttle)
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from ._driver import MYSQLCLIENT, Description, DriverGuard, GuardedCursor, MySQL
from ._exempt import is_exempt
from ._names import Fakes, InTransaction
from ._throttle import Throttle

__all__ = ["connect", "install", "uninstall"]

# It has no types.
_connections: Any = import_module("MySQLdb.connections")


class _Cursor(GuardedCursor):
    def _sqlthrottle_make_up(self, guard: DriverGuard, description: Description) -> Any:
        # What was streamed is over.
        self._discard()
        self._get_db()
        self._rows = ()
        self._executed = True
        self.description = description
        self.rowcount = self.rownumber = self.warning_count = 0
        self.lastrowid = None
        return self.rowcount


_MYSQL = MySQL(MYSQLCLIENT, _connections.Connection, _Cursor, _connections.Connection)


def install(
    connection: Any,
    throttle: Throttle,
    *,
    in_transaction: str = InTransaction.APPLY,
    fakes: str = Fakes.ROWS_AND_COUNT,
    dialect: str | None = None,
    database: str | None = None,
    exempt: Callable[[str], bool] | None = is_exempt,
) -> None:
    """Has every statement of a connection ask the throttle before it is sent; again, with other options.

    It reaches the cursors that are made from then on, of whatever class.

    :param in_transaction: what rules may do in a transaction, or while the connection does not commit by itself; see
        :class:`InTransaction`.
    :param fakes: the most that is made up of an ignored statement; with less than it needs, the statement is refused.
    :param dialect: how statements are read, where it is not the dialect of MySQL.
    :param database: what rules take the database for, as the driver does not tell.
    :param exempt: which texts are never checked. By default definitions, looks at the catalog, tables of migration tools, and tests of
        connections.
    :raises ArgumentError: it asks another throttle.
    """
    _MYSQL.install(
        connection,
        throttle,
        in_transaction=in_transaction,
        fakes=fakes,
        dialect=dialect,
        database=database,
        exempt=exempt,
    )


def uninstall(connection: Any) -> bool:
    """Has a connection ask no more. What a cursor holds it holds until it ends.

    :returns: whether it did ask before.
    """
    return _MYSQL.uninstall(connection)


def connect(
    *arguments: Any,
    throttle: Throttle,
    in_transaction: str = InTransaction.APPLY,
    fakes: str = Fakes.ROWS_AND_COUNT,
    dialect: str | None = None,
    exempt: Callable[[str], bool] | None = is_exempt,
    **options: Any,
) -> Any:
    """Opens a connection as ``MySQLdb.connect`` does, and :func:`install` s the throttle. Rules take its database for the database."""
    asked: dict[str, Any] = {"in_transaction": in_transaction, "fakes": fakes, "dialect": dialect, "exempt": exempt}
    asked["database"] = _database(arguments, options)
    return _MYSQL.connect(arguments, throttle, options, asked)


def _database(arguments: tuple[Any, ...], options: dict[str, Any]) -> str | None:
    # The fourth place is that of the database.
    return arguments[3] if len(arguments) > 3 else options.get("database") or options.get("db")
