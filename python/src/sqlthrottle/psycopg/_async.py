"""The cursors of connections of tasks: they wait by the loop, which goes on."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import aclosing, asynccontextmanager
from typing import Any

from .._driver import counted_rows
from .._gate import IGNORED, PASSED, Permit
from ._cursor import GuardedBaseCursor, GuardedBaseServerCursor

__all__ = ["GuardedAsyncCursor", "GuardedAsyncServerCursor"]


class GuardedAsyncCursor(GuardedBaseCursor):
    async def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        guard = self._sqlthrottle_guard()
        if guard is None:
            return await super().execute(query, params, **options)
        asked = self._sqlthrottle_asked(guard, query, params)
        permit = await guard.gate.enter_async(*asked)
        if permit is IGNORED:
            self._sqlthrottle_make_up(guard, asked.sql)
            return self
        if self._sqlthrottle_queue(permit, 1):
            return await self._sqlthrottle_send_queued(query, params, **options)
        try:
            await super().execute(query, params, **options)
            self._sqlthrottle_remember(guard, asked.sql)
        finally:
            permit.release()
            self._conn._sqlthrottle_places.executed(guard.traits, self._conn)
        return self

    async def _sqlthrottle_send_queued(self, query: Any, params: Any, **options: Any) -> Any:
        try:
            return await super().execute(query, params, **options)
        except BaseException:
            self._sqlthrottle_unqueue()
            raise

    async def executemany(self, query: Any, params_seq: Iterable[Any], *, returning: bool = False) -> None:
        guard = self._sqlthrottle_guard()
        rows, weight, last = counted_rows(params_seq)
        if guard is None or not weight:
            await super().executemany(query, rows, returning=returning)
            return
        # Several results are not made up.
        asked = self._sqlthrottle_asked(guard, query, last, weight, "none" if returning else None)
        permit = await guard.gate.enter_async(*asked)
        if permit is IGNORED:
            self._sqlthrottle_make_up(guard, asked.sql)
            return
        is_queued = self._sqlthrottle_queue(permit, weight)
        try:
            await super().executemany(query, rows, returning=returning)
        except BaseException:
            self._sqlthrottle_unqueue()
            raise
        finally:
            if not is_queued:
                permit.release()

    async def stream(self, query: Any, params: Any = None, **options: Any) -> AsyncIterator[Any]:
        guard = self._sqlthrottle_guard()
        permit: Permit = PASSED
        if guard is not None:
            asked = self._sqlthrottle_asked(guard, query, params)
            permit = await guard.gate.enter_async(*asked)
            if permit is IGNORED:
                self._sqlthrottle_make_up(guard, asked.sql)
                return
            self._conn._sqlthrottle_places.add(permit, True)
        try:
            # One that is left before its end is to end its statement, too, and not only when it is collected.
            async with aclosing(super().stream(query, params, **options)) as rows:
                async for row in rows:
                    yield row
        finally:
            permit.release()

    @asynccontextmanager
    async def copy(self, statement: Any, params: Any = None, **options: Any) -> AsyncGenerator[Any, None]:
        permit: Permit = PASSED
        guard = self._sqlthrottle_guard()
        if guard is not None:
            permit = await guard.gate.enter_async(*self._sqlthrottle_asked(guard, statement, params, fakes="none"))
            self._conn._sqlthrottle_places.add(permit, True)
        try:
            async with super().copy(statement, params, **options) as copy:
                yield copy
        finally:
            permit.release()


class GuardedAsyncServerCursor(GuardedBaseServerCursor, GuardedAsyncCursor):
    async def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        guard = self._sqlthrottle_guard()
        self._sqlthrottle_held.release()
        if guard is None:
            return await super(GuardedAsyncCursor, self).execute(query, params, **options)
        asked = self._sqlthrottle_asked(guard, query, params)
        permit = await guard.gate.enter_async(*asked)
        if permit is IGNORED:
            self._sqlthrottle_make_up(guard, asked.sql)
            return self
        try:
            await super(GuardedAsyncCursor, self).execute(query, params, **options)
            self._sqlthrottle_remember(guard, asked.sql)
        except BaseException:
            permit.release()
            raise
        self._sqlthrottle_hold(permit)
        return self
