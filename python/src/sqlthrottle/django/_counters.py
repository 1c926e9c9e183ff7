"""The counters of all processes: each writes its own into a folder, about once a second, and who wants to see them adds them up.

A site has several workers, and each counts by itself, so a command that asked its own throttle would show nothing.
"""

from __future__ import annotations

import atexit
import json
import os
import socket
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any

from .._log import LOGGER
from .._refresh import Looker

if TYPE_CHECKING:
    from .._throttle import Throttle
    from ._settings import Settings

__all__ = ["read", "started", "write"]

_EVERY = 1.0
"""Seconds between two writings."""
_FRESH = 5.0
"""Seconds for which a process may be silent and is still taken for alive."""
_LEFT_BEHIND = 3_600.0
"""Seconds after which the file of a process that was killed is removed."""
_SUFFIX = ".counters.json"

_folders: weakref.WeakKeyDictionary[Throttle, str] = weakref.WeakKeyDictionary()
_lock = threading.Lock()
_written: set[str] = set()
_last: dict[str, str] = {}


def started(settings: Settings) -> None:
    """Has the counters of this process be written from now on, if ``COUNTERS`` says where. Harmless again."""
    if settings.counters is None or settings.throttle in _folders:
        return
    with _lock:
        if settings.throttle in _folders:
            return
        _folders[settings.throttle] = settings.counters
    _looker.add(settings.throttle)


def write(folder: str, throttle: Throttle) -> None:
    """Writes the counters of this process, whole or not at all.

    :raises OSError: the folder cannot be written to.
    """
    path = os.path.join(folder, f"{socket.gethostname()}-{os.getpid()}{_SUFFIX}")
    text = json.dumps(throttle.snapshot())
    if _last.get(path) == text:
        try:
            os.utime(path)
            return
        except FileNotFoundError:
            pass
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if path not in _written:
        _remove_left_behind(folder)
    unfinished = f"{path}.new"
    with open(unfinished, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(unfinished, path)
    _written.add(path)
    _last[path] = text


def read(folder: str) -> list[dict[str, Any]]:
    """The counters of each process that is alive.

    :raises OSError: the folder cannot be read.
    """
    snapshots: list[dict[str, Any]] = []
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if not entry.name.endswith(_SUFFIX):
            continue
        try:
            if time.time() - entry.stat().st_mtime <= _FRESH:
                with open(entry.path, encoding="utf-8") as file:
                    snapshots.append(json.load(file))
        except FileNotFoundError:
            # It has ended meanwhile.
            continue
    return snapshots


def _look(throttle: Throttle) -> float:
    folder = _folders.get(throttle)
    if folder is not None and not throttle.closed:
        try:
            write(folder, throttle)
        except OSError as error:
            LOGGER.warning("the counters could not be written: %s", error)
            return 60.0
    return _EVERY


def _remove_left_behind(folder: str) -> None:
    for entry in os.scandir(folder):
        try:
            if entry.name.endswith(_SUFFIX) and time.time() - entry.stat().st_mtime > _LEFT_BEHIND:
                os.unlink(entry.path)
        except FileNotFoundError:
            continue


def _end() -> None:
    _looker.end()
    for path in _written:
        try:
            os.unlink(path)
        except OSError:
            continue


def _after_fork() -> None:
    """A child has none of the parent's threads, and its file is another."""
    global _lock, _looker
    _lock = threading.Lock()
    _looker = _made()
    _folders.clear()
    _written.clear()
    _last.clear()


def _made() -> Looker:
    return Looker("sqlthrottle-counters", _look)


_looker = _made()
atexit.register(_end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
