"""What a client of Tortoise does before it sends a statement."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import tortoise
from tortoise import Model
from tortoise.backends.base.client import TransactionalDBClient
from tortoise.backends.base.executor import BaseExecutor
from tortoise.fields import ManyToManyRelation, ReverseRelation

from .._callers import codes_above, codes_of
from .._gate import IGNORED, Gate, decided

__all__ = ["ClientGuard", "guarded_class"]

_T = TypeVar("_T")

# Objects keep the rows that these read, or take themselves for stored, updated or deleted.
_KEEPERS = codes_of(
    BaseExecutor._do_prefetch,
    BaseExecutor.execute_update,
    BaseExecutor.execute_delete,
    getattr(BaseExecutor, "_fetch_db_defaults_after_insert", None),
    ReverseRelation.__aiter__,
    ManyToManyRelation.add,
    ManyToManyRelation._remove_or_clear,
    Model.refresh_from_db,
)
_MIGRATIONS = "tortoise.migrations"
_MIGRATIONS_FOLDER = os.path.join(os.path.dirname(tortoise.__file__), "migrations") + os.sep


class ClientGuard:
    """Of the connections that one installation has said, by one name."""

    def __init__(self, gate: Gate) -> None:
        self.gate: Gate | None = gate
        self._classes: dict[type[Any], type[Any]] = {}

    def put_in(self, client: Any) -> None:
        """Has a client send nothing but through this."""
        base = type(client)
        known = self._classes.get(base)
        if known is None:
            known = self._classes[base] = guarded_class(base, self)
        client.__class__ = known

    async def send(
        self,
        client: Any,
        sql: str,
        fakes: str | None,
        ignored: _T | None,
        run: Callable[[], Awaitable[_T]],
        params: Sequence[Any] | None = None,
        weight: int = 1,
    ) -> _T:
        """Sends a statement, once it may be.

        :param fakes: what may be made up of it; none for whatever its text allows, unless an object keeps it.
        :param ignored: what it is then taken to have returned.
        """
        gate = self.gate
        if gate is None or gate.is_decided():
            return await run()
        callers = codes_above(2)
        if _MIGRATIONS in sys.modules and any(code.co_filename.startswith(_MIGRATIONS_FOLDER) for code in callers):
            return await run()
        if fakes is None:
            fakes = gate.fakes.value if _KEEPERS.isdisjoint(callers) else "none"
        permit = await gate.enter_async(sql, fakes, weight, params, isinstance(client, TransactionalDBClient))
        if permit is IGNORED:
            return ignored  # type: ignore[return-value]
        try:
            # Some of the methods call others.
            with decided(gate.throttle):
                return await run()
        finally:
            permit.release()


def guarded_class(base: Any, guard: ClientGuard) -> type[Any]:
    """A class of clients that ask, to which one of the class that is given can change, and back: it adds nothing to the layout."""

    class Guarded(base):  # type: ignore[misc]
        __slots__ = ()

        _sqlthrottle_base = base
        _sqlthrottle_guard = guard

        async def execute_insert(self, query: str, values: list[Any]) -> Any:
            # It returns a key, or the object takes itself for stored.
            return await guard.send(self, query, "none", None, lambda: parent(self).execute_insert(query, values), values)

        async def execute_many(self, query: str, values: list[list[Any]]) -> None:
            last = values[-1] if values else None
            run = lambda: parent(self).execute_many(query, values)  # noqa: E731
            await guard.send(self, query, "none", None, run, last, max(1, len(values)))

        async def execute_query(self, query: str, values: list[Any] | None = None, **options: Any) -> Any:
            run = lambda: parent(self).execute_query(query, values, **options)  # noqa: E731
            return await guard.send(self, query, None, (0, []), run, values)

        async def execute_query_dict(self, query: str, values: list[Any] | None = None, **options: Any) -> Any:
            run = lambda: parent(self).execute_query_dict(query, values, **options)  # noqa: E731
            return await guard.send(self, query, None, [], run, values)

        async def execute_script(self, query: str) -> None:
            await guard.send(self, query, None, None, lambda: parent(self).execute_script(query))

        def _in_transaction(self) -> Any:
            context = super()._in_transaction()
            # SQLite's calls it otherwise.
            guard.put_in(context.connection if hasattr(context, "connection") else context.client)
            return context

    def parent(client: Any) -> Any:
        return super(Guarded, client)

    Guarded.__name__, Guarded.__qualname__, Guarded.__module__ = base.__name__, base.__qualname__, base.__module__
    return Guarded
