"""Threads may share a throttle, and totals are exact."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable

from conftest import ONE_AT_ONCE, in_use

from sqlthrottle import SlidingWindow, StatementAborted, Throttle

SQL = "select * from users where id = 7"
THREADS = 4
EACH = 5_000


def in_threads(act: Callable[[], object]) -> None:
    """Does something in several threads at once, and fails where one fails."""
    failures: list[BaseException] = []
    barrier = threading.Barrier(THREADS)

    def run() -> None:
        try:
            barrier.wait()
            act()
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=run) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def test_as_many_pass_as_the_rule_allows_and_the_counters_say_so() -> None:
    throttle = Throttle("{default_threshold: {max_count: 7000, window: 366d}}")
    prepared = throttle.prepare(SQL)
    passed: list[bool] = []

    def act() -> None:
        for number in range(EACH):
            decision = prepared.check() if number % 2 else throttle.check(SQL)
            passed.append(decision.allowed)

    in_threads(act)
    assert len(passed) == THREADS * EACH and sum(passed) == 7000
    rule = throttle.snapshot()["rules"][0]
    assert (rule["passed"], rule["aborted"]) == (7000, THREADS * EACH - 7000)


def test_a_share_is_exact() -> None:
    throttle = Throttle("rules: [{name: s, limit: {block: true}, then: {strategy: abort, share: 2/3}}]")
    refused: list[bool] = []
    in_threads(lambda: [refused.append(not throttle.check(SQL).allowed) for _ in range(3_000)])
    assert sum(refused) == THREADS * 2_000


def test_places_are_never_more_than_there_are_and_all_come_back() -> None:
    throttle = Throttle(ONE_AT_ONCE)
    within = SlidingWindow(3600.0)
    inside: list[int] = []
    lock = threading.Lock()

    def act() -> None:
        for _ in range(500):
            try:
                with throttle.guard(SQL):
                    assert lock.acquire(blocking=False), "two are within"
                    inside.append(within.record())
                    lock.release()
            except StatementAborted:
                pass

    in_threads(act)
    assert in_use(throttle) == 0 and inside and inside == sorted(inside)


def test_rules_may_change_while_threads_check() -> None:
    throttle = Throttle("default_threshold: 1000000")
    limits: set[int] = set()

    def act() -> None:
        for number in range(500):
            if number % 100 == 0:
                throttle.reload({"default_threshold": 1_000_000 + number})
            limits.add(throttle.check(SQL).limit)

    in_threads(act)
    assert limits <= {1_000_000 + number for number in range(0, 500, 100)}


def test_what_nobody_knows_any_more_is_forgotten() -> None:
    throttle = Throttle("default_threshold: 1")
    prepared = throttle.prepare(SQL)
    known = weakref.ref(throttle)
    throttle.check(SQL)
    del throttle
    assert prepared.check().limit == 1, "a prepared statement keeps its throttle"
    del prepared
    gc.collect()
    assert known() is None
