"""What web middleware counts: requests, and those of them that were refused."""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any

__all__ = ["Requests"]

_all: weakref.WeakSet[Requests] = weakref.WeakSet()


class Requests:
    """Of one throttle, and all middleware that asks it. Threads may share it."""

    def __init__(self) -> None:
        self.is_counted = False
        """Whether a middleware is in."""
        self._total = 0
        self._by_request = 0
        self._by_statement = 0
        self.forked()
        _all.add(self)

    def forked(self) -> None:
        """Of the parent's threads, one may have held the lock. The thread that has it may be interrupted by what asks for it again: a
        signal, or an object that is collected and sends a last statement."""
        self._lock = threading.RLock()

    def came(self) -> None:
        """A request has come."""
        with self._lock:
            self._total += 1

    def refused(self, *, by_statement: bool) -> None:
        """A request was refused: because a statement beneath it was, or by a rule of its own."""
        with self._lock:
            if by_statement:
                self._by_statement += 1
            else:
                self._by_request += 1

    def snapshot(self) -> dict[str, Any]:
        """All counts, of one moment."""
        with self._lock:
            return {"total": self._total, "refused": {"request": self._by_request, "statement": self._by_statement}}

    def metrics(self) -> str:
        """The same, as a part of a page for Prometheus."""
        counts = self.snapshot()
        lines = [
            "# HELP sql_throttle_requests_total Requests that came to a web middleware.",
            "# TYPE sql_throttle_requests_total counter",
            f"sql_throttle_requests_total {counts['total']}",
            "# HELP sql_throttle_requests_refused_total Requests that were refused, by a rule on requests or because a statement was.",
            "# TYPE sql_throttle_requests_refused_total counter",
            *(f'sql_throttle_requests_refused_total{{by="{by}"}} {count}' for by, count in counts["refused"].items()),
        ]
        return "\n".join(lines) + "\n"


def _after_fork() -> None:
    for requests in list(_all):
        requests.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
