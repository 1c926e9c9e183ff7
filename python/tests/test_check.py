"""What a check takes, and what a decision says."""

from __future__ import annotations

import collections
import copy
import datetime
import decimal
import enum
import pickle
import types
import uuid

import pytest

import sqlthrottle
from sqlthrottle import Reason, Throttle, Verdict

TWICE = "default_threshold: {max_count: 2, window: 10s, buckets: 10}"
SQL = "select * from users where id = 7"


def test_a_decision_says_all_that_the_engine_does(clock: sqlthrottle.ManualClock) -> None:
    throttle = Throttle(TWICE, clock=clock)
    first = throttle.check(SQL)
    assert (first.verdict, first.reason, first.allowed) == (Verdict.ALLOW, Reason.ALLOWED, True)
    assert (first.rule, first.count, first.limit) == ("default_threshold", 1, 2)
    assert first.retry_after is None and first.delay is None and first.observed is None and first.custom is None
    assert not first.overflow and not first.has_permit and not first.has_ticket
    assert first.fingerprint == throttle.fingerprint("SELECT * FROM users WHERE id = 8") and len(first.fingerprint) == 64
    throttle.check(SQL)
    third = throttle.check(SQL)
    assert (third.verdict, third.reason, third.allowed) == (Verdict.ABORT, Reason.OVER_LIMIT, False)
    assert (third.count, third.limit, third.retry_after) == (3, 2, 11.0)
    clock.advance(datetime.timedelta(seconds=11))
    assert throttle.check(SQL).allowed


def test_verdicts_and_reasons_are_their_names() -> None:
    decision = Throttle().check(SQL)
    assert decision.verdict == "allow" and f"{decision.verdict}" == "allow" and str(decision.reason) == "allowed"
    assert decision.verdict is Verdict.ALLOW and {"allow": 1}[decision.verdict] == 1


def test_a_decision_is_neither_true_nor_false_and_does_not_change() -> None:
    decision = Throttle().check(SQL)
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(decision)
    with pytest.raises(AttributeError):
        decision.verdict = Verdict.ABORT  # type: ignore[misc]
    with pytest.raises(AttributeError):
        decision.more = 1  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        sqlthrottle.Decision()


def test_a_decision_that_somebody_has_is_not_written_again() -> None:
    throttle = Throttle("default_threshold: {max_count: 100, window: 1h}")
    prepared = throttle.prepare(SQL)
    kept = []
    for _ in range(10):
        throttle.check(SQL)
        kept.append(throttle.check(SQL))
        prepared.check()
        kept.append(prepared.check())
    assert [decision.count for decision in kept] == list(range(2, 42, 2))
    decision = kept[-1]
    kept.clear()
    assert throttle.check(SQL).count == 41 and decision.count == 40


def test_decisions_compare_and_hash_by_what_they_say(clock: sqlthrottle.ManualClock) -> None:
    first, other = (Throttle(TWICE, clock=clock).check(SQL) for _ in range(2))
    assert first == other and hash(first) == hash(other) and len({first, other}) == 1
    throttle = Throttle(TWICE, clock=clock)
    throttle.check(SQL)
    assert first != throttle.check(SQL)
    assert first != "allow"


def test_a_decision_prints_without_the_statement() -> None:
    throttle = Throttle("default_threshold: 1")
    throttle.check("select secret")
    text = repr(throttle.check("select secret"))
    assert "abort" in text and "over_limit" in text and "'default_threshold'" in text.replace('"', "'") and "2 of 1" in text
    assert "secret" not in text


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_decisions_of_every_kind_are_pickled(protocol: int, clock: sqlthrottle.ManualClock) -> None:
    rules = """
        default_threshold: 1
        thresholds: {123456789abc: 1}
        rules:
          - {name: held, match: {tables: held}, limit: {concurrency: {max: 1}}}
          - {name: slow, match: {tables: slow}, limit: {block: true}, then: {strategy: delay, delay: 1s}}
          - {name: own, match: {tables: own}, limit: {block: true}, then: {strategy: "custom:mine"}}
          - {name: seen, match: {tables: seen}, limit: {block: true}, mode: observe}
    """
    throttle = Throttle(rules, clock=clock)
    kinds = [throttle.check(f"select * from {table}") for table in ("held", "held", "slow", "own", "seen", "other", "other")]
    kinds += [throttle.check_request(), throttle.check("begin")]
    assert {decision.verdict for decision in kinds} == {Verdict.ALLOW, Verdict.ABORT, Verdict.DELAY}
    for decision in kinds:
        again = pickle.loads(pickle.dumps(decision, protocol))
        assert again == decision and repr(again) == repr(decision)
        assert copy.copy(decision) == decision and copy.deepcopy(decision) == decision
    assert throttle.release(pickle.loads(pickle.dumps(kinds[0], protocol))), "it is the process's own"


def test_the_context_of_a_check_is_matched_and_counted_by() -> None:
    throttle = Throttle(
        """
        rules:
          - {name: users, match: {user: "dev@10.%"}, per: [user], limit: {fixed_window: {max: 1, window: 1h}}}
          - {name: shop, match: {databases: [shop]}, limit: {block: true}}
          - {name: tag, match: {tags: {endpoint: report}}, limit: {block: true}}
        """
    )
    assert throttle.check(SQL).rule is None
    assert throttle.check(SQL, user="dev", client="10.0.0.7").rule == "users"
    assert throttle.check(SQL, user=b"dev", client="10.0.0.8").verdict is Verdict.ABORT
    assert throttle.check(SQL, user="dev", client="11.0.0.8").rule is None
    assert throttle.check(SQL, database="shop").rule == "shop"
    assert throttle.check(SQL, tags={"endpoint": "report"}).rule == "tag"
    assert throttle.check(SQL, tags=types.MappingProxyType({"endpoint": "report"})).rule == "tag"
    assert throttle.check(SQL, tags={f"t{i}": "x" for i in range(40)} | {"endpoint": "report"}).rule == "tag"
    assert throttle.check(SQL, tags={}).rule is None


class Status(enum.IntEnum):
    OPEN = 42


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("42", "42"),
        (b"42", "42"),
        (42, "42"),
        (Status.OPEN, "42"),
        (-(10**30), "-1000000000000000000000000000000"),
        (True, "true"),
        (1.5, "1.5"),
        (decimal.Decimal("1.50"), "1.50"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (datetime.date(2026, 1, 2), "2026-01-02"),
        (datetime.datetime(2026, 1, 2, 3, 4, 5), "2026-01-02 03:04:05"),
        ("\ud800", "\ufffd"),
    ],
)
def test_bound_parameters_are_read_as_constants_would_be(value: object, written: str) -> None:
    throttle = Throttle({"rules": [{"name": "c", "match": {"columns": {"orders.id": [written]}}, "limit": {"block": True}}]})
    assert throttle.reads_params
    sql = "select * from orders where id = %s"
    assert throttle.check(sql, params=[value]).rule == "c"
    assert throttle.check(sql, params=(value,)).rule == "c"
    assert throttle.check(sql, params=["other"]).rule is None
    assert throttle.check(sql, params=[None]).rule is None
    assert throttle.check(sql, params=[object()]).rule is None
    assert throttle.check(sql).rule is None


def test_dialect_weight_and_fakes_belong_to_the_statement() -> None:
    throttle = Throttle(
        """
        rules:
          - {name: weighed, match: {tables: t}, limit: {token_bucket: {capacity: 10, rate: 1/h}}}
          - {name: ignored, match: {tables: i}, limit: {block: true}, then: {strategy: ignore}}
        """
    )
    assert throttle.check("select * from t", weight=11).reason is Reason.NEVER
    assert throttle.check("select * from t", weight=10).allowed
    assert not throttle.check("select * from t").allowed
    assert throttle.check("select * from i").reason is Reason.IGNORE_UNAVAILABLE
    assert throttle.check("select * from i", fakes="rows").verdict is Verdict.IGNORE
    assert throttle.check("select * from i", fakes=sqlthrottle.Fakes.COUNT).reason is Reason.IGNORE_UNAVAILABLE
    assert throttle.check("delete from i", fakes=sqlthrottle.Fakes.ROWS_AND_COUNT).verdict is Verdict.IGNORE
    quoted = 'select "a" from u'
    assert throttle.check(quoted, dialect="mysql").fingerprint != throttle.check(quoted).fingerprint
    assert throttle.check(quoted, dialect=sqlthrottle.Dialect.MYSQL).fingerprint == throttle.fingerprint(quoted, dialect="mysql")


def test_requests_are_asked_without_sql() -> None:
    throttle = Throttle("rules: [{name: r, on: request, per: ['tag:tenant'], limit: {concurrency: {max: 1}}}]")
    held = throttle.check_request(tags={"tenant": "acme"})
    assert held.allowed and held.fingerprint is None
    assert throttle.check_request(tags={"tenant": "acme"}).verdict is Verdict.ABORT
    assert throttle.check_request(tags={"tenant": "other"}).allowed
    assert throttle.release(held) and not throttle.release(held)
    assert throttle.check_request(tags={"tenant": "acme"}).allowed


def test_a_delayed_statement_is_resumed_once(clock: sqlthrottle.ManualClock) -> None:
    rules = "rules: [{name: slow, limit: {block: true}, then: {strategy: delay, delay: 100ms, max_delayed: 1}}]"
    throttle = Throttle(rules, clock=clock)
    delayed = throttle.check(SQL)
    assert (delayed.verdict, delayed.delay, delayed.has_ticket) == (Verdict.DELAY, 0.1, True)
    assert throttle.check(SQL).reason is Reason.MAX_DELAYED
    clock.advance(0.1)
    assert throttle.resume(delayed).allowed
    assert throttle.resume(delayed).verdict is Verdict.ABORT
    given_up = throttle.check(SQL)
    assert throttle.give_up(given_up) and not throttle.give_up(given_up)
    assert throttle.check(SQL).verdict is Verdict.DELAY
    allowed = Throttle().check(SQL)
    assert throttle.resume(allowed) is allowed and not throttle.give_up(allowed) and not throttle.release(allowed)


def test_a_prepared_statement_goes_by_what_it_was_prepared_with() -> None:
    throttle = Throttle("rules: [{name: u, match: {user: dev}, limit: {token_bucket: {capacity: 3, rate: 1/h}}}]")
    prepared = throttle.prepare(SQL, user="dev", params=iter([1]), weight=2)
    assert prepared.throttle is throttle and prepared.faked == "rows"
    assert prepared.check().allowed and prepared.check(weight=1).allowed and not prepared.check(weight=1).allowed
    throttle.reload("rules: [{name: i, match: {user: dev}, limit: {block: true}, then: {strategy: ignore}}]")
    assert prepared.check().reason is Reason.IGNORE_UNAVAILABLE
    assert prepared.check(fakes="rows").verdict is Verdict.IGNORE
    with prepared.guard(fakes="rows") as guard:
        assert guard.ignored


def test_arguments_that_are_wrong_are_said() -> None:
    throttle = Throttle()
    for wrong in (None, 7, bytearray(b"select"), object()):
        with pytest.raises(TypeError, match="sql must be str or bytes"):
            throttle.check(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="user must be str or bytes, not int"):
        throttle.check(SQL, user=7)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="the value of a tag"):
        throttle.check(SQL, tags={"a": 7})  # type: ignore[dict-item]
    with pytest.raises(TypeError):
        throttle.check(SQL, params=7)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="usr"):
        throttle.check(SQL, usr="dev")  # type: ignore[call-arg]
    with pytest.raises(sqlthrottle.ArgumentError, match="mariadb") as unknown:
        throttle.check(SQL, dialect="mariadb")
    assert unknown.value.code == "argument.value" and isinstance(unknown.value, ValueError)
    with pytest.raises(sqlthrottle.ArgumentError, match="rows_and_count"):
        throttle.check(SQL, fakes="all")
    for weight in (-1, 0, 2**32, 10**30):
        with pytest.raises(sqlthrottle.ArgumentError, match=f"1 to 4294967295, and not {weight}"):
            throttle.check(SQL, weight=weight)
        with pytest.raises(sqlthrottle.ArgumentError):
            throttle.prepare(SQL, weight=weight)
        with pytest.raises(sqlthrottle.ArgumentError):
            throttle.prepare(SQL).check(weight=weight)
    for ask in (throttle.check, throttle.prepare, throttle._check_unsettled):
        with pytest.raises(TypeError, match="weight"):
            ask(SQL, weight="many")  # type: ignore[arg-type]
        for params in ("42", b"42", {"id": 42}, types.MappingProxyType({"id": 42})):
            with pytest.raises(TypeError, match="in the order of their places"):
                ask(SQL, params=params)  # type: ignore[arg-type]


def test_what_a_parameter_raises_is_raised() -> None:
    class Broken(collections.UserList[object]):
        def __iter__(self) -> object:  # type: ignore[override]
            raise ZeroDivisionError

    throttle = Throttle()
    with pytest.raises(ZeroDivisionError):
        throttle.check(SQL, params=Broken())
    assert throttle.snapshot()["guard_errors"] == 0
