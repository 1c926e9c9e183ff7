"""Guarded connections: whatever class of cursors they are given, they make guarded ones of it."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any, ClassVar, cast

from psycopg import BaseConnection, pq

from .._driver import DriverClass, DriverGuard, Places, guarded_class
from .._errors import ArgumentError


if TYPE_CHECKING:
    _Connection = DriverClass
else:
    # An open connection can only become one of a class that has the same fields, and has them from the same base.
    _Connection = BaseConnection

__all__ = ["GuardedBaseConnection"]

_OPEN = (pq.TransactionStatus.INTRANS, pq.TransactionStatus.INERROR)


class GuardedBaseConnection(_Connection):
    """It stays an instance of the class that it was opened with."""

    _sqlthrottle: DriverGuard | None = None
    _sqlthrottle_places: Places
    _sqlthrottle_cursors: ClassVar[tuple[type, type]]
    """Of cursors, and of server-side cursors."""

    @property
    def cursor_factory(self) -> Any:
        return guarded_class(self._sqlthrottle_cursors[0], self.__dict__["cursor_factory"])

    @cursor_factory.setter
    def cursor_factory(self, factory: Any) -> None:
        self.__dict__["cursor_factory"] = _a_class(factory)

    @property
    def server_cursor_factory(self) -> Any:
        return guarded_class(self._sqlthrottle_cursors[1], self.__dict__["server_cursor_factory"])

    @server_cursor_factory.setter
    def server_cursor_factory(self, factory: Any) -> None:
        self.__dict__["server_cursor_factory"] = _a_class(factory)

    def _exec_command(self, *arguments: Any, **options: Any) -> Generator[Any, Any, Any]:
        # By this psycopg itself sends what begins and ends transactions, and nothing of a caller's.
        before = self.pgconn.transaction_status
        result = cast(Any, (yield from super()._exec_command(*arguments, **options)))
        if before in _OPEN and self.pgconn.transaction_status == pq.TransactionStatus.IDLE:
            self._sqlthrottle_places.transaction_ended()
        return result

    def _sqlthrottle_closed(self) -> None:
        # One of a pool goes back to it, and is not closed.
        if self.closed:
            self._sqlthrottle_places.closed()


def _a_class(factory: Any) -> type:
    if isinstance(factory, type):
        return factory
    raise ArgumentError("a guarded connection takes a class of cursors, and no other kind of factory")
