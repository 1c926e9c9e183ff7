"""The cursors of connections of threads."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from .._driver import counted_rows
from .._gate import IGNORED, PASSED, Permit
from ._cursor import GuardedBaseCursor, GuardedBaseServerCursor

__all__ = ["GuardedCursor", "GuardedServerCursor"]


class GuardedCursor(GuardedBaseCursor):
    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        guard = self._sqlthrottle_guard()
        if guard is None:
            return super().execute(query, params, **options)
        asked = self._sqlthrottle_asked(guard, query, params)
        permit = guard.gate.enter(*asked)
        if permit is IGNORED:
            self._sqlthrottle_make_up(guard, asked.sql)
            return self
        if self._sqlthrottle_queue(permit, 1):
            return self._sqlthrottle_send_queued(query, params, **options)
        try:
            super().execute(query, params, **options)
            self._sqlthrottle_remember(guard, asked.sql)
        finally:
            permit.release()
            self._conn._sqlthrottle_places.executed(guard.traits, self._conn)
        return self

    def _sqlthrottle_send_queued(self, query: Any, params: Any, **options: Any) -> Any:
        try:
            return super().execute(query, params, **options)
        except BaseException:
            self._sqlthrottle_unqueue()
            raise

    def executemany(self, query: Any, params_seq: Iterable[Any], *, returning: bool = False) -> None:
        guard = self._sqlthrottle_guard()
        rows, weight, last = counted_rows(params_seq)
        if guard is None or not weight:
            super().executemany(query, rows, returning=returning)
            return
        # Several results are not made up.
        asked = self._sqlthrottle_asked(guard, query, last, weight, "none" if returning else None)
        permit = guard.gate.enter(*asked)
        if permit is IGNORED:
            self._sqlthrottle_make_up(guard, asked.sql)
            return
        is_queued = self._sqlthrottle_queue(permit, weight)
        try:
            super().executemany(query, rows, returning=returning)
        except BaseException:
            self._sqlthrottle_unqueue()
            raise
        finally:
            if not is_queued:
                permit.release()

    def stream(self, query: Any, params: Any = None, **options: Any) -> Iterator[Any]:
        guard = self._sqlthrottle_guard()
        if guard is None:
            yield from super().stream(query, params, **options)
            return
        asked = self._sqlthrottle_asked(guard, query, params)
        permit = guard.gate.enter(*asked)
        if permit is IGNORED:
            self._sqlthrottle_make_up(guard, asked.sql)
            return
        self._conn._sqlthrottle_places.add(permit, True)
        try:
            yield from super().stream(query, params, **options)
        finally:
            permit.release()

    @contextmanager
    def copy(self, statement: Any, params: Any = None, **options: Any) -> Generator[Any, None, None]:
        permit: Permit = PASSED
        guard = self._sqlthrottle_guard()
        if guard is not None:
            permit = guard.gate.enter(*self._sqlthrottle_asked(guard, statement, params, fakes="none"))
            self._conn._sqlthrottle_places.add(permit, True)
        try:
            with super().copy(statement, params, **options) as copy:
                yield copy
        finally:
            permit.release()


class GuardedServerCursor(GuardedBaseServerCursor, GuardedCursor):
    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        guard = self._sqlthrottle_guard()
        self._sqlthrottle_held.release()
        if guard is None:
            return super(GuardedCursor, self).execute(query, params, **options)
        asked = self._sqlthrottle_asked(guard, query, params)
        permit = guard.gate.enter(*asked)
        if permit is IGNORED:
            self._sqlthrottle_make_up(guard, asked.sql)
            return self
        try:
            super(GuardedCursor, self).execute(query, params, **options)
            self._sqlthrottle_remember(guard, asked.sql)
        except BaseException:
            permit.release()
            raise
        self._sqlthrottle_hold(permit)
        return self
