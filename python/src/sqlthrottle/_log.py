"""What is logged of statements that do not simply pass: a record a minute for each rule, and never a text."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ._names import Verdict

if TYPE_CHECKING:
    from ._native import Decision

__all__ = ["LOG", "LOGGER", "Log"]

LOGGER = logging.getLogger("sqlthrottle")
"""Of what an operator is to know: rules that are refused, and the like. A program that configures no logging shows its warnings."""

_DECISIONS = LOGGER.getChild("decisions")
# Refusals are what a throttle is for: nothing of them is written to the standard error of such a program.
_DECISIONS.addHandler(logging.NullHandler())

_LEVELS = {Verdict.ABORT: logging.WARNING, Verdict.IGNORE: logging.WARNING, Verdict.DELAY: logging.INFO}
_DONE = {Verdict.ABORT: "refused", Verdict.IGNORE: "ignored", Verdict.DELAY: "delayed"}


class Log:
    """Says at once what happens first, and of what follows how often it has, at the next time once a minute is over.

    :param clock: seconds, that only grow.
    """

    QUIET = 60.0
    """Seconds between two records of a rule and what it did."""
    MOST = 1_000
    """Rules that are told apart. Those beyond share a record."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._said: dict[tuple[Verdict, str | None], _Said] = {}
        self._full_until = float("-inf")
        self.forked()

    def forked(self) -> None:
        """Of the parent's threads, one may have held the lock. This one may hold it: a signal, or an object that the collector ends, can
        have a statement sent in the middle of it."""
        self._lock = threading.RLock()

    def say(self, verdict: Verdict, decision: Decision) -> None:
        """Takes note of a decision, and logs it where that is due."""
        level = _LEVELS[verdict]
        if not _DECISIONS.isEnabledFor(level):
            return
        count = self._due(verdict, decision.rule)
        if count:
            _DECISIONS.log(
                level,
                "%s by %s: %d, the last one for %s, fingerprint %s",
                _DONE[verdict],
                decision.rule,
                count,
                decision.reason,
                decision.fingerprint,
            )

    def _due(self, verdict: Verdict, rule: str | None) -> int:
        """How many are to be said now; 0 where none is."""
        now = self._clock()
        with self._lock:
            said = self._of(verdict, rule, now)
            said.count += 1
            if now < said.quiet_until:
                return 0
            count, said.count = said.count, 0
            said.quiet_until = now + self.QUIET
            return count

    def _of(self, verdict: Verdict, rule: str | None, now: float) -> _Said:
        key = (verdict, rule)
        said = self._said.get(key)
        if said is None:
            if len(self._said) >= self.MOST and now >= self._full_until:
                self._said = {key: said for key, said in self._said.items() if now < said.quiet_until}
                self._full_until = now + self.QUIET
            if len(self._said) >= self.MOST:
                key = (verdict, None)
            said = self._said.setdefault(key, _Said())
        return said


class _Said:
    __slots__ = ("count", "quiet_until")

    def __init__(self) -> None:
        self.count = 0
        self.quiet_until = float("-inf")


LOG = Log()
"""That of the process."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=LOG.forked)
