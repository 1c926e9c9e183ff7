"""What is in force in this process: the settings as they were read, and their throttle."""

from __future__ import annotations

import threading

from django.core.exceptions import ImproperlyConfigured

from .._throttle import Throttle
from ._settings import NAME, Settings, read

__all__ = ["current", "forget", "in_force", "throttle"]

# What the settings name is imported while they are read, and may send a statement, which asks for them again.
_lock = threading.RLock()
_reads = False
_current: Settings | None = None


def current() -> Settings:
    """The settings, which are read once.

    :raises ImproperlyConfigured: they have faults, all of which it names. ``manage.py check`` names them too.
    """
    global _current, _reads
    settings = _current
    if settings is None:
        with _lock:
            settings = _current
            if settings is None:
                if _reads:
                    raise ImproperlyConfigured(f"{NAME} names a module that sends a statement when it is imported.")
                _reads = True
                try:
                    settings, faults = read()
                finally:
                    _reads = False
                if settings is None:
                    raise ImproperlyConfigured("\n".join(_line(fault.msg, fault.hint) for fault in faults))
                _current = settings
    return settings


def in_force() -> Settings | None:
    """The settings as they were read; none where they are to be read yet."""
    return _current


def throttle() -> Throttle:
    """The throttle of this process, as ``SQL_THROTTLE`` says it.

    :raises ImproperlyConfigured: the setting has faults, all of which it names.
    """
    return current().throttle


def forget() -> None:
    """Has the settings read anew. A throttle that was opened by them before is forgotten, and ends with its last statement."""
    global _current
    with _lock:
        _current = None


def _line(message: str, hint: str | None) -> str:
    return message if hint is None else f"{message} {hint}"
