"""Puts the guard into an engine, and takes it out."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import Session, scoped_session, sessionmaker

from .._errors import ArgumentError
from .._exempt import is_exempt
from .._gate import Gate, dialect_of
from .._names import Fakes, InTransaction
from .._throttle import Throttle
from ._guard import EngineGuard

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine, async_sessionmaker

__all__ = ["install", "uninstall"]

# By dialect: engines that differ in their execution options alone share one.
_guards: WeakKeyDictionary[Dialect, EngineGuard] = WeakKeyDictionary()
_lock = threading.Lock()


def install(
    target: Engine | AsyncEngine | sessionmaker[Any] | async_sessionmaker[Any] | scoped_session[Any],
    throttle: Throttle,
    *,
    in_transaction: str = InTransaction.APPLY,
    fakes: str = Fakes.ROWS_AND_COUNT,
    migrations: bool = False,
    exempt: Callable[[str], bool] | None = is_exempt,
) -> None:
    """Has every statement of an engine ask the throttle before it is sent; again, with other options.

    It reaches the connections that are open, and the engines that ``execution_options`` makes of this one.

    :param target: an engine, or what makes sessions, whose engines are meant.
    :param in_transaction: what rules may do while the connection does not commit by itself; see :class:`InTransaction`.
    :param fakes: the most that is made up of an ignored statement; with less than it needs, the statement is refused.
    :param migrations: whether what Alembic sends is checked.
    :param exempt: which texts are never checked. By default definitions, reflection, tables of migration tools, and tests of connections.
    :raises ArgumentError: the engine has another throttle, or a session factory has no engine yet.
    """
    for engine in _engines(target):
        gate = Gate(
            throttle,
            in_transaction=in_transaction,
            fakes=fakes,
            dialect=dialect_of(engine.dialect.name),
            database=engine.url.database,
            exempt=exempt,
        )
        with _lock:
            before = _guards.get(engine.dialect)
            if before is not None and before.gate is not None and before.gate.throttle is not throttle:
                raise ArgumentError("the engine asks another throttle; uninstall it first")
            _remove(engine)
            guard = _guards[engine.dialect] = EngineGuard(gate, engine.dialect, migrations)
            guard.put_in()


def uninstall(target: Engine | AsyncEngine | sessionmaker[Any] | async_sessionmaker[Any] | scoped_session[Any]) -> bool:
    """Has an engine ask no more. What streams holds its place until it ends.

    :returns: whether it did ask before.
    """
    removed = False
    with _lock:
        for engine in _engines(target):
            removed |= _remove(engine)
    return removed


def _remove(engine: Engine) -> bool:
    guard = _guards.pop(engine.dialect, None)
    if guard is None:
        return False
    guard.take_out()
    return True


def _engines(target: Any) -> list[Engine]:
    if isinstance(target, scoped_session):
        target = cast(Any, target).session_factory
    if isinstance(target, sessionmaker) or _is_async(target, "async_sessionmaker"):
        binds = _binds(target.kw)
        if not binds:
            raise ArgumentError("the session factory has no engine yet; install on the engine")
    else:
        binds = [target]
    # In their order, and each dialect once.
    return list({engine.dialect: engine for engine in map(_engine, binds)}.values())


def _binds(options: Mapping[str, Any]) -> list[Any]:
    several: Mapping[Any, Any] = options.get("binds") or {}
    return [bind for bind in (options.get("bind"), *several.values()) if bind is not None]


def _engine(bind: Any) -> Engine:
    if _is_async(bind, "AsyncEngine"):
        bind = bind.sync_engine
    elif _is_async(bind, "AsyncConnection"):
        bind = bind.sync_connection
    if isinstance(bind, Connection):
        bind = bind.engine
    if isinstance(bind, Engine):
        return bind
    if isinstance(bind, Session):
        raise TypeError("a session is for one use; install on its engine, or on the sessionmaker")
    raise TypeError(f"an engine or a session factory, and not {type(bind).__name__}")


def _is_async(target: object, name: str) -> bool:
    """Whether it is of a class of SQLAlchemy's asyncio: that needs greenlet, and is imported by whoever has one of it."""
    asyncio = sys.modules.get("sqlalchemy.ext.asyncio")
    return asyncio is not None and isinstance(target, getattr(asyncio, name, ()))
