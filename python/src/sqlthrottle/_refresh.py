"""What looks after throttles in the background, one daemon thread for a process and task: whether a rule file has changed, and
which thresholds are due. Each has a thread of its own, so that a provider that hangs is not in the way of the files."""

from __future__ import annotations

import atexit
import os
import threading
import time
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING

from ._errors import SqlThrottleError
from ._log import LOGGER

if TYPE_CHECKING:
    from ._throttle import Throttle

_PAUSE = 1.0
"""Seconds until the next look where a file is not to be watched, and between two looks at thresholds."""
_QUIET = 60.0
"""Seconds between two warnings that a look fails."""
_PATIENCE = 1.0
"""Seconds that the end of the interpreter waits for a look that is under way."""


class Looker:
    """A thread that looks after throttles while there are any, and keeps none alive. It begins with the first."""

    def __init__(self, name: str, look: Callable[[Throttle], float]) -> None:
        self._name = name
        self._look = look
        # A collected object may close a throttle, or check for the first time, while this thread holds it.
        self._lock = threading.RLock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._due: weakref.WeakKeyDictionary[Throttle, float] = weakref.WeakKeyDictionary()
        self._ended = False
        self._quiet_until = float("-inf")

    def add(self, throttle: Throttle) -> None:
        """Looks after a throttle from now on, until it is closed or forgotten."""
        with self._lock:
            if self._ended:
                return
            self._due[throttle] = time.monotonic()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
        self._wake.set()

    def discard(self, throttle: Throttle) -> None:
        """Looks after it no more."""
        with self._lock:
            self._due.pop(throttle, None)
        self._wake.set()

    def end(self) -> None:
        """Ends the thread, as no daemon may be in the native module when the interpreter goes."""
        with self._lock:
            self._ended = True
            self._due.clear()
            thread = self._thread
        self._wake.set()
        if thread is not None and thread is not threading.current_thread():
            thread.join(_PATIENCE)

    def _run(self) -> None:
        while True:
            pause = self._look_at_all()
            with self._lock:
                if not self._due:
                    self._thread = None
                    return
            self._wake.wait(pause)
            self._wake.clear()

    def _look_at_all(self) -> float:
        """Looks at those that are due, and says for how long none is."""
        with self._lock:
            known = list(self._due.items())
        pause = _PAUSE
        for throttle, due in known:
            left = due - time.monotonic()
            if left <= 0:
                left = self._look_at(throttle)
                with self._lock:
                    if throttle in self._due:
                        self._due[throttle] = time.monotonic() + left
            pause = min(pause, left)
        return pause

    def _look_at(self, throttle: Throttle) -> float:
        try:
            return self._look(throttle)
        except Exception:
            now = time.monotonic()
            if not throttle.closed and now >= self._quiet_until:
                self._quiet_until = now + _QUIET
                LOGGER.warning("%s failed, and tries again; all stays as it is", self._name, exc_info=True)
            return _PAUSE


def _look_at_file(throttle: Throttle) -> float:
    watch = throttle._watch()
    if watch == 0:
        return _PAUSE
    try:
        if throttle._refresh() is not None:
            LOGGER.info("the rule file %s has changed, and is in force", throttle.path)
        throttle._last_failure = None
    except SqlThrottleError as refused:
        # A file that cannot be read is tried again each time, and said once.
        if not throttle.closed and str(refused) != throttle._last_failure:
            throttle._last_failure = str(refused)
            LOGGER.warning("the rule file has changed and is refused; the rules before stay in force: %s", refused)
    return watch


def _look_at_thresholds(throttle: Throttle) -> float:
    throttle._renew_thresholds()
    return _PAUSE


def _lookers() -> tuple[Looker, Looker]:
    return Looker("sqlthrottle-refresh", _look_at_file), Looker("sqlthrottle-thresholds", _look_at_thresholds)


_files, _thresholds = _lookers()
_throttles: weakref.WeakSet[Throttle] = weakref.WeakSet()


def made(throttle: Throttle) -> None:
    """Takes note of a throttle, for the case of a fork."""
    _throttles.add(throttle)


def started(throttle: Throttle) -> None:
    """Begins to look after a throttle, at its first check in a process."""
    if throttle.path is not None:
        _files.add(throttle)
    if throttle.provider is not None:
        _thresholds.add(throttle)


def closed(throttle: Throttle) -> None:
    """Ends to look after a throttle."""
    _files.discard(throttle)
    _thresholds.discard(throttle)


def _after_fork() -> None:
    """Puts the throttles of a forked child in order. It has none of the parent's threads, and perhaps their locks."""
    global _files, _thresholds
    _files, _thresholds = _lookers()
    for throttle in list(_throttles):
        throttle._after_fork()


def _end() -> None:
    _files.end()
    _thresholds.end()


atexit.register(_end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
