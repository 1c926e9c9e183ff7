"""What a guarded engine does with each statement.

It stands before the methods by which a dialect hands statements to the driver. All events of a statement that may still change its text
come before, and the statement runs within, so that what it holds is given back on every way out. Events in its place would cost each
statement several calls more, and leave the way out of one that fails to yet another event.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any, cast

from sqlalchemy import event
from sqlalchemy.engine import Connection, Dialect, ExceptionContext
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.engine.interfaces import ExecuteStyle
from sqlalchemy.util import await_only

from .._errors import StatementAborted
from .._gate import DECIDED, IGNORED, LAYERS, PASSED, Gate, Permit, Remembered, sent
from .._names import Fakes, InTransaction
from .._native import Decision
from ._fake import ROWS, fake_result, fakes_of
from ._hold import hold, hold_parts, is_streamed, part_of, parts_ended

__all__ = ["EngineGuard"]

_METHODS = ("do_execute", "do_execute_no_params", "do_executemany")
_IN_PARTS = ExecuteStyle.INSERTMANYVALUES
_ALEMBIC = "alembic.op"
_ORM_QUERY = "_sa_orm_load_options"


class EngineGuard:
    """Of one dialect, and of the engines that have it."""

    def __init__(self, gate: Gate, dialect: Dialect, migrations: bool) -> None:
        self.gate: Gate | None = gate
        self._dialect = dialect
        self._do_execute = dialect.do_execute
        # Most dialects do no more than that.
        self._executes = getattr(dialect.do_execute, "__func__", None) is DefaultDialect.do_execute
        self._do_execute_no_params = dialect.do_execute_no_params
        self._do_executemany = dialect.do_executemany
        self._migrations = migrations
        self._is_async = dialect.is_async
        self._asks_transaction = gate.in_transaction is not InTransaction.APPLY
        # Of queries, but those of the ORM: what checks them, by their text.
        self._queries: Remembered[Callable[[], Decision | None]] = Remembered()
        self._throttle = gate.throttle
        self._gate = gate
        self._columns: Remembered[tuple[str, ...]] = Remembered()
        self._lock = threading.Lock()
        self._handles_errors = False

    def put_in(self) -> None:
        """Has the dialect send nothing but through this."""
        for name in _METHODS:
            setattr(self._dialect, name, getattr(self, name))

    def take_out(self) -> None:
        """Has the dialect as it was."""
        # Who stands before this one meanwhile keeps it.
        self.gate = None
        self._queries = Remembered()
        for name in _METHODS:
            if self._dialect.__dict__.get(name) == getattr(self, name):
                delattr(self._dialect, name)
        with self._lock:
            if self._handles_errors:
                event.remove(self._dialect, "handle_error", self._handle_error)
                self._handles_errors = False

    def do_execute(self, cursor: Any, statement: str, parameters: Any, context: Any = None) -> None:
        # The short way, of which each step counts: a query that was sent before, passes, and holds nothing.
        check = self._queries.get(statement)
        if (
            check is not None
            and context is not None
            and context.root_connection._allow_autobegin
            and _ORM_QUERY not in context.execution_options
            and not self._throttle.reads_params
            and not DECIDED.get()
            and _ALEMBIC not in sys.modules
        ):
            decision = check()
            if decision is not None:
                permit = self._entered(context, self._gate.carried_on, decision)
                self._send(permit, self._do_execute, cursor, context, statement, parameters)
            elif LAYERS:
                token = self._gate.sending()
                try:
                    self._do_execute(cursor, statement, parameters, context)
                finally:
                    sent(token)
            elif self._executes:
                cursor.execute(statement, parameters)
            else:
                self._do_execute(cursor, statement, parameters, context)
            return
        self._do_execute_any(cursor, statement, parameters, context)

    def _do_execute_any(self, cursor: Any, statement: str, parameters: Any, context: Any) -> None:
        if not self._is_asked_about(context):
            self._do_execute(cursor, statement, parameters, context)
            return
        if context.execute_style is _IN_PARTS:
            permit = self._enter_part(statement, parameters, context)
        else:
            permit = self._enter(statement, 1, parameters, context)
        self._send(permit, self._do_execute, cursor, context, statement, parameters)

    def do_execute_no_params(self, cursor: Any, statement: str, context: Any = None) -> None:
        if not self._is_asked_about(context):
            self._do_execute_no_params(cursor, statement, context)
            return
        permit = self._enter(statement, 1, None, context)
        self._send(permit, self._do_execute_no_params, cursor, context, statement)

    def do_executemany(self, cursor: Any, statement: str, parameters: Any, context: Any = None) -> None:
        if not self._is_asked_about(context):
            self._do_executemany(cursor, statement, parameters, context)
            return
        # Rules that look at values see those of the last row, as it is one statement.
        permit = self._enter(statement, max(1, len(parameters)), parameters[-1] if parameters else None, context)
        self._send(permit, self._do_executemany, cursor, context, statement, parameters)

    def _is_asked_about(self, context: Any) -> bool:
        if self.gate is None or context is None:
            return False
        connection = context.root_connection
        # One that may not begin a transaction is that by which a dialect gets to know the server.
        return connection._allow_autobegin and (
            self._migrations or _ALEMBIC not in sys.modules or not _migrates(connection)
        )

    def _enter(self, statement: str, weight: int, parameters: Any, context: Any) -> Permit:
        gate = cast(Gate, self.gate)
        fakes = fakes_of(context, gate.fakes)
        in_transaction = self._asks_transaction and not context.root_connection._is_autocommit_isolation()
        if self._is_async:
            return self._entered(
                context, gate.enter_by, await_only, statement, fakes, weight, parameters, in_transaction
            )
        permit = self._entered(context, gate.enter, statement, fakes, weight, parameters, in_transaction)
        if fakes in ROWS and not self._asks_transaction:
            self._shorten(gate, statement, fakes, context.is_text)
        return permit

    def _shorten(self, gate: Gate, statement: str, fakes: str, is_text: bool) -> None:
        """Has a query come by the short way from now on, if the long one finds out nothing more of it, as of a text its columns."""
        if is_text and self._columns.get(statement) is None:
            return
        known = gate.known(statement, fakes)
        # A compiled query may have the same text, and fakes rows alone.
        if known is not None and known.faked == Fakes.ROWS:
            self._queries.put(statement, known._unless_passed)

    def _entered(self, context: Any, enter: Callable[..., Permit], *arguments: Any) -> Permit:
        try:
            return enter(*arguments)
        except BaseException as ended:
            context._sqlthrottle_ended = ended
            self._handle_errors()
            raise

    def _enter_part(self, statement: str, parameters: Any, context: Any) -> Permit:
        """Of one of the statements that rows are divided into: the first one asks for all rows, and holds the place of all."""
        permit = part_of(context)
        if permit is None:
            permit = self._enter(statement, max(1, len(context.compiled_parameters)), parameters, context)
            hold_parts(permit, context)
            if permit is not PASSED:
                self._handle_errors()
        return permit if permit is IGNORED else PASSED

    def _send(self, permit: Permit, send: Callable[..., None], cursor: Any, context: Any, *arguments: Any) -> None:
        gate = cast(Gate, self.gate)
        if permit is IGNORED:
            self._ignore(gate, cursor, arguments[0], context)
            return
        if permit is PASSED and not context.is_text and not LAYERS:
            # Most statements: there is nothing to be done afterwards.
            send(cursor, *arguments, context)
            return
        token = gate.sending()
        try:
            send(cursor, *arguments, context)
            if context.is_text:
                self._remember_columns(cursor, arguments[0])
            if permit is not PASSED and is_streamed(context):
                hold(permit, cursor, context)
                permit = PASSED
        finally:
            if token is not None:
                sent(token)
            if permit is not PASSED:
                permit.release()

    def _remember_columns(self, cursor: Any, statement: str) -> None:
        if self._columns.get(statement) is None and cursor.description:
            self._columns.put(statement, tuple(column[0] for column in cursor.description))

    def _ignore(self, gate: Gate, cursor: Any, statement: str, context: Any) -> None:
        if context.is_text:
            rows = gate.reads_rows(statement)
            columns = self._columns.get(statement)
        else:
            rows, columns = not context.is_crud, None
        fake_result(cursor, context, rows, columns)

    def _handle_errors(self) -> None:
        """Asks to be told of errors, at the first one that is this guard's: to be told costs each statement a little."""
        if self._handles_errors:
            # Without the lock, which a child that is forked meanwhile would find held.
            return
        with self._lock:
            if not self._handles_errors and self.gate is not None:
                event.listen(self._dialect, "handle_error", self._handle_error)
                self._handles_errors = True

    def _handle_error(self, error: ExceptionContext) -> BaseException | None:
        context: Any = error.execution_context
        original = error.original_exception
        if context is not None:
            parts_ended(context)
            if context.__dict__.pop("_sqlthrottle_ended", None) is original:
                # Nothing was sent: a connection whose statement was cancelled while it waited is as it was.
                error.is_disconnect = False
        if isinstance(original, StatementAborted) and error.sqlalchemy_exception is not None:
            # Of a default that is a query: SQLAlchemy wraps what comes of one, with the text in the message.
            return StatementAborted._again(original.decision)
        return None


def _migrates(connection: Connection) -> bool:
    """Whether Alembic is running its migrations over this very connection."""
    operations = getattr(sys.modules.get(_ALEMBIC), "_proxy", None)
    return operations is not None and operations.migration_context.connection is connection
