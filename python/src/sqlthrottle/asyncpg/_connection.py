"""What connections and pools do before they send a statement."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false, reportMissingTypeStubs=false
# pyright: reportUntypedBaseClass=false, reportUnknownParameterType=false, reportAttributeAccessIssue=false
# pyright: reportOptionalMemberAccess=false

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._gate import Gate, decided
from ._copy import of_callers
from ._cursor import GuardedCursorFactory
from ._send import gate_of, release_streams, rows_of, send, send_rows, status_of
from ._statement import GuardedStatement

__all__ = ["GuardedConnection", "GuardedPool"]

if TYPE_CHECKING:
    from asyncpg import Connection as _Connection  # type: ignore[import-untyped]
    from asyncpg import Pool as _Pool
else:
    # What is guarded comes in as the second base, so that an object can change to a class of the same layout and back.
    _Connection = _Pool = object


class _Guarded:
    """The methods that connections and pools have in common. A pool asks before it takes a connection, which then asks no more."""

    __slots__ = ()

    async def execute(self, query: str, *args: Any, timeout: Any = None) -> str:
        run = functools.partial(super().execute, query, *args)  # type: ignore[misc]
        return await send(self, query, run, status_of, args, 1, timeout)

    async def executemany(self, command: str, args: Any, *, timeout: Any = None) -> None:
        rows = rows_of(args)
        run = functools.partial(super().executemany, command, rows)  # type: ignore[misc]
        await send_rows(self, command, run, _none, rows, timeout)

    async def fetch(self, query: str, *args: Any, timeout: Any = None, **options: Any) -> list[Any]:
        run = functools.partial(super().fetch, query, *args, **options)  # type: ignore[misc]
        return await send(self, query, run, _no_rows, args, 1, timeout)

    async def fetchval(self, query: str, *args: Any, timeout: Any = None, **options: Any) -> Any:
        run = functools.partial(super().fetchval, query, *args, **options)  # type: ignore[misc]
        return await send(self, query, run, _none, args, 1, timeout)

    async def fetchrow(self, query: str, *args: Any, timeout: Any = None, **options: Any) -> Any:
        run = functools.partial(super().fetchrow, query, *args, **options)  # type: ignore[misc]
        return await send(self, query, run, _none, args, 1, timeout)

    async def fetchmany(self, query: str, args: Any, *, timeout: Any = None, **options: Any) -> list[Any]:
        rows = rows_of(args)
        run = functools.partial(super().fetchmany, query, rows, **options)  # type: ignore[misc]
        return await send_rows(self, query, run, _no_rows, rows, timeout)

    async def copy_from_query(self, query: str, *args: Any, timeout: Any = None, **options: Any) -> str:
        run = functools.partial(super().copy_from_query, query, *args, **of_callers(options))  # type: ignore[misc]
        return await send(self, f"COPY ({query}) TO STDOUT", run, None, args, 1, timeout)

    async def copy_from_table(self, table_name: str, *, timeout: Any = None, **options: Any) -> str:
        run = functools.partial(super().copy_from_table, table_name, **of_callers(options))  # type: ignore[misc]
        return await self._copy(run, table_name, "TO STDOUT", options, timeout)

    async def copy_to_table(self, table_name: str, *, timeout: Any = None, **options: Any) -> str:
        run = functools.partial(super().copy_to_table, table_name, **of_callers(options))  # type: ignore[misc]
        return await self._copy(run, table_name, "FROM STDIN", options, timeout)

    async def copy_records_to_table(self, table_name: str, *, timeout: Any = None, **options: Any) -> str:
        run = functools.partial(super().copy_records_to_table, table_name, **of_callers(options))  # type: ignore[misc]
        return await self._copy(run, table_name, "FROM STDIN", options, timeout)

    async def _copy(
        self, run: Callable[..., Any], table: str, direction: str, options: dict[str, Any], timeout: Any
    ) -> str:
        schema, columns = options.get("schema_name"), options.get("columns")
        name = _quoted(table) if not schema else f"{_quoted(schema)}.{_quoted(table)}"
        listed = f"({', '.join(map(_quoted, columns))})" if columns else ""
        sql = f"COPY {name}{listed} {direction}"
        return await send(self, sql, run, None, None, 1, timeout)


class GuardedConnection(_Guarded, _Connection):  # type: ignore[misc]
    """A connection that asks. What it sends by itself, to know types or to be reset, is not asked about."""

    __slots__ = ()

    def _sqlthrottle_bounds(self, timeout: Any) -> tuple[float | None, bool]:
        self._check_open()
        return self._protocol._get_timeout(timeout), self.is_in_transaction()

    async def execute(self, query: str, *args: Any, timeout: Any = None) -> str:
        try:
            return await super().execute(query, *args, timeout=timeout)
        finally:
            if not self.is_closed() and not self.is_in_transaction():
                release_streams(self)

    def cursor(self, query: str, *args: Any, **options: Any) -> Any:
        factory = super().cursor(query, *args, **options)
        factory.__class__ = GuardedCursorFactory
        return factory

    async def prepare(self, query: str, **options: Any) -> Any:
        statement = await super().prepare(query, **options)
        statement.__class__ = GuardedStatement
        return statement

    async def reset(self, *, timeout: Any = None) -> None:
        gate = gate_of(self)
        if gate is None:
            await super().reset(timeout=timeout)
        else:
            with decided(gate.throttle):
                await super().reset(timeout=timeout)

    def _cleanup(self) -> None:
        release_streams(self)
        super()._cleanup()


class GuardedPool(_Guarded, _Pool):  # type: ignore[misc]
    """A pool whose connections ask, from when they are set up until they are reset."""

    __slots__ = ()

    _sqlthrottle_guard: Callable[[Any], None]
    """Has a connection ask."""

    def _sqlthrottle_bounds(self, timeout: Any) -> tuple[float | None, bool]:
        return timeout, False

    async def _get_new_connection(self) -> Any:
        connection = await super()._get_new_connection()
        type(self)._sqlthrottle_guard(connection)
        return connection

    async def release(self, connection: Any, *, timeout: Any = None) -> None:
        gate = gate_of(self)
        if gate is None:
            await super().release(connection, timeout=timeout)
        else:
            with decided(gate.throttle):
                await super().release(connection, timeout=timeout)


def _no_rows(gate: Gate, sql: str) -> list[Any]:
    return []


def _none(gate: Gate, sql: str) -> None:
    return None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
