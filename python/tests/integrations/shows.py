"""What a test shows, for the table in the documentation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")

COLUMNS = ("abort", "ignore", "delay", "cancel", "stream", "batch", "transaction", "permits")
"""What each integration is tested for: the names of the tests of a row, behind ``test_``."""


def shows(text: str) -> Callable[[_T], _T]:
    """Of a class, how the documentation calls its row; of a test, what stands in its cell."""

    def mark(shown: _T) -> _T:
        shown.shows = text  # type: ignore[attr-defined]
        return shown

    return mark


def table(rows: list[type]) -> str:
    lines = [f"| | {' | '.join(COLUMNS)} |", "|" + " --- |" * (len(COLUMNS) + 1)]
    for row in rows:
        cells = (getattr(row, f"test_{column}").shows for column in COLUMNS)
        lines.append(f"| {row.__dict__['shows']}, `{row.__name__}` | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
