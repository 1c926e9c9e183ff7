"""The cursors of PEP 249, guarded: what they send asks, and a place of theirs is given back when their rows have ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Optional

from .._gate import IGNORED, PASSED, Permit, sent
from ._base import DriverClass
from ._guard import DriverGuard, Places
from ._rows import counted_rows
from ._statement import call_of, text_of, value_of, values_of, with_value

__all__ = ["Description", "FakingCursor", "GuardedCursor"]

Description = Optional[tuple[tuple[Any, ...], ...]]

_FIELDS = 7
"""Those that a column of a description has."""
_UNKNOWN = (("x",),)


class GuardedCursor(DriverClass):
    """Stands before a cursor class of a driver, or before what hands on to a cursor."""

    _sqlthrottle_held: Permit = PASSED
    _sqlthrottle_has_several = False
    """Whether there may be more results behind the rows of one."""

    def execute(self, *arguments: Any, **options: Any) -> Any:
        return self._sqlthrottle_send(super().execute, arguments, options)

    def executemany(self, *arguments: Any, **options: Any) -> Any:
        rows, weight, last = counted_rows(value_of(arguments, options, 1))
        arguments, options = with_value(arguments, options, 1, rows)
        if not weight:
            # Nothing is sent.
            return super().executemany(*arguments, **options)
        return self._sqlthrottle_send(super().executemany, arguments, options, weight, last, is_batch=True)

    def callproc(self, procname: Any, *arguments: Any, **options: Any) -> Any:
        values = value_of((procname, *arguments), options, 1)
        guard = self._sqlthrottle_guard()
        text = None if guard is None else call_of(guard.traits.calls_by, procname, values)
        answer = self._sqlthrottle_send(super().callproc, (procname, *arguments), options, text=text, fakes="none")
        # Where it holds nothing, nothing depends on it.
        self._sqlthrottle_has_several = self._sqlthrottle_held is not PASSED
        return answer

    def fetchone(self) -> Any:
        row = self._sqlthrottle_fetched(super().fetchone)
        if row is None:
            self._sqlthrottle_read()
        return row

    def fetchmany(self, *arguments: Any, **options: Any) -> Any:
        rows = self._sqlthrottle_fetched(super().fetchmany, *arguments, **options)
        asked = (arguments[0] if arguments else options.get("size")) or self.arraysize
        if len(rows) < asked:
            self._sqlthrottle_read()
        return rows

    def fetchall(self) -> Any:
        rows = self._sqlthrottle_fetched(super().fetchall)
        self._sqlthrottle_read()
        return rows

    def nextset(self) -> Any:
        more = self._sqlthrottle_fetched(super().nextset)
        if not more:
            self._sqlthrottle_held.release()
        return more

    def close(self) -> Any:
        try:
            return super().close()
        finally:
            self._sqlthrottle_held.release()

    def _sqlthrottle_guard(self) -> DriverGuard | None:
        """What it is to ask; none where it is closed, and says so itself."""
        connection = self.connection
        guard: DriverGuard | None = getattr(connection, "_sqlthrottle", None)
        return None if guard is None or guard.traits.is_closed(connection) else guard

    def _sqlthrottle_places(self) -> Places:
        places: Places = self.connection._sqlthrottle_places
        return places

    def _sqlthrottle_innermost(self) -> Any:
        """The cursor of the driver, where this one is of none."""
        return self

    def _sqlthrottle_make_up(self, guard: DriverGuard, description: Description) -> Any:
        """Goes on as if a statement had been sent and had found nothing.

        :param description: none of a write.
        :returns: what ``execute`` is to return.
        """
        raise NotImplementedError

    def _sqlthrottle_sends(self) -> None:
        """Forgets what was made up before."""

    def _sqlthrottle_send(
        self,
        send: Callable[..., Any],
        arguments: tuple[Any, ...],
        options: dict[str, Any],
        weight: int = 1,
        last: Any = None,
        *,
        is_batch: bool = False,
        text: str | None = None,
        fakes: str | None = None,
    ) -> Any:
        guard = self._sqlthrottle_guard()
        if self._sqlthrottle_held is not PASSED:
            self._sqlthrottle_held.release()
            self._sqlthrottle_held = PASSED
            self._sqlthrottle_has_several = False
        if guard is None or guard.gate.is_decided():
            self._sqlthrottle_sends()
            return send(*arguments, **options)
        if text is None:
            text = text_of(value_of(arguments, options, 0), self._sqlthrottle_innermost())
        if fakes is None:
            fakes = guard.fakes_of(text, is_batch)
        in_transaction = guard.asks_transaction and guard.traits.in_transaction(self.connection)
        params = None
        if guard.gate.throttle.reads_params:
            params = values_of(last if is_batch else value_of(arguments, options, 1))
        permit = guard.gate.enter(text, fakes, weight, params, in_transaction)
        if permit is IGNORED:
            return self._sqlthrottle_make_up(guard, self._sqlthrottle_columns(guard, text))
        token = guard.gate.sending()
        try:
            self._sqlthrottle_sends()
            answer = send(*arguments, **options)
            self._sqlthrottle_remember(guard, text)
            if permit is not PASSED and guard.traits.streams(self._sqlthrottle_innermost()):
                self._sqlthrottle_hold(permit, guard)
                permit = PASSED
            return answer
        finally:
            sent(token)
            if permit is not PASSED:
                permit.release()
            if guard.traits.streams_end_with_transaction:
                self._sqlthrottle_places().executed(guard.traits, self.connection)

    def _sqlthrottle_hold(self, permit: Permit, guard: DriverGuard) -> None:
        outlasts = not guard.traits.streams_end_with_transaction or bool(getattr(self, "withhold", False))
        self._sqlthrottle_held = permit
        self._sqlthrottle_places().add(permit, outlasts)

    def _sqlthrottle_read(self) -> None:
        """Gives back what the rows of a result held that was read to its end."""
        if not self._sqlthrottle_has_several:
            self._sqlthrottle_held.release()

    def _sqlthrottle_fetched(self, fetch: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        try:
            return fetch(*arguments, **options)
        except BaseException:
            self._sqlthrottle_held.release()
            raise

    def _sqlthrottle_remember(self, guard: DriverGuard, text: str) -> None:
        """Remembers how the rows of a text look, for when it is ignored."""
        if guard.columns.get(text) is None and (description := self.description):
            guard.columns.put(text, tuple(tuple(column) for column in description))

    def _sqlthrottle_columns(self, guard: DriverGuard, text: str) -> Description:
        if not guard.gate.reads_rows(text):
            return None
        columns = guard.columns.get(text) or _UNKNOWN
        return tuple((*column, *(None,) * (_FIELDS - len(column))) for column in columns)


class FakingCursor(GuardedCursor):
    """Of drivers whose cursors do not let anybody else say what they found: it says so itself."""

    _sqlthrottle_made_up: tuple[Any] | None = None
    """The description of a made-up result, in a tuple as it may be none."""
    _sqlthrottle_refuses_fetch = False

    @property
    def description(self) -> Any:
        return super().description if self._sqlthrottle_made_up is None else self._sqlthrottle_made_up[0]

    @property
    def rowcount(self) -> Any:
        return super().rowcount if self._sqlthrottle_made_up is None else 0

    @property
    def lastrowid(self) -> Any:
        return super().lastrowid if self._sqlthrottle_made_up is None else None

    def fetchone(self) -> Any:
        return super().fetchone() if self._sqlthrottle_made_up is None else self._sqlthrottle_no_rows(None)

    def fetchmany(self, *arguments: Any, **options: Any) -> Any:
        if self._sqlthrottle_made_up is None:
            return super().fetchmany(*arguments, **options)
        return self._sqlthrottle_no_rows([])

    def fetchall(self) -> Any:
        return super().fetchall() if self._sqlthrottle_made_up is None else self._sqlthrottle_no_rows([])

    def nextset(self) -> Any:
        return super().nextset() if self._sqlthrottle_made_up is None else None

    def __iter__(self) -> Iterator[Any]:
        return self if self._sqlthrottle_made_up is not None else super().__iter__()

    def __next__(self) -> Any:
        if self._sqlthrottle_made_up is not None:
            raise StopIteration
        try:
            return super().__next__()
        except StopIteration:
            self._sqlthrottle_read()
            raise
        except BaseException:
            self._sqlthrottle_held.release()
            raise

    def _sqlthrottle_no_rows(self, nothing: Any) -> Any:
        """What is fetched where there is nothing."""
        if self._sqlthrottle_made_up == (None,) and self._sqlthrottle_refuses_fetch:
            raise self.connection.ProgrammingError("no results to fetch")
        return nothing

    def _sqlthrottle_make_up(self, guard: DriverGuard, description: Description) -> Any:
        self._sqlthrottle_made_up = (description,)
        self._sqlthrottle_refuses_fetch = guard.traits.refuses_fetch
        return self

    def _sqlthrottle_sends(self) -> None:
        if self._sqlthrottle_made_up is not None:
            self._sqlthrottle_made_up = None
