"""The rows of a batch."""

from __future__ import annotations

from collections.abc import Iterable, Sized
from typing import Any

__all__ = ["counted_rows"]


def counted_rows(rows: Iterable[Any] | None) -> tuple[Any, int, Any]:
    """Rows that can be sent after they were counted, their number, and the last one, whose values rules look at."""
    if rows is None:
        return (), 0, None
    sent: Any = rows if isinstance(rows, Sized) else list(rows)
    last = None
    if hasattr(sent, "__getitem__") and len(sent):
        try:
            last = sent[-1]
        except (KeyError, TypeError, IndexError):
            # Counted, but in no order.
            last = None
    return sent, len(sent), last
