"""The prepared statements of a guarded connection: to prepare one asks nothing, each of its executions does."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false, reportMissingTypeStubs=false
# pyright: reportUntypedBaseClass=false, reportUnknownParameterType=false

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from asyncpg import prepared_stmt  # type: ignore[import-untyped]

from .._gate import Gate
from ._cursor import GuardedCursorFactory
from ._send import rows_of, send, send_rows, status_of

__all__ = ["GuardedStatement"]

_Run = Callable[..., Coroutine[Any, Any, Any]]


class GuardedStatement(prepared_stmt.PreparedStatement):  # type: ignore[misc]
    """What ``connection.prepare(…)`` returns."""

    __slots__ = ()

    async def fetch(self, *args: Any, timeout: Any = None) -> Any:
        return await self._send(functools.partial(super().fetch, *args), list[Any], args, timeout)

    async def fetchval(self, *args: Any, column: int = 0, timeout: Any = None) -> Any:
        return await self._send(functools.partial(super().fetchval, *args, column=column), _none, args, timeout)

    async def fetchrow(self, *args: Any, timeout: Any = None) -> Any:
        return await self._send(functools.partial(super().fetchrow, *args), _none, args, timeout)

    async def fetchmany(self, args: Any, *, timeout: Any = None) -> Any:
        return await self._send_rows(super().fetchmany, list[Any], rows_of(args), timeout)

    async def executemany(self, args: Any, *, timeout: Any = None) -> Any:
        return await self._send_rows(super().executemany, _none, rows_of(args), timeout)

    def cursor(self, *args: Any, prefetch: int | None = None, timeout: Any = None) -> Any:
        factory = super().cursor(*args, prefetch=prefetch, timeout=timeout)
        factory.__class__ = GuardedCursorFactory
        return factory

    async def _send(self, run: _Run, empty: Callable[[], Any], args: tuple[Any, ...], timeout: Any) -> Any:
        self._check_conn_validity("fetch")
        return await send(self._connection, self._query, run, self._ignored(empty), args, 1, timeout)

    async def _send_rows(self, run: _Run, empty: Callable[[], Any], rows: Sequence[Any], timeout: Any) -> Any:
        self._check_conn_validity("fetchmany")
        run = functools.partial(run, rows)
        return await send_rows(self._connection, self._query, run, self._ignored(empty), rows, timeout)

    def _ignored(self, empty: Callable[[], Any]) -> Callable[[Gate, str], Any]:
        def ignored(gate: Gate, sql: str) -> Any:
            self._last_status = status_of(gate, sql).encode()  # type: ignore[misc]
            return empty()

        return ignored


def _none() -> None:
    return None
