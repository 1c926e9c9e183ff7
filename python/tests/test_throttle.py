"""Rules: how they are given, refused, put in force and told of."""

from __future__ import annotations

import copy
import datetime
import os
import pathlib
import pickle
from typing import Any

import pytest

import sqlthrottle
from sqlthrottle import RuleError, SlidingWindow, SqlThrottleError, Throttle, ThrottleClosedError

SQL = "select * from users where id = 7"


def test_rules_are_a_text_or_a_mapping() -> None:
    for rules in (
        {"default_threshold": {"max_count": 1, "window": "10s"}},
        "default_threshold: {max_count: 1, window: 10s}",
        b"default_threshold: {max_count: 1, window: 10s}",
    ):
        throttle = Throttle(rules)
        assert throttle.check(SQL).limit == 1 and not throttle.check(SQL).allowed
    assert Throttle({"rules": [{"name": "é😀\ud800", "limit": {"block": True}}]}).check(SQL).rule == "é😀\ufffd"


def test_variables_of_the_environment_are_put_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SQLTHROTTLE_TEST_COUNT", "3")
    assert Throttle("default_threshold: ${SQLTHROTTLE_TEST_COUNT}").check(SQL).limit == 3


def test_refused_rules_name_every_fault_with_its_code() -> None:
    with pytest.raises(RuleError) as refused:
        Throttle("{default_threshold: {max_count: 1, window: 0s}, rule: 1}")
    error = refused.value
    assert len(error.codes) == 2 and error.code == error.codes[0] and "threshold.window.zero" in error.codes
    assert all(code in str(error) for code in error.codes) and isinstance(error, SqlThrottleError)


def test_a_file_that_cannot_be_read_says_so(tmp_path: pathlib.Path) -> None:
    with pytest.raises(RuleError, match="missing.yml") as refused:
        sqlthrottle.open(tmp_path / "missing.yml")
    assert refused.value.codes == ("file.unreadable",)


@pytest.mark.skipif(os.name == "nt", reason="names of files are text there")
def test_a_file_whose_name_is_no_unicode_is_read(tmp_path: pathlib.Path) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/rules-\xff.yml")
    with open(path, "w") as file:
        file.write("default_threshold: 7")
    with sqlthrottle.open(path, refresh=False) as throttle:
        assert throttle.check(SQL).limit == 7


def test_other_rules_are_put_in_force_whole_or_not_at_all(tmp_path: pathlib.Path) -> None:
    throttle = Throttle("default_threshold: 1")
    assert throttle.version == 1 and throttle.reload({"default_threshold": 2}) == 2 and throttle.check(SQL).limit == 2
    with pytest.raises(RuleError):
        throttle.reload("default_threshold: none")
    assert throttle.version == 2 and throttle.check(SQL).limit == 2
    (tmp_path / "rules.yml").write_text("default_threshold: 3")
    assert throttle.reload(path=tmp_path / "rules.yml") == 3 and throttle.check(SQL).limit == 3
    with pytest.raises(TypeError):
        throttle.reload()
    with pytest.raises(TypeError):
        throttle.reload("", path="rules.yml")


def test_a_changed_file_is_looked_for_at_once(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rules.yml"
    path.write_text("default_threshold: 1")
    monkeypatch.chdir(tmp_path)
    throttle = sqlthrottle.open("rules.yml", refresh=False)
    monkeypatch.chdir("/")
    assert not throttle.refresh()
    path.write_text("default_threshold: 1000")
    assert throttle.refresh() and throttle.check(SQL).limit == 1000 and not throttle.refresh()
    path.write_text("default_threshold: none")
    with pytest.raises(RuleError):
        throttle.refresh()
    assert throttle.check(SQL).limit == 1000 and throttle.path == str(path)


def test_admin_statements_add_list_and_remove_rules() -> None:
    throttle = Throttle()
    added = throttle.admin("SET GLOBAL sql_throttle_add_rule = '{tables: users, limit: {block: true}}'")
    assert added == {"added": "admin-1"} and throttle.check(SQL).rule == "admin-1"
    listed = throttle.admin(b"SHOW GLOBAL sql_throttle_rules")
    assert [rule["name"] for rule in listed["rules"]] == ["admin-1"]
    with pytest.raises(RuleError):
        throttle.admin("DROP TABLE users")
    assert throttle.admin("SET GLOBAL sql_throttle_remove_rule = 'admin-1'") == {"removed": "admin-1"}
    assert throttle.check(SQL).allowed


def test_counters_are_told(clock: sqlthrottle.ManualClock) -> None:
    throttle = Throttle("default_threshold: 1", clock=clock)
    for _ in range(3):
        decision = throttle.check(SQL)
    rule = throttle.snapshot()["rules"][0]
    assert (rule["name"], rule["passed"], rule["aborted"]) == ("default_threshold", 1, 2)
    page = throttle.metrics()
    assert 'sql_throttle_decisions_total{rule="default_threshold",verdict="abort"} 2\n' in page
    throttle.record_duration(decision, 0.25)
    assert decision.fingerprint is not None
    throttle.record_duration(decision.fingerprint, datetime.timedelta(milliseconds=250))
    throttle.record_duration(throttle.check_request(), 1.0)
    top = throttle.top(1)
    assert top["by_time"][0]["seconds"] == 0.5
    prepared = throttle.prepare("select name from users")
    for _ in range(50):
        prepared.check()
    assert throttle.top(1)["by_count"][0]["count"] == 50, "statements that come as handles are counted too"
    with pytest.raises(sqlthrottle.ArgumentError):
        throttle.record_duration("none", 1.0)
    for wrong in (-1.0, float("nan"), float("inf")):
        with pytest.raises(sqlthrottle.ArgumentError, match="0 seconds or more"):
            throttle.record_duration(decision, wrong)


def test_fingerprints_need_no_check() -> None:
    throttle = Throttle("dialect: mysql")
    assert throttle.normalize('select "a" from T') == "select ? from t"
    assert throttle.normalize('select "a" from T', dialect="postgresql") == 'select "a" from t'
    assert throttle.fingerprint("select 1") == throttle.fingerprint("select  /* x */ 2")


def test_a_closed_throttle_says_so() -> None:
    with Throttle("default_threshold: 1") as throttle:
        prepared = throttle.prepare(SQL)
    assert throttle.closed
    for call in (
        lambda: throttle.check(SQL),
        lambda: throttle.guard(SQL).__enter__(),
        lambda: throttle.check_request(),
        prepared.check,
        lambda: throttle.prepare(SQL),
        lambda: throttle.reload(""),
        throttle.snapshot,
        throttle.metrics,
        throttle.refresh,
    ):
        with pytest.raises(ThrottleClosedError) as closed:
            call()
        assert closed.value.code == "throttle.closed"
    throttle.close()


def test_a_throttle_is_not_pickled_or_copied() -> None:
    for copied in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError):
            copied(Throttle())


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_errors_are_pickled(protocol: int) -> None:
    throttle = Throttle("rules: [{name: b, limit: {block: true}}]")
    errors: list[SqlThrottleError] = [ThrottleClosedError(), SqlThrottleError("a", "b.c"), sqlthrottle.ArgumentError("x")]
    for call in (lambda: Throttle("{x: 1, y: 1}"), lambda: throttle.guard(SQL).__enter__()):
        with pytest.raises(SqlThrottleError) as raised:
            call()
        errors.append(raised.value)
    for error in errors:
        again = pickle.loads(pickle.dumps(error, protocol))
        assert type(again) is type(error) and str(again) == str(error) and again.__dict__ == error.__dict__
        assert again.code == error.code and copy.copy(error).__dict__ == error.__dict__


def test_the_sliding_window_counts_by_itself(clock: sqlthrottle.ManualClock) -> None:
    window = SlidingWindow(10.0, buckets=10, clock=clock)
    assert [window.record() for _ in range(3)] == [1, 2, 3]
    clock.advance(5)
    assert window.record() == 4
    clock.advance(6)
    assert window.count() == 1
    window.reset()
    assert window.count() == 0
    assert SlidingWindow(datetime.timedelta(seconds=1)).record() == 1
    for wrong in ({"window": 0.0}, {"window": -1.0}, {"window": 1.0, "buckets": 0}, {"window": 1.0, "buckets": -1}):
        with pytest.raises(sqlthrottle.ArgumentError):
            SlidingWindow(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("path", ("sqlthrottle.yml", pathlib.Path("sqlthrottle.yml")))
def test_a_path_is_no_rules(path: Any) -> None:
    with pytest.raises(TypeError, match=r"sqlthrottle\.open"):
        Throttle(path)


def test_a_manual_clock_moves_as_it_is_told() -> None:
    clock = sqlthrottle.ManualClock()
    clock.advance(1.5)
    clock.advance(datetime.timedelta(milliseconds=1))
    assert clock.now == 1.501
    with pytest.raises(sqlthrottle.ArgumentError):
        clock.advance(-1)
    with pytest.raises(sqlthrottle.ArgumentError, match="time zone"):
        clock.set_wall(datetime.datetime(2026, 1, 1))
    throttle = Throttle("rules: [{name: b, limit: {block: true}, expires: 2026-12-01T10:00:00Z}]", clock=clock)
    assert not throttle.check(SQL).allowed
    clock.set_wall(datetime.datetime(2026, 12, 1, 10, tzinfo=datetime.timezone.utc))
    assert throttle.check(SQL).allowed
