"""Who is told of statements and requests that do not simply pass: the log, the span of a trace, and the request beneath which it happens.

A statement that is allowed at once comes by none of this.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING

from ._log import LOG
from ._names import Verdict

if TYPE_CHECKING:
    from ._native import Decision

__all__ = ["BENEATH", "aborted", "delayed", "ignored"]

BENEATH: ContextVar[Callable[[Decision | None], None] | None] = ContextVar("sqlthrottle-beneath", default=None)
"""What the web middleware above is told by, of each statement that is refused, and that none has made a request fail. It goes where
context variables go."""


def aborted(decision: Decision) -> None:
    """A statement or a request is refused."""
    tell = BENEATH.get()
    if tell is not None:
        tell(decision)
    LOG.say(Verdict.ABORT, decision)
    _mark(Verdict.ABORT, decision, None)


def ignored(decision: Decision) -> None:
    """A statement is not sent, and its caller has an empty result."""
    LOG.say(Verdict.IGNORE, decision)
    _mark(Verdict.IGNORE, decision, None)


def delayed(decision: Decision, seconds: float) -> None:
    """The wait of a statement or a request is over, which was to be so long. It may still be refused, and may have been given up."""
    LOG.say(Verdict.DELAY, decision)
    _mark(Verdict.DELAY, decision, seconds)


def _mark(verdict: Verdict, decision: Decision, seconds: float | None) -> None:
    # A program that traces has imported it. Nobody else is to pay for it, or to have it.
    if "opentelemetry.trace" in sys.modules:
        from .opentelemetry import mark

        mark(verdict, decision, seconds)
