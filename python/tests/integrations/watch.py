"""The throttle of a test, and what it has done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from shop import RULES

import sqlthrottle


@pytest.fixture
def throttle() -> Iterator[sqlthrottle.Throttle]:
    """Rules by table. However a test ends, no place is held."""
    with sqlthrottle.Throttle(RULES, refresh=False) as throttle:
        yield throttle
        assert held(throttle) == 0, "a place is still held"


def held(throttle: sqlthrottle.Throttle) -> int:
    """The places that are held."""
    return sum(rule["in_use"] for rule in throttle.snapshot()["rules"])


def counted(throttle: sqlthrottle.Throttle, rule: str) -> dict[str, Any]:
    """The counters of a rule."""
    return next(counters for counters in throttle.snapshot()["rules"] if counters["name"] == rule)
