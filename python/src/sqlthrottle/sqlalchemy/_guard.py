"""What a guarded engine does with each statement.

It hangs on the events by which a dialect hands statements to the driver: they come after all others that may still change a text, and the
statement runs within them, so that what it holds is given back on every way out. Events of the engine would cost a call more, and
leave the way out of a failed statement to another event.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Collection, Coroutine
from typing import TYPE_CHECKING, Any

from sqlalchemy.engine import Connection, Dialect, ExceptionContext
from sqlalchemy.util import await_only

from .._errors import StatementAborted
from .._gate import IGNORED, PASSED, Gate, Permit, Remembered, sent
from .._names import Fakes, InTransaction
from ._fake import fake_result, fakes_of
from ._hold import hold, hold_batches, is_streamed

if TYPE_CHECKING:
    from sqlalchemy.engine.default import DefaultExecutionContext

__all__ = ["EngineGuard"]

_MARK = "_sqlthrottle"
"""The attribute of an execution context with what was decided of it, where that holds for several statements."""


class EngineGuard:
    """Of one dialect, and of the engines that have it."""

    def __init__(self, gate: Gate, dialect: Dialect, migrations: bool) -> None:
        self.gate = gate
        self._dialect = dialect
        self._migrations = migrations
        self._runs = dialect.is_async
        self._asks_transaction = gate.in_transaction is not InTransaction.APPLY
        self._columns: Remembered[tuple[str, ...]] = Remembered()

    def do_execute(self, cursor: Any, statement: str, parameters: Any, context: DefaultExecutionContext | None) -> bool:
        if context is None or not self._is_asked_about(context.root_connection):
            return False
        if context.execute_style.name == "INSERTMANYVALUES":
            return self._batch(cursor, statement, parameters, context)
        permit = self._enter(statement, context, 1, parameters)
        return self._send(permit, "do_execute", cursor, statement, (statement, parameters), context)

    def do_execute_no_params(self, cursor: Any, statement: str, context: DefaultExecutionContext | None) -> bool:
        if context is None or not self._is_asked_about(context.root_connection):
            return False
        permit = self._enter(statement, context, 1, None)
        return self._send(permit, "do_execute_no_params", cursor, statement, (statement,), context)

    def do_executemany(
        self, cursor: Any, statement: str, parameters: Collection[Any], context: DefaultExecutionContext | None
    ) -> bool:
        if context is None or not self._is_asked_about(context.root_connection):
            return False
        # Rules that look at values see those of the last row, as the statement is one.
        last = next(reversed(parameters), None) if isinstance(parameters, (list, tuple)) else None
        permit = self._enter(statement, context, max(1, len(parameters)), last)
        return self._send(permit, "do_executemany", cursor, statement, (statement, parameters), context)

    def handle_error(self, error: ExceptionContext) -> BaseException | None:
        context: Any = error.execution_context
        original = error.original_exception
        if context is not None:
            held = context.__dict__.pop(_MARK, None)
            if held is not None:
                held.release()
        if context is not None and context.__dict__.pop("_sqlthrottle_waited", None) is original:
            # Nothing was sent: whoever has ended the wait finds the connection as it was.
            error.is_disconnect = False
        if isinstance(original, StatementAborted) and error.sqlalchemy_exception is not None:
            # Of a default that is a query: SQLAlchemy wraps what comes of one, with the text in the message.
            return StatementAborted(original.decision)
        return None

    def _is_asked_about(self, connection: Connection) -> bool:
        # One that may not begin a transaction is that by which a dialect gets to know the server.
        return connection._allow_autobegin and (self._migrations or not _migrates(connection))

    def _enter(self, statement: str, context: DefaultExecutionContext, weight: int, parameters: Any) -> Permit:
        fakes = fakes_of(context, self.gate.fakes)
        in_transaction = self._asks_transaction and not _commits_by_itself(context.root_connection)
        try:
            if self._runs:
                return self.gate.enter_by(await_only, statement, fakes, weight, parameters, in_transaction)
            return self.gate.enter(statement, fakes, weight, parameters, in_transaction)
        except Exception:
            raise
        except BaseException as ended:
            context._sqlthrottle_waited = ended  # type: ignore[attr-defined]
            raise

    def _send(
        self,
        permit: Permit,
        event: str,
        cursor: Any,
        statement: str,
        arguments: tuple[Any, ...],
        context: DefaultExecutionContext,
    ) -> bool:
        if permit is IGNORED:
            self._ignore(cursor, statement, context)
            return True
        token = self.gate.sending()
        try:
            self._run(event, cursor, arguments, context)
            if context.is_text and self._columns.get(statement) is None and cursor.description:
                self._columns.put(statement, tuple(column[0] for column in cursor.description))
            if permit is not PASSED and is_streamed(context):
                hold(permit, cursor, context)
                permit = PASSED
        finally:
            sent(token)
            permit.release()
        return True

    def _run(self, event: str, cursor: Any, arguments: tuple[Any, ...], context: DefaultExecutionContext) -> None:
        """Does what SQLAlchemy would have done if this guard had not told it that all is done."""
        listeners = getattr(self._dialect.dispatch, event)
        if len(listeners) > 1:
            mine = getattr(self, event)
            for listener in listeners:
                if listener != mine and listener(cursor, *arguments, context):
                    return
        getattr(self._dialect, event)(cursor, *arguments, context)

    def _batch(self, cursor: Any, statement: str, parameters: Any, context: DefaultExecutionContext) -> bool:
        """One of the statements that rows are divided into: the first one asks for all rows, and holds a place for all of them."""
        permit: Permit | None = context.__dict__.get(_MARK)
        if permit is None:
            permit = self._enter(statement, context, max(1, len(context.compiled_parameters)), parameters)
            hold_batches(permit, context, _MARK)
        return self._send(
            permit if permit is IGNORED else PASSED, "do_execute", cursor, statement, (statement, parameters), context
        )

    def _ignore(self, cursor: Any, statement: str, context: DefaultExecutionContext) -> None:
        if context.is_text:
            rows = self.gate.reads_rows(statement)
            columns = self._columns.get(statement)
        else:
            rows, columns = not context.is_crud, None
        fake_result(cursor, context, rows, columns)


def _commits_by_itself(connection: Connection) -> bool:
    return connection._is_autocommit_isolation()


def _migrates(connection: Connection) -> bool:
    """Whether Alembic is running its migrations over this very connection."""
    alembic = sys.modules.get("alembic.op")
    if alembic is None:
        return False
    operations = getattr(alembic, "_proxy", None)
    return operations is not None and operations.migration_context.connection is connection
