"""How a thread waits that runs for a task: by the loop of that task, so that it ends with it.

The asynchronous ORM, and synchronous views under ASGI, send their statements from a thread that ``sync_to_async`` hands them to. A
thread that sleeps cannot be told that its task was cancelled. One that has the loop sleep is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine
from typing import Any

from asgiref.sync import SyncToAsync, async_to_sync

from .._native import Decision

__all__ = ["waiter"]


def waiter() -> Callable[[Coroutine[Any, Any, Decision]], Decision] | None:
    """What runs a coroutine on the loop for which this thread runs; none where it runs for no loop."""
    local: Any = SyncToAsync.threadlocal
    loop = getattr(local, "main_event_loop", None)
    if loop is None or not loop.is_running() or getattr(local, "main_event_loop_pid", None) != os.getpid():
        return None
    return _wait


def _wait(settling: Coroutine[Any, Any, Decision]) -> Decision:
    async def settled() -> Decision:
        return await settling

    return async_to_sync(settled)()
