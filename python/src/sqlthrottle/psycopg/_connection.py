"""Guarded connections: whatever class of cursors they are given, they make guarded ones of it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine, Generator
from typing import Any, cast

from psycopg import Connection, pq

from .._driver import DriverGuard, Places, guarded_class
from .._errors import ArgumentError
from ._async import GuardedAsyncCursor, GuardedAsyncServerCursor
from ._sync import GuardedCursor, GuardedServerCursor

__all__ = ["guarded_connection"]

_OPEN = (pq.TransactionStatus.INTRANS, pq.TransactionStatus.INERROR)
_MOST = 128


@functools.lru_cache(maxsize=_MOST)
def guarded_connection(base: Any) -> type:
    """The subclass of a class of connections, of either kind, whose cursors ask.

    It is made of one base alone, as an open connection can only become one of a class that has the same fields from the same base.
    """
    is_sync = issubclass(base, Connection)
    cursor = GuardedCursor if is_sync else GuardedAsyncCursor
    server_cursor = GuardedServerCursor if is_sync else GuardedAsyncServerCursor

    class Guarded(base):  # type: ignore[misc]
        _sqlthrottle: DriverGuard | None = None
        _sqlthrottle_places: Places

        @property
        def cursor_factory(self) -> Any:
            return guarded_class(cursor, self.__dict__["cursor_factory"])

        @cursor_factory.setter
        def cursor_factory(self, factory: Any) -> None:
            self.__dict__["cursor_factory"] = _a_class(factory)

        @property
        def server_cursor_factory(self) -> Any:
            return guarded_class(server_cursor, self.__dict__["server_cursor_factory"])

        @server_cursor_factory.setter
        def server_cursor_factory(self, factory: Any) -> None:
            self.__dict__["server_cursor_factory"] = _a_class(factory)

        def _exec_command(self, *arguments: Any, **options: Any) -> Generator[Any, Any, Any]:
            # By this psycopg itself sends what begins and ends transactions, and nothing of a caller's.
            before = self.pgconn.transaction_status
            result = cast(Any, (yield from base._exec_command(self, *arguments, **options)))
            if before in _OPEN and self.pgconn.transaction_status == pq.TransactionStatus.IDLE:
                self._sqlthrottle_places.transaction_ended()
            return result

        close = _closing(base) if is_sync else _closing_async(base)

        def _sqlthrottle_closed(self) -> None:
            # One of a pool goes back to it, and is not closed.
            if self.closed:
                self._sqlthrottle_places.closed()

    # It has the name of its base, for those who print it.
    Guarded.__name__, Guarded.__qualname__, Guarded.__module__ = base.__name__, base.__qualname__, base.__module__
    return Guarded


def _closing(base: Any) -> Callable[[Any], None]:
    @functools.wraps(base.close)
    def close(self: Any) -> None:
        try:
            base.close(self)
        finally:
            self._sqlthrottle_closed()

    return close


def _closing_async(base: Any) -> Callable[[Any], Coroutine[Any, Any, None]]:
    @functools.wraps(base.close)
    async def close(self: Any) -> None:
        try:
            await base.close(self)
        finally:
            self._sqlthrottle_closed()

    return close


def _a_class(factory: Any) -> type:
    if isinstance(factory, type):
        return factory
    raise ArgumentError("a guarded connection takes a class of cursors, and no other kind of factory")
