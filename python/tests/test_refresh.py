"""What looks after a throttle in the background."""

from __future__ import annotations

import gc
import logging
import pathlib
import threading
import weakref
from collections.abc import Callable, Iterator

import pytest

import sqlthrottle
from sqlthrottle import Throttle, _refresh
from sqlthrottle._refresh import Looker

SQL = "select 1"


def rewrite(path: pathlib.Path, text: str) -> None:
    """Gives a file another content at once: whoever looks sees the one or the other."""
    new = path.with_suffix(".new")
    new.write_text(text)
    new.replace(path)


def names() -> list[str]:
    """The threads of sqlthrottle."""
    return sorted(thread.name for thread in threading.enumerate() if thread.name.startswith("sqlthrottle"))


@pytest.fixture(autouse=True)
def lookers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Those of the test alone."""
    files, thresholds = _refresh._lookers()
    monkeypatch.setattr(_refresh, "_files", files)
    monkeypatch.setattr(_refresh, "_thresholds", thresholds)
    yield
    files.end()
    thresholds.end()


@pytest.fixture
def path(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "rules.yml"
    path.write_text("{default_threshold: 1, watch: 100ms}")
    return path


def test_a_thread_begins_with_the_first_check_and_puts_a_changed_file_in_force(path: pathlib.Path) -> None:
    with sqlthrottle.open(path) as throttle:
        assert names() == []
        throttle.check(SQL)
        assert names() == ["sqlthrottle-refresh"]
        rewrite(path, "{default_threshold: 1000, watch: 100ms}")
        while throttle.version == 1:
            throttle.check(SQL)
        assert throttle.check(SQL).limit == 1000
        thread = _refresh._files._thread
    assert thread is not None and thread.daemon
    thread.join(30)
    assert names() == [], "it ends with the last throttle"
    with sqlthrottle.open(path) as throttle:
        throttle.check(SQL)
        assert names() == ["sqlthrottle-refresh"], "and begins again"


def test_a_look_that_fails_again_and_again_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    def fail(throttle: Throttle) -> float:
        raise ValueError("embedded null byte")

    with Throttle(refresh=False) as throttle:
        looker = Looker("sqlthrottle-test", fail)
        for _ in range(3):
            assert looker._look_at(throttle) > 0
    assert [record.getMessage().split(",")[0] for record in caplog.records] == ["sqlthrottle-test failed"]


def test_a_refused_file_is_said_once(path: pathlib.Path, caplog: pytest.LogCaptureFixture) -> None:
    looked = threading.Semaphore(0)
    with caplog.at_level(logging.WARNING, "sqlthrottle"), sqlthrottle.open(path) as throttle:
        original = _refresh._files._look

        def look(throttle: Throttle) -> float:
            pause = original(throttle)
            looked.release()
            return pause

        _refresh._files._look = look
        throttle.check(SQL)
        rewrite(path, "{default_threshold: none, watch: 100ms}")
        while not caplog.records:
            assert looked.acquire(timeout=30)
        for _ in range(3):
            assert looked.acquire(timeout=30)
        assert len(caplog.records) == 1 and "threshold" in caplog.text
        assert throttle.check(SQL).limit == 1


def test_many_throttles_have_one_thread(path: pathlib.Path) -> None:
    throttles = [sqlthrottle.open(path) for _ in range(5)]
    for throttle in throttles:
        throttle.check(SQL)
    assert names() == ["sqlthrottle-refresh"]
    for throttle in throttles:
        throttle.close()


def test_rules_without_a_file_and_throttles_that_say_so_have_none(path: pathlib.Path) -> None:
    for throttle in (Throttle("default_threshold: 1"), sqlthrottle.open(path, refresh=False, provider=lambda _: None)):
        throttle.check(SQL)
    assert names() == []


def test_a_provider_has_a_thread_of_its_own_and_may_hang(path: pathlib.Path, clock: sqlthrottle.ManualClock) -> None:
    asked, hang = threading.Event(), threading.Event()

    def provider(_: str) -> None:
        if threading.current_thread().name == "sqlthrottle-thresholds":
            asked.set()
            hang.wait(30)

    with sqlthrottle.open(path, provider=provider, clock=clock) as throttle:
        throttle.check(SQL)
        assert names() == ["sqlthrottle-refresh", "sqlthrottle-thresholds"]
        clock.advance(3600)
        assert asked.wait(30)
        rewrite(path, "{default_threshold: 1000, watch: 100ms}")
        while throttle.version == 1:
            throttle.check(SQL)
        hang.set()


def test_a_thread_keeps_no_throttle(path: pathlib.Path) -> None:
    throttle = sqlthrottle.open(path)
    throttle.check(SQL)
    thread = _refresh._files._thread
    known = weakref.ref(throttle)
    del throttle
    while known() is not None:
        gc.collect()
    assert thread is not None
    thread.join(30)
    assert not thread.is_alive()


def test_what_fails_unforeseen_ends_no_thread(caplog: pytest.LogCaptureFixture) -> None:
    looked = threading.Event()
    calls: list[Throttle] = []

    def look(throttle: Throttle) -> float:
        calls.append(throttle)
        if len(calls) == 1:
            raise ZeroDivisionError
        looked.set()
        return 60.0

    looker = Looker("sqlthrottle-test", look)
    first, second = Throttle(), Throttle()
    with caplog.at_level(logging.CRITICAL, "sqlthrottle"):
        looker.add(first)
        looker.add(second)
        assert looked.wait(30)
    looker.end()
    looker.add(first)
    assert looker._thread is None or not looker._thread.is_alive()


def test_nothing_is_started_by_an_import(run: Callable[..., str]) -> None:
    run("import threading, sqlthrottle; assert threading.active_count() == 1")


@pytest.mark.parametrize("provider", ["lambda _: None", "lambda _: threading.Event().wait()"])
def test_an_interpreter_ends_while_threads_are_at_it(
    provider: str, path: pathlib.Path, run: Callable[..., str]
) -> None:
    run(
        """
        import sys, threading, sqlthrottle
        throttle = sqlthrottle.open(sys.argv[1])
        throttle.check("select 1")
        asking = sqlthrottle.Throttle(provider=eval(sys.argv[2]))
        checks = lambda: throttle.check("select 1"), throttle.refresh, lambda: asking.check("select 1")
        for act in checks:
            threading.Thread(target=lambda act=act: [act() for _ in iter(int, 1)], daemon=True).start()
        """,
        str(path),
        provider,
    )
