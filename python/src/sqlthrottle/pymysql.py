"""PyMySQL: every statement of a connection asks the throttle before it is sent.

::

    sqlthrottle.pymysql.install(connection, throttle)

    connection = sqlthrottle.pymysql.connect(host="db", database="shop", throttle=throttle)
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from ._driver import PYMYSQL, Description, DriverGuard, GuardedCursor, MySQL
from ._exempt import is_exempt
from ._names import Fakes, InTransaction
from ._throttle import Throttle

__all__ = ["connect", "install", "uninstall"]

# It has no types.
_connections: Any = import_module("pymysql.connections")


class _Cursor(GuardedCursor):
    def _sqlthrottle_make_up(self, guard: DriverGuard, description: Description) -> Any:
        connection = self._get_db()
        streamed: Any = self.__dict__["_result"]
        if streamed is not None and streamed is connection._result and streamed.unbuffered_active:
            # It is over.
            streamed._finish_unbuffered_query()
        while self.nextset():
            pass
        self._clear_result()
        # One that has come to its end.
        self._result = _connections.MySQLResult(connection)
        self._rows = ()
        self.description = description
        self._executed = True
        return self.rowcount


_MYSQL = MySQL(PYMYSQL, _connections.Connection, _Cursor, _connections.Connection)


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
    :param database: what rules take the database for; without it, the one that the connection was opened with.
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
    """Opens a connection as ``pymysql.connect`` does, and :func:`install` s the throttle. Rules take its database for the database."""
    asked = {"in_transaction": in_transaction, "fakes": fakes, "dialect": dialect, "exempt": exempt}
    return _MYSQL.connect(arguments, throttle, options, asked)
