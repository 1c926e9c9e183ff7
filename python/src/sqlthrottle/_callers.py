"""Who has asked for what is being sent, where a library does not say so, and may have been imported from by name before anything could
stand in the place of its functions."""

from __future__ import annotations

import sys
from types import CodeType
from typing import Any

__all__ = ["codes_above", "codes_of"]

_MOST = 20
"""Frames between what asks for rows and what sends a statement; more than a library has, as the caller's may lie between."""


def codes_above(skipped: int) -> set[CodeType]:
    """The code of those that call, from the nearest on, without the nearest ones that are to be skipped."""
    codes: set[CodeType] = set()
    frame = sys._getframe(skipped + 1)
    for _ in range(_MOST):
        codes.add(frame.f_code)
        if frame.f_back is None:
            break
        frame = frame.f_back
    return codes


def codes_of(*functions: Any) -> frozenset[CodeType]:
    """The code of functions, of those that a version of a library has."""
    return frozenset(function.__code__ for function in functions if function is not None)
