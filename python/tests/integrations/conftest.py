from __future__ import annotations

from collections.abc import Iterator

import pytest
from shop import RULES
from watch import held

import sqlthrottle


@pytest.fixture
def throttle() -> Iterator[sqlthrottle.Throttle]:
    """Rules by table. However a test ends, no place is held."""
    with sqlthrottle.Throttle(RULES, refresh=False) as throttle:
        yield throttle
        assert held(throttle) == 0, "a place is still held"


