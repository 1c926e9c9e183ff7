"""The cursors of a guarded connection: each holds its place until it is read to its end, or its transaction ends."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false, reportMissingTypeStubs=false
# pyright: reportUntypedBaseClass=false, reportUntypedFunctionDecorator=false, reportUnknownParameterType=false

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator
from typing import Any, cast

from asyncpg import InterfaceError, cursor  # type: ignore[import-untyped]

from .._gate import IGNORED, PASSED, Permit
from ._send import enter, gate_of, hold

__all__ = ["GuardedCursorFactory"]


class GuardedCursorFactory(cursor.CursorFactory):  # type: ignore[misc]
    """What ``connection.cursor(…)`` returns. Nothing is asked before it is iterated over or awaited."""

    __slots__ = ()

    def __aiter__(self) -> Any:
        plain = super().__aiter__()
        return _Iterator(
            plain._connection, plain._query, plain._state, plain._args, plain._record_class, plain._prefetch, plain._timeout
        )

    def __await__(self) -> Generator[Any, None, Any]:
        self._check_conn_validity("__await__")
        if self._prefetch is not None:
            # Says what is wrong with that.
            return cast("Generator[Any, None, Any]", super().__await__())
        opened = _Cursor(self._connection, self._query, self._state, self._args, self._record_class)
        return opened._init(self._timeout).__await__()


async def _entered(opened: Any, timeout: Any) -> tuple[Permit, Any]:
    connection = opened._connection
    gate = gate_of(connection)
    # Outside of a transaction it is not sent, whatever the rules say.
    if gate is None or not connection.is_in_transaction():
        return PASSED, timeout
    return await enter(connection, gate, opened._query, gate.fakes.value, 1, opened._args, timeout)


class _Iterator(cursor.CursorIterator):  # type: ignore[misc]
    __slots__ = ("_permit",)

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._permit: Permit | None = None

    async def __anext__(self) -> Any:
        self._check_conn_validity("__anext__")
        if self._permit is None:
            self._permit, _ = await _entered(self, self._timeout)
            hold(self._connection, self._permit)
        if self._permit is IGNORED:
            raise StopAsyncIteration
        try:
            row = await super().__anext__()
        except BaseException:
            self._permit.release()
            raise
        if self._exhausted:
            # What is left is here already.
            self._permit.release()
        return row


class _Cursor(cursor.Cursor):  # type: ignore[misc]
    __slots__ = ("_permit",)

    async def _init(self, timeout: Any) -> _Cursor:
        self._permit, timeout = await _entered(self, timeout)
        if self._permit is IGNORED:
            return self
        hold(self._connection, self._permit)
        try:
            await super()._init(timeout)
        except BaseException:
            self._permit.release()
            raise
        return self

    async def fetch(self, n: int, *, timeout: Any = None) -> Any:
        if self._permit is IGNORED:
            return self._nothing(n, [])
        return await self._read(super().fetch, n, timeout=timeout)

    async def fetchrow(self, *, timeout: Any = None) -> Any:
        if self._permit is IGNORED:
            return self._nothing(1, None)
        return await self._read(super().fetchrow, timeout=timeout)

    async def forward(self, n: int, *, timeout: Any = None) -> int:
        if self._permit is IGNORED:
            return cast(int, self._nothing(n, 0))
        return cast(int, await self._read(super().forward, n, timeout=timeout))

    def _nothing(self, n: int, value: Any) -> Any:
        self._check_conn_validity("fetch")
        if n <= 0:
            raise InterfaceError("n must be greater than zero")
        return value

    async def _read(self, read: Callable[..., Coroutine[Any, Any, Any]], *arguments: Any, timeout: Any) -> Any:
        try:
            value = await read(*arguments, timeout=timeout)
        except InterfaceError:
            # It was called wrongly, and is as it was.
            raise
        except BaseException:
            self._permit.release()
            raise
        if self._exhausted:
            self._permit.release()
        return value
