"""The counters of all processes: each writes its own into a folder, about once a second, and who wants to see them adds them up.

A site has several workers, and each counts by itself, so a command that asked its own throttle would show nothing.
"""

from __future__ import annotations

import atexit
import json
import os
import socket
import stat
import threading
import time
import weakref
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from .._log import LOGGER
from .._refresh import Looker

if TYPE_CHECKING:
    from .._throttle import Throttle
    from ._settings import Settings

__all__ = ["COUNTERS", "read", "started", "write"]

COUNTERS = ("matched", "passed", "aborted", "ignored", "delayed", "in_use")
"""Those of a rule that are shown."""

_EVERY = 1.0
"""Seconds between two writings."""
_FRESH = 5.0
"""Seconds for which a process may be silent and is still taken for alive."""
_LEFT_BEHIND = 3_600.0
"""Seconds after which the file of a process that was killed is removed."""
_SUFFIX = ".counters.json"
_UNFINISHED = f"{_SUFFIX}.new"
_MOST_FILES = 4_096
_LARGEST = 8 * 1024 * 1024
"""Bytes of a file: of 1,000 rules there are 600 KiB."""

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
    _replace(path, text)
    _written.add(path)
    _last[path] = text


def _replace(path: str, text: str) -> None:
    unfinished = path[: -len(_SUFFIX)] + _UNFINISHED
    # Others may write to the folder, and have put a link there to what they may not write.
    with suppress(FileNotFoundError):
        os.unlink(unfinished)
    try:
        with open(unfinished, "x", encoding="utf-8") as file:
            file.write(text)
        os.replace(unfinished, path)
    except OSError:
        with suppress(OSError):
            os.unlink(unfinished)
        raise


def read(folder: str) -> list[dict[str, Any]]:
    """The counters of each process that is alive. What is no file of counters, though it has such a name, is passed over.

    :raises OSError: the folder cannot be read.
    """
    now = time.time()
    with os.scandir(folder) as entries:
        names = sorted(islice((entry.name for entry in entries if entry.name.endswith(_SUFFIX)), _MOST_FILES))
    read = (_read(os.path.join(folder, name), now) for name in names)
    return [snapshot for snapshot in read if snapshot is not None]


def _read(path: str, now: float) -> dict[str, Any] | None:
    try:
        # What is no file is not waited for.
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode) or now - about.st_mtime > _FRESH:
                return None
            text = file.read(_LARGEST + 1)
        return _checked(json.loads(text)) if len(text) <= _LARGEST else None
    except (OSError, ValueError, RecursionError):
        # It has ended meanwhile, or is none of ours.
        return None


def _checked(snapshot: Any) -> dict[str, Any] | None:
    try:
        rules = [(rule["name"], *(rule[counter] for counter in COUNTERS)) for rule in snapshot["rules"]]
    except (TypeError, LookupError):
        return None
    is_sound = all(isinstance(name, str) and all(isinstance(count, int) for count in counts) for name, *counts in rules)
    return cast("dict[str, Any]", snapshot) if is_sound else None


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
    with os.scandir(folder) as entries:
        for entry in entries:
            # Those of others cannot be removed in every folder.
            with suppress(OSError):
                if entry.name.endswith((_SUFFIX, _UNFINISHED)):
                    about = entry.stat(follow_symlinks=False)
                    if not stat.S_ISDIR(about.st_mode) and time.time() - about.st_mtime > _LEFT_BEHIND:
                        os.unlink(entry.path)


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
