from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator

import pytest

import sqlthrottle

ONE_AT_ONCE = {"rules": [{"name": "one", "limit": {"concurrency": {"max": 1}}}]}


@pytest.fixture
def clock() -> sqlthrottle.ManualClock:
    return sqlthrottle.ManualClock()


@pytest.fixture
def one_at_once() -> Iterator[sqlthrottle.Throttle]:
    """A throttle that lets one statement run at a time."""
    with sqlthrottle.Throttle(ONE_AT_ONCE) as throttle:
        yield throttle
        assert in_use(throttle) == 0, "a place is still held"


@pytest.fixture
def run() -> Callable[..., str]:
    """Runs a program in an interpreter of its own, and returns what it writes."""

    def run(program: str, *arguments: str, exit_code: int = 0) -> str:
        command = [sys.executable, "-W", "error", "-c", textwrap.dedent(program), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == exit_code, done.stderr
        return done.stdout

    return run


def in_use(throttle: sqlthrottle.Throttle) -> int:
    """The places that are held."""
    return sum(rule["in_use"] for rule in throttle.snapshot()["rules"])
