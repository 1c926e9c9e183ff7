"""What a guarded connection does with each statement. Django calls it in the place of the driver, and hands it how to go on."""

from __future__ import annotations

from collections.abc import Callable, Sized
from typing import Any

from .._gate import IGNORED, LAYERS, PASSED, Gate, Permit, Remembered, dialect_of, sent
from .._names import Fakes, InTransaction
from . import _state
from ._cursor import hold, ignored, is_streamed, put_back
from ._exemption import EXEMPT
from ._honest import KEPT, ORM, RAW, SCHEMA, TEXT, kept_tables, reads_one_row, sender
from ._queryset import note_ignored
from ._settings import Settings
from ._waiting import waiter

__all__ = ["DatabaseGuard", "install", "installed"]

_MOST = 256
"""Databases whose guards are kept for connections to come."""
_NONE = Fakes.NONE.value
_UNKNOWN = ("x",)
"""The columns of a text that was not seen before: a query has one at least."""


class DatabaseGuard:
    """Of one database, and of all connections that any thread has to it."""

    def __init__(self, settings: Settings, connection: Any) -> None:
        self.settings = settings
        self._is_on = connection.alias in settings.aliases
        self._gate = Gate(
            settings.throttle,
            in_transaction=settings.in_transaction,
            fakes=settings.fakes,
            dialect=dialect_of("mssql" if connection.vendor == "microsoft" else connection.vendor),
            database=str(connection.settings_dict["NAME"]),
            exempt=settings.exempt,
        )
        self._asks_transaction = settings.in_transaction is not InTransaction.APPLY
        self._kept_tables = kept_tables()
        # By texts: what may be made up of each, by an ORM and by a program; and what columns each has shown.
        self._fakes: Remembered[tuple[str, str]] = Remembered()
        self._columns: Remembered[tuple[str, ...]] = Remembered()

    def __call__(self, execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: dict[str, Any]) -> Any:
        connection, cursor = context["connection"], context["cursor"]
        if self.settings is not _state.in_force():
            install(connection)
            guard = installed(connection)
            return execute(sql, params, many, context) if guard is None else guard(execute, sql, params, many, context)
        if not self._is_on:
            return execute(sql, params, many, context)
        put_back(cursor)
        if (EXEMPT.get() and not self.settings.migrations) or connection.needs_rollback:
            # Django refuses all of a broken transaction by itself.
            return execute(sql, params, many, context)
        kind, rows = sender()
        if kind is SCHEMA:
            return execute(sql, params, many, context)
        text = _text(sql, connection)
        if many:
            params = params if isinstance(params, Sized) else list(params)
        fakes = self._fakes_of(text, kind)
        permit = self._enter(text, fakes, params, many, rows, connection)
        if permit is IGNORED:
            note_ignored()
            ignored(cursor, self._columns_of(text))
            # As sqlite3 returns its cursor, and programs go on with that.
            return cursor.cursor
        if permit is PASSED and kind in (ORM, KEPT) and not LAYERS:
            return execute(sql, params, many, context)
        token = self._gate.sending()
        try:
            result = execute(sql, params, many, context)
            beneath = cursor.cursor
            if kind in (TEXT, RAW):
                self._remember_columns(text, beneath)
            if permit is not PASSED and is_streamed(connection, beneath):
                hold(permit, connection, cursor)
                permit = PASSED
                return cursor.cursor if result is beneath else result
            return result
        finally:
            sent(token)
            permit.release()

    def _enter(self, text: str, fakes: str, params: Any, many: bool, rows: int, connection: Any) -> Permit:
        if many:
            # Rules that look at values see those of the last row, as it is one statement.
            rows, params = max(1, len(params)), _last(params)
        in_transaction = self._asks_transaction and (connection.in_atomic_block or not connection.autocommit)
        run = waiter()
        if run is not None:
            return self._gate.enter_by(run, text, fakes, rows, params, in_transaction)
        return self._gate.enter(text, fakes, rows, params, in_transaction)

    def _fakes_of(self, text: str, kind: str) -> str:
        """What may be made up of a statement without lying to whoever has sent it."""
        if kind is KEPT or (kind is RAW and self._columns.get(text) is None):
            return _NONE
        fakes = self._fakes.get(text)
        if fakes is None:
            most = _NONE if self._kept_tables.search(text) else self._gate.fakes.value
            # The ORM knows what an aggregate of nothing is.
            fakes = self._fakes.put(text, (most, _NONE if reads_one_row(text) else most))
        return fakes[0 if kind is ORM else 1]

    def _columns_of(self, text: str) -> tuple[str, ...] | None:
        return (self._columns.get(text) or _UNKNOWN) if self._gate.reads_rows(text) else None

    def _remember_columns(self, text: str, beneath: Any) -> None:
        if self._columns.get(text) is None and beneath.description:
            self._columns.put(text, tuple(column[0] for column in beneath.description))


def install(connection: Any) -> None:
    """Has a connection ask the throttle, if its database is to be guarded; else that may be set later. Harmless again.

    :raises ImproperlyConfigured: the settings have faults.
    """
    settings = _state.current()
    name = (connection.alias, str(connection.settings_dict["NAME"]))
    guard = settings.guards.get(name)
    if guard is None:
        if len(settings.guards) >= _MOST:
            # Sites with a database for each of many tenants rename their connections. Those that are open keep their guard.
            settings.guards.clear()
        guard = settings.guards.setdefault(name, DatabaseGuard(settings, connection))
    wrappers: list[Any] = connection.execute_wrappers
    wrappers[:] = [wrapper for wrapper in wrappers if not isinstance(wrapper, DatabaseGuard)]
    # A context manager that has put in a wrapper of its own takes out the last one.
    wrappers.insert(0, guard)


def installed(connection: Any) -> DatabaseGuard | None:
    """The guard of a connection."""
    return next((wrapper for wrapper in connection.execute_wrappers if isinstance(wrapper, DatabaseGuard)), None)


def _text(sql: Any, connection: Any) -> str:
    if isinstance(sql, str):
        return sql
    if isinstance(sql, bytes):
        return sql.decode("utf-8", "replace")
    # Those that psycopg composes.
    return str(sql.as_string(connection.connection))


def _last(rows: Any) -> Any:
    try:
        return rows[-1]
    except (LookupError, TypeError):
        return None
