"""Asks about a statement, waits, and sends it: one way for connections, pools, prepared statements and cursors."""

# asyncpg has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false, reportMissingTypeStubs=false

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Coroutine, Sequence
from typing import Any, TypeVar
from weakref import WeakKeyDictionary, WeakSet

from asyncpg import compat  # type: ignore[import-untyped]

from .._exempt import first_word
from .._gate import IGNORED, PASSED, Gate, Permit, sent

__all__ = ["enter", "gate_of", "hold", "release_streams", "rows_of", "send", "send_rows", "status_of"]

_T = TypeVar("_T")

_streams: WeakKeyDictionary[Any, WeakSet[Permit]] = WeakKeyDictionary()
"""What the cursors of a connection hold."""


def gate_of(owner: Any) -> Gate | None:
    """That of a connection or a pool; none where it asks no throttle, or no more."""
    gate: Gate | None = getattr(type(owner), "_sqlthrottle_gate", None)
    return gate


async def enter(
    owner: Any,
    gate: Gate,
    sql: str,
    fakes: str,
    weight: int,
    params: Collection[Any] | None,
    timeout: Any,
) -> tuple[Permit, Any]:
    """Decides on a statement of a connection or a pool.

    :returns: what it holds, and the time that is left of its own.
    :raises TimeoutError: a rule delays it for longer than it may take.
    """
    most, in_transaction = owner._sqlthrottle_bounds(timeout)
    if most is None:
        return await gate.enter_async(sql, fakes, weight, params, in_transaction), timeout
    begun = time.monotonic()
    async with compat.timeout(most):
        permit = await gate.enter_async(sql, fakes, weight, params, in_transaction)
    return permit, most - (time.monotonic() - begun)


async def send(
    owner: Any,
    sql: str,
    run: Callable[..., Coroutine[Any, Any, _T]],
    ignored: Callable[[Gate, str], _T] | None,
    params: Collection[Any] | None = None,
    weight: int = 1,
    timeout: Any = None,
) -> _T:
    """Sends a statement, once it may be.

    :param run: sends it, within the time that it is given as ``timeout``.
    :param ignored: makes up what it returns where it is ignored; none where nothing can be.
    """
    gate = gate_of(owner)
    if gate is None:
        return await run(timeout=timeout)
    permit, timeout = await enter(owner, gate, sql, "none" if ignored is None else gate.fakes.value, weight, params, timeout)
    if ignored is not None and permit is IGNORED:
        return ignored(gate, sql)
    token = gate.sending()
    try:
        return await run(timeout=timeout)
    finally:
        permit.release()
        sent(token)


def rows_of(args: Any) -> Sequence[Any]:
    """The rows of a batch, which can be counted."""
    return args if isinstance(args, Sequence) else list(args)


async def send_rows(
    owner: Any,
    sql: str,
    run: Callable[..., Coroutine[Any, Any, _T]],
    ignored: Callable[[Gate, str], _T],
    rows: Sequence[Any],
    timeout: Any,
) -> _T:
    """Sends a batch, once it may be: it is one statement that weighs as many rows as it has. Rules that look at values see the last ones."""
    return await send(owner, sql, run, ignored, rows[-1] if rows else None, max(1, len(rows)), timeout)


def status_of(gate: Gate, sql: str) -> str:
    """What the server says of a statement that has found nothing."""
    if gate.reads_rows(sql):
        return "SELECT 0"
    verb = first_word(sql).upper()
    return "INSERT 0 0" if verb == "INSERT" else f"{verb} 0"


def hold(connection: Any, permit: Permit) -> None:
    """Has a permit released with the transaction of a connection, at the latest."""
    if permit is not PASSED:
        _streams.setdefault(connection, WeakSet()).add(permit)


def release_streams(connection: Any) -> None:
    """Releases what the cursors of a connection hold."""
    for permit in _streams.pop(connection, ()):
        permit.release()
