"""Carries a decision on until it is final: waits where it says delay, and asks anew where something has to be fetched first."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from . import _told
from ._names import Verdict

if TYPE_CHECKING:
    from ._native import Decision, Engine

__all__ = ["settle", "settle_async"]

_UNSETTLED = (Verdict.REFILL_NEEDED, Verdict.THRESHOLD_NEEDED)


def settle(throttle: Engine, decision: Decision) -> Decision:
    """Waits by ``time.sleep`` as long as a decision says so. An interrupt gives the wait up."""
    if decision.verdict is not Verdict.DELAY:
        return decision
    first, waited = decision, 0.0
    try:
        while decision.verdict is Verdict.DELAY:
            seconds = decision.delay or 0.0
            waited += seconds
            try:
                time.sleep(seconds)
            except BaseException:
                # Nobody is going to resume it.
                throttle.give_up(decision)
                raise
            decision = throttle.resume(decision)
    finally:
        _tell(throttle, decision, first, waited)
    return decision


async def settle_async(throttle: Engine, decision: Decision, ask: Callable[[], Decision]) -> Decision:
    """Waits by ``asyncio.sleep``. What may block, which an unsettled decision stands for, a worker thread does.

    :param ask: asks anew, and may block.
    """
    if decision.verdict in _UNSETTLED:
        decision = await _in_thread(throttle, ask)
    if decision.verdict is not Verdict.DELAY:
        return decision
    first, waited = decision, 0.0
    try:
        while decision.verdict is Verdict.DELAY:
            seconds = decision.delay or 0.0
            waited += seconds
            try:
                await asyncio.sleep(seconds)
            except BaseException:
                # Cancelled: nobody is going to resume it.
                throttle.give_up(decision)
                raise
            decision = throttle._resume_unsettled(decision)
            if decision.verdict in _UNSETTLED:
                decision = await _in_thread(throttle, functools.partial(throttle.resume, decision))
    finally:
        _tell(throttle, decision, first, waited)
    return decision


def _tell(throttle: Engine, decision: Decision, first: Decision, waited: float) -> None:
    try:
        _told.delayed(first, waited)
    except BaseException:
        # Interrupted while it is logged: nobody gets what was decided.
        throttle.release(decision)
        raise


async def _in_thread(throttle: Engine, ask: Callable[[], Decision]) -> Decision:
    """Asks in a worker thread. Where nobody waits for the answer any more, what it holds is given back, also when the loop has ended."""
    answers: list[Decision] = []
    is_left = False

    def run() -> Decision:
        answer = ask()
        answers.append(answer)
        if is_left:
            drop()
        return answer

    def drop() -> None:
        for answer in answers:
            throttle.release(answer)
            throttle.give_up(answer)

    context = contextvars.copy_context()
    answer = asyncio.get_running_loop().run_in_executor(None, context.run, run)
    try:
        return await asyncio.shield(answer)
    except BaseException:
        is_left = True
        drop()
        raise
