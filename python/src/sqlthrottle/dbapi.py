"""Connections of any driver that is as PEP 249 has it: what their cursors send asks the throttle before.

::

    connection = sqlthrottle.dbapi.wrap(connection, throttle)

Drivers that have a module of their own here are guarded better by that: their connections and cursors stay of their classes.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any

from ._driver import Description, DriverGuard, FakingCursor, GuardedCursor, Options, Places, traits_of
from ._exempt import is_exempt
from ._names import Fakes, InTransaction
from ._throttle import Throttle

__all__ = ["ConnectionProxy", "CursorProxy", "wrap"]

_SHORTCUTS = frozenset(("execute", "executemany", "executescript"))
"""What connections of some drivers do by a cursor that they make."""
_ENDS = frozenset(("reset", "tpc_prepare", "tpc_commit", "tpc_rollback"))
"""Of some connections: what ends a transaction, too."""
_SCRIPTS = frozenset(("executescript", "copy_expert"))
"""Of some cursors: what takes a text, and has no result that could be made up."""


def wrap(
    connection: Any,
    throttle: Throttle,
    *,
    in_transaction: str = InTransaction.APPLY,
    fakes: str = Fakes.ROWS_AND_COUNT,
    dialect: str | None = None,
    database: str | None = None,
    exempt: Callable[[str], bool] | None = is_exempt,
) -> ConnectionProxy:
    """A connection whose cursors ask the throttle before they send a statement. The one that it was made of does not.

    What is neither of PEP 249 nor sends a statement by a cursor of it, it hands on.

    :param connection: of any driver whose methods are no coroutines; one that is wrapped already is wrapped once.
    :param in_transaction: what rules may do in a transaction, or while the connection does not commit by itself; see
        :class:`InTransaction`. Of a driver that does not tell, as PEP 249 has no name for it, the connection never does.
    :param fakes: the most that is made up of an ignored statement; with less than it needs, the statement is refused.
    :param dialect: how statements are read; without it, as the driver's database does, if the driver is known.
    :param database: what rules take the database for; without it, its name, if the driver tells.
    :param exempt: which texts are never checked. By default definitions, looks at the catalog, tables of migration tools, and tests of
        connections.
    """
    if isinstance(connection, ConnectionProxy) and connection._sqlthrottle.gate.throttle is throttle:
        connection = connection._sqlthrottle_connection
    if not callable(getattr(connection, "cursor", None)) or inspect.iscoroutinefunction(
        getattr(connection, "commit", None)
    ):
        raise TypeError(f"a connection of PEP 249, and not {type(connection).__name__}")
    traits = connection._sqlthrottle.traits if isinstance(connection, ConnectionProxy) else traits_of(connection)
    options = Options(
        throttle,
        traits,
        in_transaction=in_transaction,
        fakes=fakes,
        dialect=dialect,
        database=database,
        exempt=exempt,
    )
    return ConnectionProxy(connection, options.guard(traits.database(connection)))


class _Proxy:
    """Hands on to an object of a driver what is not its own."""

    _OWN = "_sqlthrottle"

    def __getattr__(self, name: str) -> Any:
        if name.startswith(self._OWN):
            raise AttributeError(name)
        return getattr(self._sqlthrottle_itself(), name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith(self._OWN):
            object.__setattr__(self, name, value)
        else:
            setattr(self._sqlthrottle_itself(), name, value)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._sqlthrottle_itself()!r}>"

    def _sqlthrottle_itself(self) -> Any:
        raise NotImplementedError


class ConnectionProxy(_Proxy):
    """A wrapped connection; from :func:`wrap`."""

    _sqlthrottle_is_closed = False

    def __init__(self, connection: Any, guard: DriverGuard) -> None:
        self._sqlthrottle_connection = connection
        self._sqlthrottle = guard
        self._sqlthrottle_places = Places()

    def _sqlthrottle_itself(self) -> Any:
        return self._sqlthrottle_connection

    def __getattr__(self, name: str) -> Any:
        value = super().__getattr__(name)
        if name in _ENDS:
            return functools.wraps(value)(functools.partial(self._sqlthrottle_end, value))
        if name not in _SHORTCUTS:
            return value

        @functools.wraps(value)
        def shortcut(*arguments: Any, **options: Any) -> Any:
            cursor = self.cursor()
            getattr(cursor, name)(*arguments, **options)
            return cursor

        return shortcut

    def cursor(self, *arguments: Any, **options: Any) -> CursorProxy:
        return CursorProxy(self._sqlthrottle_connection.cursor(*arguments, **options), self)

    def commit(self) -> Any:
        return self._sqlthrottle_end(self._sqlthrottle_connection.commit)

    def rollback(self) -> Any:
        return self._sqlthrottle_end(self._sqlthrottle_connection.rollback)

    def _sqlthrottle_end(self, end: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return end(*arguments)
        finally:
            self._sqlthrottle_places.transaction_ended()

    def close(self) -> Any:
        try:
            return self._sqlthrottle_connection.close()
        finally:
            self._sqlthrottle_is_closed = True
            self._sqlthrottle_places.closed()

    def __enter__(self) -> Any:
        entered = self._sqlthrottle_connection.__enter__()
        return self if entered is self._sqlthrottle_connection else CursorProxy(entered, self)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> Any:
        try:
            return self._sqlthrottle_connection.__exit__(kind, error, traceback)
        finally:
            # Drivers commit, and some close the connection, too.
            self._sqlthrottle_places.transaction_ended()
            if self._sqlthrottle.traits.is_closed(self._sqlthrottle_connection):
                self._sqlthrottle_places.closed()


class _CursorBase(_Proxy):
    """What stands behind a guarded cursor that is a proxy: the cursor itself."""

    _sqlthrottle_cursor: Any

    def execute(self, *arguments: Any, **options: Any) -> Any:
        return self._sqlthrottle_cursor.execute(*arguments, **options)

    def executemany(self, *arguments: Any, **options: Any) -> Any:
        return self._sqlthrottle_cursor.executemany(*arguments, **options)

    def callproc(self, *arguments: Any, **options: Any) -> Any:
        return self._sqlthrottle_cursor.callproc(*arguments, **options)

    def fetchone(self) -> Any:
        return self._sqlthrottle_cursor.fetchone()

    def fetchmany(self, *arguments: Any, **options: Any) -> Any:
        return self._sqlthrottle_cursor.fetchmany(*arguments, **options)

    def fetchall(self) -> Any:
        return self._sqlthrottle_cursor.fetchall()

    def nextset(self) -> Any:
        return self._sqlthrottle_cursor.nextset()

    def close(self) -> Any:
        return self._sqlthrottle_cursor.close()

    @property
    def description(self) -> Any:
        return self._sqlthrottle_cursor.description

    @property
    def rowcount(self) -> Any:
        return self._sqlthrottle_cursor.rowcount

    @property
    def lastrowid(self) -> Any:
        return self._sqlthrottle_cursor.lastrowid


class CursorProxy(FakingCursor, _CursorBase):
    """A cursor of a wrapped connection."""

    _sqlthrottle_is_closed = False

    def __init__(self, cursor: Any, connection: ConnectionProxy) -> None:
        self._sqlthrottle_cursor = cursor
        self._sqlthrottle_connection = connection

    @property
    def connection(self) -> ConnectionProxy:
        return self._sqlthrottle_connection

    def __getattr__(self, name: str) -> Any:
        value = _CursorBase.__getattr__(self, name)
        if name not in _SCRIPTS:
            return value

        @functools.wraps(value)
        def send(*arguments: Any, **options: Any) -> Any:
            return self._sqlthrottle_own(self._sqlthrottle_send(value, arguments, options, fakes="none"))

        return send

    def execute(self, *arguments: Any, **options: Any) -> Any:
        return self._sqlthrottle_own(super().execute(*arguments, **options))

    def executemany(self, *arguments: Any, **options: Any) -> Any:
        return self._sqlthrottle_own(super().executemany(*arguments, **options))

    def close(self) -> Any:
        self._sqlthrottle_is_closed = True
        return super().close()

    def __iter__(self) -> Iterator[Any]:
        # Not every driver has it.
        return iter(self.fetchone, None)

    def __next__(self) -> Any:
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row

    def __enter__(self) -> CursorProxy:
        enter = getattr(self._sqlthrottle_cursor, "__enter__", None)
        if enter is not None:
            enter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _sqlthrottle_itself(self) -> Any:
        return self._sqlthrottle_cursor

    def _sqlthrottle_innermost(self) -> Any:
        cursor = self._sqlthrottle_cursor
        return cursor._sqlthrottle_innermost() if isinstance(cursor, GuardedCursor) else cursor

    def _sqlthrottle_own(self, answer: Any) -> Any:
        return self if answer is self._sqlthrottle_cursor else answer

    def _sqlthrottle_guard(self) -> DriverGuard | None:
        connection = self._sqlthrottle_connection
        guard = connection._sqlthrottle
        is_closed = self._sqlthrottle_is_closed or connection._sqlthrottle_is_closed
        return None if is_closed or guard.traits.is_closed(connection._sqlthrottle_connection) else guard

    def _sqlthrottle_make_up(self, guard: DriverGuard, description: Description) -> Any:
        super()._sqlthrottle_make_up(guard, description)
        return 0 if guard.traits.returns_count else self
