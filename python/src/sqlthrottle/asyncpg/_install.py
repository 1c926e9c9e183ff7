"""Has connections and pools ask, and ask no more."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false, reportMissingTypeStubs=false
# pyright: reportUntypedBaseClass=false, reportUnknownParameterType=false, reportAttributeAccessIssue=false

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import asyncpg  # type: ignore[import-untyped]
from asyncpg.pool import PoolConnectionProxy  # type: ignore[import-untyped]

from .._errors import ArgumentError
from .._exempt import is_exempt, or_control
from .._gate import Gate
from .._names import Dialect, Fakes, InTransaction
from .._throttle import Throttle
from ._connection import GuardedConnection, GuardedPool
from ._send import gate_of

__all__ = ["connect", "connection_class", "create_pool", "install", "uninstall"]

Exempt = Callable[[str], bool]


def install(
    target: asyncpg.Connection | asyncpg.Pool,
    throttle: Throttle,
    *,
    in_transaction: str = InTransaction.APPLY,
    fakes: str = Fakes.ROWS_AND_COUNT,
    exempt: Exempt | None = is_exempt,
) -> None:
    """Has every statement of a connection, or of a pool, ask the throttle before it is sent; again, with other options.

    Of a pool it reaches the connections that are open and those to come. Statements that were prepared before are not asked about.

    :param in_transaction: what rules may do within a transaction; see :class:`InTransaction`.
    :param fakes: the most that is made up of an ignored statement; with less than it needs, the statement is refused.
    :param exempt: which texts are never checked. By default definitions, looks at the catalog, and tests of connections.
    :raises ArgumentError: it has another throttle.
    """
    installation = _Installation(throttle, in_transaction, fakes, exempt)
    if isinstance(target, asyncpg.Pool):
        installation.guard_pool(target)
    else:
        installation.guard(_plain(target))


def uninstall(target: asyncpg.Connection | asyncpg.Pool) -> bool:
    """Has a connection, or a pool with all of its connections, ask no more. A cursor holds its place until it ends.

    :returns: whether it did ask before.
    """
    if not isinstance(target, asyncpg.Pool):
        return _restore(_plain(target))
    for connection in _connections(target):
        _restore(connection)
    return _restore(target)


async def connect(
    *arguments: Any,
    throttle: Throttle,
    in_transaction: str = InTransaction.APPLY,
    fakes: str = Fakes.ROWS_AND_COUNT,
    exempt: Exempt | None = is_exempt,
    **options: Any,
) -> Any:
    """``asyncpg.connect``, and :func:`install` on what it returns."""
    installation = _Installation(throttle, in_transaction, fakes, exempt)
    connection = await asyncpg.connect(*arguments, **options)
    installation.guard(connection)
    return connection


def create_pool(
    *arguments: Any,
    throttle: Throttle,
    in_transaction: str = InTransaction.APPLY,
    fakes: str = Fakes.ROWS_AND_COUNT,
    exempt: Exempt | None = is_exempt,
    **options: Any,
) -> Any:
    """``asyncpg.create_pool``, and :func:`install` on what it returns."""
    pool = asyncpg.create_pool(*arguments, **options)
    install(pool, throttle, in_transaction=in_transaction, fakes=fakes, exempt=exempt)
    return pool


def connection_class(
    throttle: Throttle,
    base: type[Any] = asyncpg.Connection,
    *,
    in_transaction: str = InTransaction.APPLY,
    fakes: str = Fakes.ROWS_AND_COUNT,
    exempt: Exempt | None = is_exempt,
    database: str | None = None,
) -> type[Any]:
    """A class of connections that ask, for what takes a ``connection_class`` and makes its connections itself.

    :param base: the class that would be taken without it.
    :param database: where statements are sent to, for rules that match by that.
    """
    return _Installation(throttle, in_transaction, fakes, exempt).class_of(base, database)


class _Installation:
    """What one call of :func:`install` has said."""

    def __init__(self, throttle: Throttle, in_transaction: str, fakes: str, exempt: Exempt | None) -> None:
        self._throttle = throttle
        self._in_transaction = in_transaction
        self._fakes = fakes
        self._exempt = or_control(exempt)
        self._classes: dict[tuple[type[Any], str | None], type[Any]] = {}
        self._pool_class: Any = None
        # Options that are out of range are told at once, and not with the first connection.
        self._gate(None)

    def guard_pool(self, pool: Any) -> None:
        self._refuse_another(pool)
        for connection in _connections(pool):
            self._refuse_another(connection)
        uninstall(pool)
        contents = {"__slots__": (), "_sqlthrottle_gate": None, "_sqlthrottle_guard": self.guard}
        self._pool_class = _derived(GuardedPool, type(pool), contents)
        pool.__class__ = self._pool_class
        for connection in _connections(pool):
            self.guard(connection)

    def guard(self, connection: Any) -> None:
        self._refuse_another(connection)
        _restore(connection)
        guarded = self.class_of(type(connection), connection._params.database)
        connection.__class__ = guarded
        if self._pool_class is not None:
            # It is connections that know to which database their pool leads.
            self._pool_class._sqlthrottle_gate = guarded._sqlthrottle_gate

    def class_of(self, base: type[Any], database: str | None) -> type[Any]:
        known = self._classes.get((base, database))
        if known is None:
            contents = {"__slots__": (), "_sqlthrottle_gate": self._gate(database)}
            known = self._classes[base, database] = _derived(GuardedConnection, base, contents)
        return known

    def _gate(self, database: str | None) -> Gate:
        return Gate(
            self._throttle,
            in_transaction=self._in_transaction,
            fakes=self._fakes,
            dialect=Dialect.POSTGRESQL,
            database=database,
            exempt=self._exempt,
            is_driver=True,
        )

    def _refuse_another(self, target: Any) -> None:
        gate = gate_of(target)
        if gate is not None and gate.throttle is not self._throttle:
            raise ArgumentError("it asks another throttle; uninstall it first")


def _derived(guarded: type[Any], base: type[Any], contents: dict[str, Any]) -> type[Any]:
    contents.update(_sqlthrottle_base=base, __module__=base.__module__)
    return types.new_class(base.__name__, (guarded, base), {}, lambda namespace: namespace.update(contents))


def _restore(target: Any) -> bool:
    base = getattr(type(target), "_sqlthrottle_base", None)
    if base is None:
        return False
    target.__class__ = base
    return True


def _plain(connection: Any) -> Any:
    """A connection itself, where it is one that was acquired from a pool."""
    if isinstance(connection, PoolConnectionProxy):
        connection = connection._con
    if not isinstance(connection, asyncpg.Connection):
        raise TypeError(f"a connection or a pool of asyncpg, and not {type(connection).__name__}")
    return connection


def _connections(pool: Any) -> list[Any]:
    return [holder._con for holder in pool._holders if holder._con is not None]
