"""sqlite3: every statement of a connection asks the throttle before it is executed.

::

    connection = sqlthrottle.sqlite3.connect("shop.db", throttle=throttle)

    connection = sqlite3.connect("shop.db", factory=sqlthrottle.sqlite3.Connection)
    sqlthrottle.sqlite3.install(connection, throttle)
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ._driver import (
    SQLITE3,
    DriverClass,
    DriverGuard,
    FakingCursor,
    GuardedCursor,
    Options,
    Places,
    backed_class,
    guarded_class,
    put_in,
    take_out,
)
from ._errors import ArgumentError
from ._exempt import is_exempt
from ._gate import PASSED
from ._names import Fakes, InTransaction
from ._throttle import Throttle

if TYPE_CHECKING:
    _Driver = DriverClass
else:
    _Driver = sqlite3.Connection

__all__ = ["Connection", "connect", "install", "uninstall"]


class _Cursor(FakingCursor):
    _sqlthrottle_is_closed = False

    def executescript(self, sql_script: str) -> Any:
        return self._sqlthrottle_send(super().executescript, (sql_script,), {}, fakes="none")

    def close(self) -> None:
        self._sqlthrottle_is_closed = True
        super().close()

    def __iter__(self) -> Iterator[Any]:
        if self._sqlthrottle_made_up is None and self._sqlthrottle_held is PASSED:
            # Nothing depends on where the rows end: there is no need to look at each.
            beneath: Any = super(GuardedCursor, self)
            if getattr(beneath.__next__, "__objclass__", None) is sqlite3.Cursor:
                return iter(beneath.fetchone, None)
        return super().__iter__()

    def _sqlthrottle_guard(self) -> DriverGuard | None:
        is_closed = self._sqlthrottle_is_closed or self.connection._sqlthrottle_is_closed
        return None if is_closed else super()._sqlthrottle_guard()

    def _sqlthrottle_send(self, *arguments: Any, **options: Any) -> Any:
        if self.connection._sqlthrottle_dumps:
            # A dump with less in it than there is would be taken for all of it.
            options["fakes"] = "none"
        return super()._sqlthrottle_send(*arguments, **options)


class Connection(_Driver):
    """Its cursors ask, and so do its shortcuts, once a throttle was installed.

    ``backup``, ``blobopen`` and ``deserialize`` execute no statement, and are not asked about; ``iterdump`` reads each table by one.
    """

    _sqlthrottle: DriverGuard | None = None
    _sqlthrottle_is_closed = False
    _sqlthrottle_dumps = False

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._sqlthrottle_places = Places()
        self._sqlthrottle_database = arguments[0] if arguments else options.get("database")
        super().__init__(*arguments, **options)

    def cursor(self, factory: Any = sqlite3.Cursor) -> Any:
        if not isinstance(factory, type):
            raise ArgumentError("a guarded connection takes a class of cursors, and no other kind of factory")
        return super().cursor(guarded_class(_Cursor, factory))

    def execute(self, *arguments: Any) -> Any:
        return Connection.cursor(self).execute(*arguments)

    def executemany(self, *arguments: Any) -> Any:
        return Connection.cursor(self).executemany(*arguments)

    def executescript(self, *arguments: Any) -> Any:
        return Connection.cursor(self).executescript(*arguments)

    def iterdump(self, **options: Any) -> Iterator[str]:
        lines = super().iterdump(**options)
        while True:
            self._sqlthrottle_dumps = True
            try:
                line = next(lines, None)
            finally:
                self._sqlthrottle_dumps = False
            if line is None:
                return
            yield line

    def close(self) -> None:
        try:
            super().close()
        finally:
            self._sqlthrottle_is_closed = True
            self._sqlthrottle_places.closed()


def install(
    connection: sqlite3.Connection,
    throttle: Throttle,
    *,
    in_transaction: str = InTransaction.APPLY,
    fakes: str = Fakes.ROWS_AND_COUNT,
    dialect: str | None = None,
    database: str | None = None,
    exempt: Callable[[str], bool] | None = is_exempt,
) -> None:
    """Has every statement of a connection ask the throttle before it is executed; again, with other options.

    :param connection: one that was opened with ``factory=sqlthrottle.sqlite3.Connection``, or a subclass of that; Python lets none of
        another class be guarded.
    :param in_transaction: what rules may do in a transaction, or where one would be opened by itself; see :class:`InTransaction`.
    :param fakes: the most that is made up of an ignored statement; with less than it needs, the statement is refused.
    :param dialect: how statements are read, where it is not the dialect of SQLite.
    :param database: what rules take the database for; without it, its path as it was opened.
    :param exempt: which texts are never checked. By default definitions, looks at the catalog, tables of migration tools, and tests of
        connections.
    :raises ArgumentError: it asks another throttle.
    """
    if not isinstance(connection, Connection):
        raise TypeError("the connection is to be opened with factory=sqlthrottle.sqlite3.Connection")
    options = Options(
        throttle,
        SQLITE3,
        in_transaction=in_transaction,
        fakes=fakes,
        dialect=dialect,
        database=database or _path(connection._sqlthrottle_database),
        exempt=exempt,
    )
    put_in(connection, type, options)


def uninstall(connection: sqlite3.Connection) -> bool:
    """Has a connection ask no more. What a cursor holds it holds until it ends.

    :returns: whether it did ask before.
    """
    return take_out(connection)


def connect(
    *arguments: Any,
    throttle: Throttle,
    in_transaction: str = InTransaction.APPLY,
    fakes: str = Fakes.ROWS_AND_COUNT,
    dialect: str | None = None,
    exempt: Callable[[str], bool] | None = is_exempt,
    factory: type[sqlite3.Connection] = sqlite3.Connection,
    **options: Any,
) -> sqlite3.Connection:
    """Opens a connection as ``sqlite3.connect`` does, of a subclass of the factory, and :func:`install` s the throttle."""
    guarded: Any = backed_class(Connection, factory)
    opened: sqlite3.Connection = sqlite3.connect(*arguments, factory=guarded, **options)
    try:
        install(opened, throttle, in_transaction=in_transaction, fakes=fakes, dialect=dialect, exempt=exempt)
    except BaseException:
        opened.close()
        raise
    return opened


def _path(database: Any) -> str | None:
    if database is None:
        return None
    return os.fsdecode(database)
