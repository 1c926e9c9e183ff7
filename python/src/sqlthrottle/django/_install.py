"""Where connections come from: each is guarded as soon as it is made, in whatever thread, and again when it is made anew."""

from __future__ import annotations

import functools
from typing import Any

from django.db.backends.utils import CursorWrapper

from . import _counters, _state
from ._guard import install, installed

__all__ = ["on_connection", "put_in"]

_MARK = "_sqlthrottle_is_in"


def on_connection(connection: Any, **_: object) -> None:
    """Guards a connection that was just made.

    :raises ImproperlyConfigured: the settings have faults. The connection is closed, so that none serves unguarded.
    """
    try:
        install(connection)
    except BaseException:
        connection.close()
        raise
    _counters.started(_state.current())


def put_in() -> None:
    """Has calls of procedures be checked, of which Django tells nobody. Harmless again."""
    method: Any = CursorWrapper.callproc
    if hasattr(method, _MARK):
        return

    @functools.wraps(method)
    def callproc(cursor: Any, procname: Any, *arguments: Any, **options: Any) -> Any:
        guard = installed(cursor.db)
        if guard is None:
            return method(cursor, procname, *arguments, **options)

        def execute(*_: Any) -> Any:
            return method(cursor, procname, *arguments, **options)

        return guard(execute, f"CALL {procname}()", None, False, {"connection": cursor.db, "cursor": cursor})

    setattr(callproc, _MARK, True)
    CursorWrapper.callproc = callproc
