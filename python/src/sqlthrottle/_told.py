"""Who is told of statements and requests that do not simply pass: the log, the span of a trace, and the request beneath which it happens.

A statement that is allowed at once comes by none of this.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

from ._log import LOG
from ._names import Verdict

if TYPE_CHECKING:
    from ._native import Decision

__all__ = ["BENEATH", "Beneath", "aborted", "delayed", "ignored"]


class Beneath(Protocol):
    """A request on its way through web middleware, which is told what becomes of the statements beneath it."""

    def tell(self, decision: Decision | None) -> None:
        """A statement is refused; or, with none, the request has failed and that was not why."""

    def tell_ignored(self) -> None:
        """A statement is ignored, so that something is missing in the response."""


BENEATH: ContextVar[Beneath | None] = ContextVar("sqlthrottle-beneath", default=None)
"""That request, of whoever sends statements beneath one. It goes where context variables go."""


def aborted(decision: Decision) -> None:
    """A statement or a request is refused."""
    beneath = BENEATH.get()
    if beneath is not None:
        beneath.tell(decision)
    _say(Verdict.ABORT, decision, None)


def ignored(decision: Decision) -> None:
    """A statement is not sent, and its caller has an empty result."""
    beneath = BENEATH.get()
    if beneath is not None:
        beneath.tell_ignored()
    _say(Verdict.IGNORE, decision, None)


def delayed(decision: Decision, seconds: float) -> None:
    """The wait of a statement or a request is over, which was to be so long. It may still be refused, and may have been given up."""
    _say(Verdict.DELAY, decision, seconds)


def _say(verdict: Verdict, decision: Decision, seconds: float | None) -> None:
    """Logs and marks. Filters, handlers and spans are the program's: what one raises must not stand in for what is told, nor lose what
    a decision holds."""
    with suppress(Exception):
        LOG.say(verdict, decision)
    # A program that traces has imported it. Nobody else is to pay for it, or to have it.
    if "opentelemetry.trace" in sys.modules:
        with suppress(Exception):
            from .opentelemetry import mark

            mark(verdict, decision, seconds)
