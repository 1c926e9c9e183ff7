"""What a refusal looks like over HTTP, and which errors are one."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import sqlthrottle.asgi
import sqlthrottle.wsgi
from sqlthrottle import StatementAborted, Throttle
from sqlthrottle._web._http import aborted_in, rate_limit, refusal

SQL = "select secret from accounts where id = 4711"


def refused(limit: str, *, on: str = "statement", name: str = "r") -> sqlthrottle.Decision:
    throttle = Throttle(
        f"rules: [{{name: {json.dumps(name)}, 'on': {on}, limit: {limit}}}]", clock=sqlthrottle.ManualClock(), refresh=False
    )
    for _ in range(3):
        decision = throttle.check(SQL) if on == "statement" else throttle.check_request()
    assert decision.verdict is sqlthrottle.Verdict.ABORT
    return decision


def retry_after(decision: sqlthrottle.Decision) -> str | None:
    return dict(refusal(decision).headers).get("Retry-After")


def test_retry_after_is_whole_seconds_and_at_least_one() -> None:
    soon = refused("{token_bucket: {capacity: 1, rate: 1000/s}}")
    assert soon.retry_after is not None and soon.retry_after < 0.1
    assert retry_after(soon) == "1"
    later = refused("{token_bucket: {capacity: 1, rate: 7/m}}")
    assert later.retry_after is not None and 8.5 < later.retry_after < 8.6
    assert retry_after(later) == "9"
    assert retry_after(refused("{block: true}")) is None


@pytest.mark.parametrize("status", [429, 503])
def test_a_refusal_names_no_statement_and_no_rule_unless_it_is_asked_to(status: int) -> None:
    decision = refused("{token_bucket: {capacity: 1, rate: 1/m}}", name="by-night")
    said = refusal(decision, status=status)
    assert said.status == status and said.status_line == f"{status} {said.reason}"
    assert ("Content-Type", "application/problem+json") in said.headers
    assert ("Cache-Control", "no-store") in said.headers
    assert ("Content-Length", str(len(said.body))) in said.headers
    problem = json.loads(said.body)
    assert problem["status"] == status and set(problem) == {"type", "title", "status"}
    named = refusal(decision, status=status, rate_limit_headers=True)
    assert json.loads(named.body)["violated-policies"] == ["by-night"]
    for word in ("secret", "accounts", "4711", str(decision.fingerprint)[:12]):
        assert word not in repr(said) + repr(named)
    assert "by-night" not in repr(said)


@pytest.mark.parametrize("option", ("user", "client", "tags"))
@pytest.mark.parametrize("kind", (sqlthrottle.asgi.Middleware, sqlthrottle.wsgi.Middleware))
def test_who_sends_a_request_is_said_by_a_function(kind: Any, option: str) -> None:
    with pytest.raises(TypeError, match=f"{option} is a function"):
        kind(None, Throttle(), **{option: "bob"})


def test_rate_limit_headers_are_structured_fields() -> None:
    assert rate_limit(refused("{block: true}")) == [("RateLimit", '"r";r=0')]
    of_request = dict(rate_limit(refused("{sliding_window: {max: 1, window: 60s}}", on="request", name='a "b" \\ ü')))
    assert re.fullmatch(r'"a \\"b\\" \\\\ \?";r=0;t=\d+', of_request["RateLimit"])
    assert of_request["RateLimit-Policy"] == '"a \\"b\\" \\\\ ?";q=1'
    # The quota of a statement is none of requests.
    assert [name for name, _ in rate_limit(refused("{sliding_window: {max: 1, window: 60s}}"))] == ["RateLimit"]
    assert rate_limit(Throttle(refresh=False).check_request()) == []


def test_retry_after_is_not_before_the_end_of_the_window() -> None:
    decision = refused("{sliding_window: {max: 1, window: 60s}}", on="request")
    headers = dict(refusal(decision, rate_limit_headers=True).headers)
    assert headers["RateLimit"].endswith(f";t={headers['Retry-After']}")


class TestAbortedIn:
    @pytest.fixture
    def aborted(self) -> StatementAborted:
        return StatementAborted(refused("{block: true}"))

    def test_it_is_found_in_causes_contexts_and_groups(self, aborted: StatementAborted) -> None:
        def raised(*, by: str) -> BaseException:
            try:
                try:
                    raise aborted
                except StatementAborted as error:
                    if by == "cause":
                        raise LookupError from error
                    if by == "none":
                        raise LookupError from None
                    raise LookupError
            except LookupError as error:
                return error

        assert aborted_in(aborted) is aborted
        assert aborted_in(raised(by="cause")) is aborted
        assert aborted_in(raised(by="context")) is aborted
        # Whoever says so has it come of nothing.
        assert aborted_in(raised(by="none")) is None
        assert aborted_in(None) is None

    def test_it_is_found_in_groups(self, aborted: StatementAborted) -> None:
        group = type("Group", (Exception,), {"exceptions": (ValueError(), aborted)})()
        assert aborted_in(group) is aborted

    def test_a_circle_ends(self) -> None:
        one, two = LookupError(), ValueError()
        one.__cause__, two.__cause__ = two, one
        assert aborted_in(one) is None

    def test_a_strange_error_is_none(self) -> None:
        class Strange(Exception):
            exceptions = ("no error", 1)

        assert aborted_in(Strange()) is None
