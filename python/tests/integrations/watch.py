"""What a throttle has done."""

from __future__ import annotations

from typing import Any

import sqlthrottle


def held(throttle: sqlthrottle.Throttle) -> int:
    """The places that are held."""
    return sum(rule["in_use"] for rule in throttle.snapshot()["rules"])


def counted(throttle: sqlthrottle.Throttle, rule: str) -> dict[str, Any]:
    """The counters of a rule."""
    return next(counters for counters in throttle.snapshot()["rules"] if counters["name"] == rule)
