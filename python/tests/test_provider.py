"""A provider says thresholds; where it fails, what it said before holds."""

from __future__ import annotations

import logging
from fractions import Fraction
from typing import Any

import pytest

import sqlthrottle
from sqlthrottle import ManualClock, Threshold, Throttle, Verdict

SQL = "select * from users where id = 7"


class Provider:
    """Answers as it is told, and takes note of what it was asked for."""

    time_to_live = 30.0

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def __call__(self, fingerprint: str) -> Any:
        self.asked.append(fingerprint)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    "answer",
    [1, Threshold(1), {"max_count": 1, "window": 60, "rate": Fraction(1, 1), "strategy": "abort"}],
)
def test_it_is_asked_at_first_sight_alone(answer: object, clock: ManualClock) -> None:
    provider = Provider(answer)
    throttle = Throttle(provider=provider, clock=clock, refresh=False)
    decisions = [throttle.check(SQL) for _ in range(3)]
    assert [decision.allowed for decision in decisions] == [True, False, False]
    assert provider.asked == [throttle.fingerprint(SQL)]
    assert decisions[0].rule == f"threshold:{provider.asked[0][:12]}"
    assert throttle.prepare("select 2").check().allowed and len(provider.asked) == 2


def test_it_may_have_none(clock: ManualClock) -> None:
    throttle = Throttle("default_threshold: 1", provider=Provider(None), clock=clock, refresh=False)
    assert throttle.check(SQL).rule == "default_threshold" and not throttle.check(SQL).allowed


def test_strategies_are_taken(clock: ManualClock) -> None:
    for threshold, verdict in (
        (Threshold(1, strategy="ignore"), Verdict.IGNORE),
        (Threshold(1, strategy="delay", delay=0.1), Verdict.DELAY),
        (Threshold(1, strategy=sqlthrottle.Strategy.DELAY, max_delay=3600.0), Verdict.DELAY),
        (Threshold(1, strategy="custom:mine"), Verdict.ABORT),
    ):
        throttle = Throttle(provider=Provider(threshold), clock=clock, refresh=False)
        throttle.check(SQL)
        decision = throttle.check(SQL, fakes="rows")
        assert decision.verdict is verdict and decision.custom == ("mine" if verdict is Verdict.ABORT else None)


@pytest.mark.parametrize(
    "failure",
    [
        ValueError("down"),
        "1",
        True,
        0,
        -1,
        2**40,
        {"max": 1},
        Threshold(1, rate="3/2"),
        Threshold(1, strategy="none"),
        Threshold(1, window=float("nan")),
        Threshold(1, window="1s"),  # type: ignore[arg-type]
    ],
)
def test_a_failure_is_counted_and_logged_and_bridged(
    failure: object, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    provider = Provider(1)
    throttle = Throttle(provider=provider, clock=clock, refresh=False)
    throttle.check(SQL)
    provider.answer = failure
    clock.advance(31)
    with caplog.at_level(logging.WARNING, "sqlthrottle"):
        throttle.refresh()
        assert len(provider.asked) == 2 and throttle.snapshot()["provider_failures"] == 1
        assert not throttle.check(SQL).allowed, "what it said before holds"
        assert throttle.check("select 2").allowed and throttle.snapshot()["provider_failures"] == 2
    assert len(caplog.records) == 1, "said once, and not for each"
    assert SQL not in caplog.text
    assert throttle.snapshot()["guard_errors"] == 0


def test_an_interrupt_is_the_programs(clock: ManualClock) -> None:
    provider = Provider(KeyboardInterrupt())
    throttle = Throttle(provider=provider, clock=clock, refresh=False)
    with pytest.raises(KeyboardInterrupt):
        throttle.check(SQL)
    assert throttle.check(SQL).allowed and len(provider.asked) == 1


def test_it_may_send_sql_that_it_throttles_itself(clock: ManualClock) -> None:
    asked = []

    def provider(fingerprint: str) -> int:
        asked.append(fingerprint)
        assert throttle.check("select max_count from thresholds").allowed
        return 1

    throttle = Throttle(provider=provider, clock=clock, refresh=False)
    assert throttle.check(SQL).allowed and len(asked) == 1


def test_what_cannot_be_called_is_refused() -> None:
    answers: Any = {"a": 1}
    with pytest.raises(TypeError, match="dict is not callable"):
        Throttle(provider=answers)


def test_what_is_due_is_renewed(clock: ManualClock) -> None:
    provider = Provider(1)
    throttle = Throttle(provider=provider, clock=clock, refresh=False)
    throttle.check(SQL)
    provider.answer = 1000
    throttle.refresh()
    assert len(provider.asked) == 1
    clock.advance(31)
    throttle.refresh()
    assert len(provider.asked) == 2 and throttle.check(SQL).limit == 1000
