"""What a database does before it sends a statement."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false, reportMissingTypeStubs=false
# pyright: reportUntypedBaseClass=false, reportUnknownParameterType=false

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextvars import ContextVar
from typing import Any
from weakref import WeakSet

from .._driver import fakes_of_text
from .._gate import IGNORED, PASSED, Gate, Permit, Remembered, sent, unset
from ._asked import RAW, Asked, asked_of
from ._cursor import HeldCursor, IgnoredCursor

__all__ = ["Guard", "guarded_class"]

_asked: ContextVar[Asked] = ContextVar("sqlthrottle-peewee-asked", default=RAW)


class Guard:
    """Of one database."""

    def __init__(self, make_gate: Callable[[str | None], Gate], tells_keys: bool) -> None:
        self._make_gate = make_gate
        self._tells_keys = tells_keys
        self._gate = make_gate(None)
        self._columns: Remembered[tuple[str, ...]] = Remembered()
        self.held: WeakSet[HeldCursor] = WeakSet()

    def gate_of(self, database: Any) -> Gate:
        # A database may be told only later where it is.
        name = database.database
        if name is not None and self._gate.database != name:
            self._gate = self._make_gate(str(name))
        return self._gate

    def fakes(self, gate: Gate, asked: Asked, sql: str) -> str:
        if asked.fakes is not None:
            return asked.fakes
        return fakes_of_text(sql, gate.fakes) if self._tells_keys else gate.fakes.value

    def ignored(self, gate: Gate, sql: str, asked: Asked) -> IgnoredCursor:
        if not gate.reads_rows(sql):
            return IgnoredCursor(None)
        return IgnoredCursor(self._columns.get(sql) or ("x",), [(0,)] if asked.is_count else ())

    def remember(self, sql: str, cursor: Any) -> None:
        if self._columns.get(sql) is None and cursor.description:
            self._columns.put(sql, tuple(column[0] for column in cursor.description))


def guarded_class(base: Any, contents: dict[str, Any]) -> type[Any]:
    """A class of databases that ask, to which one of the class that is given can change, and back: it adds nothing to the layout."""
    derive = _guarded_async if hasattr(base, "aexecute_sql") else _guarded
    return type(base.__name__, (derive(base),), {"__slots__": (), "__module__": base.__module__, **contents})


def _asking(base: Any) -> type[Any]:
    class Asking(base):  # type: ignore[misc]
        __slots__ = ()

        _sqlthrottle_guard: Guard

        def execute(self, query: Any, *arguments: Any, **options: Any) -> Any:
            most = self._sqlthrottle_guard.gate_of(self).fakes
            token = _asked.set(asked_of(query, most))
            try:
                return super().execute(query, *arguments, **options)
            finally:
                unset(_asked, token)

    return Asking


def _guarded(base: Any) -> type[Any]:
    class Guarded(_asking(base)):  # type: ignore[misc]
        __slots__ = ()

        def execute_sql(self, sql: Any, params: Any = None, *arguments: Any, **options: Any) -> Any:
            guard = self._sqlthrottle_guard
            gate, asked, text = guard.gate_of(self), _asked.get(), str(sql)
            permit = gate.enter(text, guard.fakes(gate, asked, text), asked.weight, params, self.in_transaction())
            if permit is IGNORED:
                return guard.ignored(gate, text, asked)
            is_streamed = asked.is_streamed or bool(options.get("named_cursor") or (arguments and arguments[0]))
            mark, token = gate.sending(), _asked.set(RAW)
            try:
                cursor = super().execute_sql(sql, params, *arguments, **options)
                guard.remember(text, cursor)
                if is_streamed and permit is not PASSED:
                    cursor, permit = self._held(cursor, permit), PASSED
                return cursor
            finally:
                permit.release()
                unset(_asked, token)
                sent(mark)

        def close(self) -> Any:
            connection = self._state.conn
            closed = super().close()
            for cursor in list(self._sqlthrottle_guard.held):
                if cursor.of is connection:
                    cursor.release()
            return closed

        def _held(self, cursor: Any, permit: Permit) -> HeldCursor:
            held = HeldCursor(cursor, permit, self._state.conn)
            self._sqlthrottle_guard.held.add(held)
            return held

    return Guarded


def _guarded_async(base: Any) -> type[Any]:
    class Guarded(_asking(base)):  # type: ignore[misc]
        """A database of ``playhouse.pwasyncio``, which waits by the loop."""

        __slots__ = ()

        async def aexecute_sql(self, sql: Any, params: Any = None) -> Any:
            guard = self._sqlthrottle_guard
            gate, asked, text = guard.gate_of(self), _asked.get(), str(sql)
            permit = await gate.enter_async(text, guard.fakes(gate, asked, text), asked.weight, params, self.in_transaction())
            if permit is IGNORED:
                return guard.ignored(gate, text, asked)
            mark, token = gate.sending(), _asked.set(RAW)
            try:
                cursor = await super().aexecute_sql(sql, params)
                guard.remember(text, cursor)
                return cursor
            finally:
                permit.release()
                unset(_asked, token)
                sent(mark)

        async def iterate(self, query: Any, buffer_size: int | None = None) -> AsyncGenerator[Any, None]:
            guard = self._sqlthrottle_guard
            gate = guard.gate_of(self)
            asked = asked_of(query, gate.fakes)
            query.bind(self)
            sql, params = query.sql()
            permit = await gate.enter_async(sql, guard.fakes(gate, asked, sql), asked.weight, params, self.in_transaction())
            if permit is IGNORED:
                return
            rows = super().iterate(query, buffer_size)
            try:
                # It is sent with the first row; a generator may go on in another context.
                mark = gate.sending()
                try:
                    row = await anext(rows, None)
                finally:
                    sent(mark)
                while row is not None:
                    yield row
                    row = await anext(rows, None)
            finally:
                await rows.aclose()
                permit.release()

    return Guarded
