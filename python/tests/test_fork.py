"""A forked child has its own counts, no places of its parent's, and a thread of its own."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections.abc import Callable

import pytest
from conftest import ONE_AT_ONCE

from sqlthrottle import Decision, StatementAborted, Throttle
from sqlthrottle._log import LOG

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"),
    # What it says is what is tested: a process with threads may fork.
    pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning"),
]
SQL = "select * from users where id = 7"
THROTTLE = Throttle("rules: [{name: one, limit: {concurrency: {max: 1}}}]\ndefault_threshold: 1000000")


def in_child(act: Callable[[], object]) -> None:
    """Does something in a forked child, and fails where that fails."""
    child = os.fork()
    if child == 0:
        try:
            act()
        except BaseException:
            sys.excepthook(*sys.exc_info())
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def test_a_child_holds_nothing_of_its_parents_and_keeps_the_counts() -> None:
    throttle = Throttle(ONE_AT_ONCE)
    counted = Throttle("default_threshold: 2")
    counted.check(SQL)
    held = throttle.check(SQL)

    def child() -> None:
        assert counted.check(SQL).count == 2 and not counted.check(SQL).allowed
        assert not throttle.release(held)
        own = throttle.check(SQL)
        assert own.allowed and not throttle.check(SQL).allowed and throttle.release(own)

    in_child(child)
    assert counted.check(SQL).count == 2, "what a child counts is its own"
    assert not throttle.check(SQL).allowed and throttle.release(held)


def test_any_thread_may_fork_while_others_check() -> None:
    throttle = Throttle("{default_threshold: 1000000, limits: {cache_bytes: 64KiB}}")
    done = threading.Event()

    def check() -> None:
        number = 0
        while not done.is_set():
            throttle.check(f"select a{number % 1000} from t")
            number += 1

    threads = [threading.Thread(target=check) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):
            in_child(lambda: [throttle.check(f"select b{i} from t") for i in range(100)])
    finally:
        done.set()
        for thread in threads:
            thread.join()


def test_grandchildren_too() -> None:
    throttle = Throttle(ONE_AT_ONCE)
    throttle.check(SQL)

    def child() -> None:
        assert throttle.check(SQL).allowed
        in_child(lambda: throttle.guard(SQL).__enter__())

    in_child(child)


def test_a_closed_throttle_stays_closed() -> None:
    throttle = Throttle()
    throttle.check(SQL)
    throttle.close()

    def child() -> None:
        with pytest.raises(Exception, match="closed"):
            throttle.check(SQL)

    in_child(child)


def _check(_: int) -> Decision:
    with THROTTLE.guard(SQL) as guard:
        return guard.decision


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_pools_of_processes_check(method: str) -> None:
    with multiprocessing.get_context(method).Pool(2) as pool:
        decisions = pool.map(_check, range(8), chunksize=1)
        pool.close()
        pool.join()
    assert all(decision.allowed and decision.rule == "one" for decision in decisions)


def test_a_child_looks_after_its_file_by_itself(run: Callable[..., str]) -> None:
    written = run(
        """
        import os, tempfile, threading, warnings, sqlthrottle
        warnings.simplefilter("ignore", DeprecationWarning)
        path = tempfile.NamedTemporaryFile(suffix=".yml").name
        open(path, "w").write("default_threshold: 1000000")
        names = lambda: sorted(t.name for t in threading.enumerate() if t.name.startswith("sqlthrottle"))
        throttle = sqlthrottle.open(path)
        assert names() == [], "none before the first check"
        throttle.check("select 1")
        assert names() == ["sqlthrottle-refresh"], names()
        child = os.fork()
        if child == 0:
            assert names() == [], names()
            throttle.check("select 1")
            assert names() == ["sqlthrottle-refresh"], names()
            throttle.close()
            print("well", flush=True)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        """
    )
    assert written == "well\n"


def test_a_child_does_not_wait_for_who_counted_or_logged_in_its_parent() -> None:
    throttle = Throttle("rules: [{name: r, limit: {block: true}}]", refresh=False)
    requests = throttle._count_requests()
    requests.came()

    def child() -> None:
        # A lock of the parent's would be waited for without end.
        for lock in (requests._lock, LOG._lock):
            assert lock.acquire(blocking=False)
            lock.release()
        requests.came()
        StatementAborted(throttle.check(SQL))
        assert throttle.snapshot()["requests"]["total"] == 2

    holds, forked = threading.Event(), threading.Event()

    def hold() -> None:
        with requests._lock, LOG._lock:
            holds.set()
            assert forked.wait(30)

    holder = threading.Thread(target=hold)
    holder.start()
    assert holds.wait(30)
    try:
        in_child(child)
    finally:
        forked.set()
        holder.join()
