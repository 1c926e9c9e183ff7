"""The cursors of guarded connections: what those of both kinds do alike."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from typing import Any, NamedTuple, cast

from psycopg import InterfaceError, OperationalError, adapt, pq, sql
from psycopg.pq.misc import PGresAttDesc

from .._driver import DriverClass, DriverGuard, values_of
from .._gate import PASSED, Permit

__all__ = ["Asked", "GuardedBaseCursor", "GuardedBaseServerCursor"]

_TEXT = 25
"""The type of a column of which nothing is known: that of texts."""
_UNKNOWN = [PGresAttDesc(b"x", 0, 0, 0, _TEXT, -1, -1)]


class Asked(NamedTuple):
    """What a gate is asked of a statement, in its own order."""

    sql: str
    fakes: str
    weight: int
    params: Any
    in_transaction: bool


class GuardedBaseCursor(DriverClass):
    """Asks before it sends, and keeps the place of what is still to come."""

    _sqlthrottle_queued: deque[Permit] | None = None
    """In a pipeline: what the statements hold whose results have not come yet."""

    def _sqlthrottle_guard(self) -> DriverGuard | None:
        guard: DriverGuard | None = self._conn._sqlthrottle
        # Closed, it says so itself.
        return None if self._closed or self._conn.closed else guard

    def _sqlthrottle_asked(
        self, guard: DriverGuard, query: Any, params: Any, weight: int = 1, fakes: str | None = None
    ) -> Asked:
        connection = self._conn
        if isinstance(query, str):
            text = query
        elif isinstance(query, bytes):
            text = query.decode(connection.info.encoding, "replace")
        else:
            text = sql.as_string(query, connection)
        if fakes is None:
            # What is to come would go to the same cursor, and be taken for the result.
            fakes = "none" if self._sqlthrottle_queued else guard.fakes_of(text)
        in_transaction = guard.asks_transaction and guard.traits.in_transaction(connection)
        return Asked(text, fakes, weight, values_of(params), in_transaction)

    def _sqlthrottle_queue(self, permit: Permit, results: int) -> bool:
        """Has a permit wait for so many results, if they come by a pipeline of the caller's."""
        if self._conn._pipeline is None:
            return False
        queued = self._sqlthrottle_queued
        if queued is None:
            queued = self._sqlthrottle_queued = deque()
        queued.extend([PASSED] * (results - 1))
        queued.append(permit)
        self._conn._sqlthrottle_places.add(permit, True)
        return True

    def _sqlthrottle_unqueue(self) -> None:
        """Releases what statements hold that did not get into the pipeline."""
        pipeline, queued = self._conn._pipeline, self._sqlthrottle_queued
        if queued:
            coming = 0 if pipeline is None else sum(1 for one in pipeline.result_queue if one and one[0] is self)
            while len(queued) > coming:
                queued.pop().release()

    def _check_results(self, results: list[Any]) -> None:
        # Of a result that has come, before it raises what it says.
        if self._sqlthrottle_queued:
            self._sqlthrottle_queued.popleft().release()
        super()._check_results(results)

    def _sqlthrottle_remember(self, guard: DriverGuard, text: str) -> None:
        """Remembers how the rows of a text look, for when it is ignored."""
        result = self.pgresult
        if result is not None and result.nfields and guard.columns.get(text) is None:
            guard.columns.put(text, [_column(result, i) for i in range(result.nfields)])

    def _sqlthrottle_make_up(self, guard: DriverGuard, text: str) -> None:
        """Goes on as if a statement had been sent and had found nothing."""
        if self._closed:
            raise InterfaceError("the cursor is closed")
        if self._conn.closed:
            raise OperationalError("the connection is closed")
        self._reset()
        self._tx = adapt.Transformer(cast(Any, self))
        self._last_query = None
        if guard.gate.reads_rows(text):
            result = self._pgconn.make_empty_result(pq.ExecStatus.TUPLES_OK)
            result.set_attributes(guard.columns.get(text) or _UNKNOWN)
        else:
            result = self._pgconn.make_empty_result(pq.ExecStatus.COMMAND_OK)
        self._results[:] = [result]
        self._select_current_result(0)
        self._rowcount = 0


class GuardedBaseServerCursor(GuardedBaseCursor):
    """Its rows are fetched in parts: it holds its place until it is read to its end, closed, executed again or lost."""

    _sqlthrottle_held: Permit = PASSED
    _sqlthrottle_made_up = False

    def _sqlthrottle_hold(self, permit: Permit) -> None:
        self._sqlthrottle_held = permit
        self._conn._sqlthrottle_places.add(permit, self._withhold)

    def _sqlthrottle_make_up(self, guard: DriverGuard, text: str) -> None:
        super()._sqlthrottle_make_up(guard, text)
        self._iter_rows = None
        self._sqlthrottle_made_up = True

    def _declare_gen(self, *arguments: Any, **options: Any) -> Generator[Any, Any, Any]:
        yield from super()._declare_gen(*arguments, **options)
        self._sqlthrottle_made_up = False

    def _fetch_gen(self, num: int | None) -> Generator[Any, Any, list[Any]]:
        if self._sqlthrottle_made_up and not self._closed:
            return []
        try:
            rows = cast("list[Any]", (yield from super()._fetch_gen(num)))
        except BaseException:
            self._sqlthrottle_held.release()
            raise
        if num is None or len(rows) < num:
            self._sqlthrottle_held.release()
        return rows

    def _scroll_gen(self, value: int, mode: str) -> Generator[Any, Any, None]:
        if not self._sqlthrottle_made_up:
            yield from super()._scroll_gen(value, mode)

    def _close_gen(self) -> Generator[Any, Any, None]:
        # What was declared before is still to be closed.
        if self._described or not self._sqlthrottle_made_up:
            yield from super()._close_gen()

    def _close(self) -> None:
        self._sqlthrottle_held.release()
        super()._close()


def _column(result: Any, i: int) -> PGresAttDesc:
    return PGresAttDesc(
        result.fname(i) or b"",
        result.ftable(i),
        result.ftablecol(i),
        result.fformat(i),
        result.ftype(i),
        result.fsize(i),
        result.fmod(i),
    )
