"""Which error a framework has answered for by a 500. Flask and Django keep it to themselves, but signal it; nothing of them is imported.

Without a signal, a 500 beneath which a statement was refused is taken to stand for that.
"""

from __future__ import annotations

import sys
from typing import Any

from ._http import aborted_in
from .._told import BENEATH

__all__ = ["listen"]

_left = {"flask.signals", "django.core.signals"}


def listen() -> None:
    """Listens to those frameworks that are imported by now. Harmless again."""
    for name in tuple(_left):
        module = sys.modules.get(name)
        signal = getattr(module, "got_request_exception", None)
        if signal is not None:
            _left.discard(name)
            signal.connect(_got_request_exception)


def _got_request_exception(sender: Any, **said: Any) -> None:
    """Receives the signal while the error is handled, in the context of its request."""
    beneath = BENEATH.get()
    if beneath is not None:
        # Django names none.
        aborted = aborted_in(said.get("exception") or sys.exc_info()[1])
        beneath.tell(None if aborted is None else aborted.decision)
