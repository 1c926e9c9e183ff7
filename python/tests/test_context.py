"""The ambient context reaches every statement beneath it."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable

import pytest

import sqlthrottle
from sqlthrottle import Throttle

SQL = "select 1"


@pytest.fixture
def throttle() -> Throttle:
    return Throttle(
        """
        rules:
          - {name: ann, match: {user: ann}, limit: {unlimited: true}}
          - {name: bob, match: {user: bob}, limit: {unlimited: true}}
          - {name: both, match: {tags: {a: "1", b: "2"}}, limit: {block: true}}
          - {name: shop, match: {databases: [shop]}, limit: {block: true}}
          - {name: asked, on: request, match: {user: ann}, limit: {block: true}}
        """
    )


def test_it_holds_within_and_is_over_behind(throttle: Throttle) -> None:
    prepared = throttle.prepare(SQL)
    with sqlthrottle.context(user="ann"):
        assert throttle.check(SQL).rule == "ann" and prepared.check().rule == "ann"
        assert throttle.check_request().rule == "asked"
        with throttle.guard(SQL) as guard:
            assert guard.decision.rule == "ann"
    assert throttle.check(SQL).rule is None and prepared.check().rule is None and throttle.check_request().rule is None


def test_what_a_check_says_goes_before_it_and_inner_before_outer(throttle: Throttle) -> None:
    prepared = throttle.prepare(SQL, user="bob")
    with sqlthrottle.context(user="ann", tags={"a": "1", "b": "1"}):
        assert throttle.check(SQL, user="bob").rule == "bob" and prepared.check().rule == "bob"
        with sqlthrottle.context(user="", tags={"b": b"2"}):
            assert throttle.check(SQL).rule == "both"
            assert throttle.check(SQL, tags={"b": "3"}).rule is None
            assert throttle.check(SQL, tags={"c": "3"}, user="ann").rule == "ann"
            with sqlthrottle.context(database="shop", user="bob"):
                assert throttle.check(SQL).rule == "bob"
        assert throttle.check(SQL).rule == "ann"


def test_it_is_over_however_it_ends(throttle: Throttle) -> None:
    with pytest.raises(ZeroDivisionError), sqlthrottle.context(user="ann"):
        raise ZeroDivisionError
    assert throttle.check(SQL).rule is None
    with pytest.raises(TypeError, match="user"), sqlthrottle.context(user=7):  # type: ignore[arg-type]
        raise AssertionError


def test_it_goes_where_context_variables_go(throttle: Throttle) -> None:
    async def rule() -> str | None:
        await asyncio.sleep(0)
        return throttle.check(SQL).rule

    async def of(user: str) -> tuple[str | None, str | None]:
        with sqlthrottle.context(user=user):
            inner = asyncio.create_task(rule())
            return await asyncio.to_thread(lambda: throttle.check(SQL).rule), await inner

    async def main() -> None:
        assert await asyncio.gather(of("ann"), of("bob"), rule()) == [("ann", "ann"), ("bob", "bob"), None]

    asyncio.run(main())
    with sqlthrottle.context(user="ann"):
        seen: list[str | None] = []
        check = lambda: seen.append(throttle.check(SQL).rule)  # noqa: E731
        for target in (check, lambda run=contextvars.copy_context().run: run(check)):
            thread = threading.Thread(target=target)
            thread.start()
            thread.join()
        assert seen[1] == "ann"


def test_none_is_looked_up_before_one_was_opened(run: Callable[..., str]) -> None:
    run(
        """
        import sqlthrottle
        throttle = sqlthrottle.Throttle("rules: [{name: a, match: {user: a}, limit: {block: true}}]")
        sqlthrottle._native.set_ambient
        assert throttle.check("select 1").allowed
        with sqlthrottle.context(user="a"):
            assert not throttle.check("select 1").allowed
        """
    )


def test_integrations_are_handed_no_decision_of_what_passes_in_a_context_either() -> None:
    with sqlthrottle.Throttle("rules: [{name: two, match: {user: dev}, limit: {token_bucket: {capacity: 2, rate: 1/h}}}]") as throttle:
        prepared = throttle.prepare("select 1 from users")
        assert prepared._unless_passed() is None
        with sqlthrottle.context(user="dev"):
            assert prepared._unless_passed() is None and prepared._unless_passed_unsettled() is None
            refused = prepared._unless_passed()
        assert refused is not None and refused.rule == "two"
        throttle.reload("rules: [{name: place, limit: {concurrency: {max: 1}}}]")
        with sqlthrottle.context(user="dev"):
            held = prepared._unless_passed()
        assert held is not None and held.allowed and throttle.release(held)
