"""What is logged of statements that do not simply pass."""

from __future__ import annotations

import logging
import pickle
import sys
import threading
import time
from collections.abc import Callable

import pytest

import sqlthrottle
from sqlthrottle import _told
from sqlthrottle._gate import IGNORED, Gate
from sqlthrottle._log import Log
from sqlthrottle.wsgi import Middleware

SQL = "select secret from accounts"
RULES = """
rules:
  - {name: refused, match: {tables: accounts}, limit: {block: true}}
  - {name: ignored, match: {tables: ignored}, limit: {block: true}, then: {strategy: ignore}}
  - {name: delayed, match: {tables: delayed}, limit: {block: true}, then: {strategy: delay, delay: 50ms}}
"""


class Seconds:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> Seconds:
    """The clock of a log that has said nothing yet, in place of that of the process."""
    seconds = Seconds()
    monkeypatch.setattr(_told, "LOG", Log(seconds))
    return seconds


@pytest.fixture
def throttle(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> sqlthrottle.Throttle:
    clock = sqlthrottle.ManualClock()
    monkeypatch.setattr(time, "sleep", clock.advance)
    caplog.set_level(logging.INFO, "sqlthrottle")
    return sqlthrottle.Throttle(RULES, clock=clock, refresh=False)


def refuse(throttle: sqlthrottle.Throttle) -> None:
    with pytest.raises(sqlthrottle.StatementAborted), throttle.guard(SQL):
        pass


def test_refusals_are_said_once_a_minute_with_their_count(
    throttle: sqlthrottle.Throttle, seconds: Seconds, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(5):
        refuse(throttle)
    seconds.now += 59
    refuse(throttle)
    assert [record.getMessage().partition(",")[0] for record in caplog.records] == ["refused by refused: 1"]
    seconds.now += 1
    refuse(throttle)
    refuse(throttle)
    assert [record.getMessage().partition(",")[0] for record in caplog.records][1:] == ["refused by refused: 6"]
    assert {record.levelname for record in caplog.records} == {"WARNING"}
    assert "secret" not in caplog.text and str(throttle.fingerprint(SQL)) in caplog.text


def test_each_rule_and_verdict_is_said_by_itself(
    throttle: sqlthrottle.Throttle, seconds: Seconds, caplog: pytest.LogCaptureFixture
) -> None:
    refuse(throttle)
    with throttle.guard("select 1 from ignored", fakes="rows") as guard:
        assert guard.ignored
    with throttle.guard("select 1 from delayed"):
        pass
    said = [(record.levelname, record.getMessage().partition(":")[0]) for record in caplog.records]
    assert said == [("WARNING", "refused by refused"), ("WARNING", "ignored by ignored"), ("INFO", "delayed by delayed")]


def test_what_integrations_ignore_is_said_too(
    throttle: sqlthrottle.Throttle, seconds: Seconds, caplog: pytest.LogCaptureFixture
) -> None:
    assert Gate(throttle).enter("select 1 from ignored", "rows") is IGNORED
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == ["ignored by ignored"]


def test_so_is_a_request_that_middleware_refuses(
    throttle: sqlthrottle.Throttle, seconds: Seconds, caplog: pytest.LogCaptureFixture
) -> None:
    throttle.reload("rules: [{name: closed, on: request, limit: {block: true}}]")
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/", "REMOTE_ADDR": "192.0.2.7"}
    Middleware(lambda environ, start: [], throttle)(environ, lambda status, headers, exc_info=None: lambda data: None)
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == ["refused by closed"]


def test_what_passes_or_is_only_asked_for_is_not_said(
    throttle: sqlthrottle.Throttle, seconds: Seconds, caplog: pytest.LogCaptureFixture
) -> None:
    with throttle.guard("select 1"):
        throttle.check(SQL)
    assert caplog.records == []


def test_an_error_that_is_unpickled_is_not_said_again(
    throttle: sqlthrottle.Throttle, seconds: Seconds, caplog: pytest.LogCaptureFixture
) -> None:
    error = sqlthrottle.StatementAborted(throttle.check(SQL))
    seconds.now += 60
    again = pickle.loads(pickle.dumps(error))
    assert again.decision == error.decision and str(again) == str(error) and again.code == error.code
    assert len(caplog.records) == 1


def test_what_is_kept_is_bounded(seconds: Seconds, caplog: pytest.LogCaptureFixture) -> None:
    log = Log(seconds)
    for i in range(Log.MOST + 100):
        throttle = sqlthrottle.Throttle(f"rules: [{{name: r{i}, limit: {{block: true}}}}]", refresh=False)
        log.say(sqlthrottle.Verdict.ABORT, throttle.check(SQL))
    assert len(log._said) == Log.MOST + 1
    # Of those beyond, the first is said, and the others are counted together.
    assert len(caplog.records) == Log.MOST + 1
    seconds.now += Log.QUIET
    log.say(sqlthrottle.Verdict.ABORT, throttle.check(SQL))
    assert len(log._said) == 1


def test_nothing_is_counted_while_nobody_listens(throttle: sqlthrottle.Throttle, seconds: Seconds) -> None:
    logging.getLogger("sqlthrottle").setLevel(logging.ERROR)
    refuse(throttle)
    assert _told.LOG._said == {}


def test_a_wait_of_several_rounds_is_said_once(
    throttle: sqlthrottle.Throttle, seconds: Seconds, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = sqlthrottle.ManualClock()
    rounds: list[float] = []

    def overtaken(seconds: float) -> None:
        rounds.append(seconds)
        clock.advance(seconds)
        if len(rounds) < 4:
            assert throttle.check(SQL).allowed

    monkeypatch.setattr(time, "sleep", overtaken)
    rules = "rules: [{name: r, limit: {token_bucket: {capacity: 1, rate: 1/s}}, then: {strategy: delay, delay: until_allowed, max_delay: 60s}}]"
    throttle = sqlthrottle.Throttle(rules, clock=clock, refresh=False)
    for _ in range(2):
        with throttle.guard(SQL):
            pass
    assert len(rounds) == 4
    assert [record.getMessage().partition(",")[0] for record in caplog.records] == ["delayed by r: 1"]
    assert _told.LOG._said[sqlthrottle.Verdict.DELAY, "r"].count == 0


def test_a_program_that_configures_nothing_sees_nothing_of_it(run: Callable[..., str]) -> None:
    program = """
        import contextlib, io, logging, sqlthrottle
        throttle = sqlthrottle.Throttle("rules: [{name: r, limit: {block: true}}]")
        for configure in (lambda: None, logging.basicConfig):
            with contextlib.redirect_stderr(io.StringIO()) as written:
                configure()
                with contextlib.suppress(sqlthrottle.StatementAborted):
                    with throttle.guard("select 1"): pass
                print(written.getvalue().partition(",")[0])
                throttle.reload("rules: [{name: another, limit: {block: true}}]")
    """
    assert run(program) == "\nWARNING:sqlthrottle.decisions:refused by another: 1\n"


def test_a_thread_that_is_interrupted_while_it_takes_note_may_take_note(throttle: sqlthrottle.Throttle) -> None:
    log = Log()
    decision = throttle.check("select 1")

    def interrupted() -> None:
        with log._lock:
            log.say(sqlthrottle.Verdict.ABORT, decision)

    thread = threading.Thread(target=interrupted, daemon=True)
    thread.start()
    thread.join(30)
    assert not thread.is_alive()


def test_what_a_filter_or_a_span_raises_is_not_the_statement_s(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(record: logging.LogRecord) -> bool:
        raise ValueError("a fault of the program")

    # Without the rest of that package.
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", sys)
    monkeypatch.setitem(sys.modules, "sqlthrottle.opentelemetry", None)
    logger = logging.getLogger("sqlthrottle.decisions")
    logger.setLevel(logging.INFO)
    logger.addFilter(broken)
    rules = """
    rules:
      - {name: r, match: {tables: r}, limit: {block: true}}
      - {name: d, match: {tables: d}, limit: {token_bucket: {capacity: 1, rate: 1/s}}, then: {strategy: delay, delay: until_allowed, max_delay: 9s}}
      - {name: c, match: {tables: d}, limit: {concurrency: {max: 1}}}
    """
    clock = sqlthrottle.ManualClock()
    monkeypatch.setattr(time, "sleep", clock.advance)
    try:
        with sqlthrottle.Throttle(rules, clock=clock, refresh=False) as throttle:
            with pytest.raises(sqlthrottle.StatementAborted), throttle.guard("select 1 from r"):
                pass
            for _ in range(2):
                with throttle.guard("select 1 from d"):
                    pass
            rules_now = {rule["name"]: rule for rule in throttle.snapshot()["rules"]}
            assert rules_now["d"]["delayed"] == 1 and rules_now["c"]["in_use"] == 0
    finally:
        logger.removeFilter(broken)
        logger.setLevel(logging.NOTSET)
