"""Thresholds that come from elsewhere than the rule file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import timedelta
from fractions import Fraction
from typing import Any, Protocol, Union

from ._names import Strategy

__all__ = ["Threshold", "ThresholdAnswer", "ThresholdProvider"]


@dataclass(frozen=True)
class Threshold:
    """A limit on identical statements in a sliding window."""

    max_count: int
    """Most statements sent in any interval of the window: 1 to 60,000,000."""
    window: float | timedelta = 60.0
    """Seconds: up to 366 days, and at least a millisecond a bucket."""
    buckets: int = 12
    """How many parts the window is counted in: 1 to 240."""
    rate: str | Fraction | int = "1"
    """The part of over-limit statements that the strategy is applied to: ``"2/3"``."""
    strategy: str = Strategy.ABORT
    """A :class:`Strategy`, or ``custom:NAME``."""
    delay: float | timedelta | None = None
    """Seconds to wait, up to an hour; none to wait until there is room. Of the strategy ``delay``."""
    max_delay: float | timedelta = 10.0
    """The longest wait until there is room, in seconds."""
    max_delayed: int = 100
    """How many statements may wait at once: 1 to 100,000."""


# At run time, where Python 3.10 joins no name of a class that is still a text.
ThresholdAnswer = Union[int, Threshold, Mapping[str, Any], None]
"""What a provider says of a fingerprint: a maximum for 60 seconds, a threshold, or its fields; none where there is no threshold."""


class ThresholdProvider(Protocol):
    """Says the threshold of a fingerprint: any callable, such as a function that looks into a table.

    It is asked at the first sight of a fingerprint, in the thread that checks, which waits for it, and again in a thread of its own
    once what it said is as old as ``time_to_live`` says. Where it raises, what it said before holds, and the failure is counted.
    """

    def __call__(self, fingerprint: str, /) -> ThresholdAnswer:
        """The threshold of a fingerprint, which is given by its hexadecimal digits."""
        ...


def threshold(answer: ThresholdAnswer) -> Threshold | None:
    """What a provider has said, as a threshold."""
    if answer is None or isinstance(answer, Threshold):
        return answer
    if isinstance(answer, int) and not isinstance(answer, bool):
        return Threshold(answer)
    if isinstance(answer, Mapping):
        unknown = set(answer) - {field.name for field in fields(Threshold)}
        if unknown:
            raise TypeError(f"a threshold has no {', '.join(sorted(map(str, unknown)))}")
        return Threshold(**answer)
    raise TypeError(f"a provider of thresholds returns int, Threshold, a mapping or None, not {type(answer).__name__}")
