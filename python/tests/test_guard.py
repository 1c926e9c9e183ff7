"""Guards: they wait, refuse, and give back what a statement held, whatever happens."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import logging
import threading
import time
import types
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import in_use

import sqlthrottle
from sqlthrottle import StatementAborted, Throttle, Verdict
from sqlthrottle._gate import decided

SQL = "select * from users where id = 7"
IGNORED = "rules: [{name: i, limit: {block: true}, then: {strategy: ignore}}]"
DELAYED = """
rules:
  - {name: one, limit: {concurrency: {max: 1}}}
  - {name: slow, match: {tables: slow}, limit: {block: true}, then: {strategy: delay, delay: 25s, max_delayed: 1}}
"""
SLOW = "select * from slow"


class Slept(list[float]):
    """Sleeps that are over at once, and what is done instead."""

    instead: Callable[[], None] | None = None

    def sleep(self, seconds: float) -> None:
        self.append(seconds)
        if self.instead is not None:
            self.instead()

    async def asleep(self, seconds: float) -> None:
        self.sleep(seconds)


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> Slept:
    slept = Slept()
    monkeypatch.setattr(time, "sleep", slept.sleep)
    monkeypatch.setattr(asyncio, "sleep", slept.asleep)
    return slept


def test_a_place_is_held_while_the_body_runs_and_given_back_however_it_ends(one_at_once: Throttle) -> None:
    guard = one_at_once.guard(SQL)
    for error in (None, ValueError, KeyboardInterrupt, GeneratorExit):
        with contextlib.suppress(BaseException), guard as entered:
            assert entered is guard and guard.decision.has_permit and in_use(one_at_once) == 1
            if error is not None:
                raise error
        assert in_use(one_at_once) == 0
    with pytest.raises(RuntimeError, match="not entered"):
        _ = guard.decision


def test_what_is_refused_raises_with_rule_and_reason_and_without_sql(one_at_once: Throttle) -> None:
    with one_at_once.guard("select secret"):
        refused = one_at_once.guard("select secret", user="ann")
        with pytest.raises(StatementAborted) as raised, refused:
            raise AssertionError("it was sent")
        error = raised.value
        assert (error.rule, error.reason, error.code) == ("one", "over_limit", "statement.aborted")
        assert error.fingerprint == error.decision.fingerprint and error.retry_after is None
        assert "secret" not in str(error) and "ann" not in str(error) and "one" in str(error)
    with refused:
        pass


def test_a_guard_is_entered_once_at_a_time(one_at_once: Throttle) -> None:
    guard = one_at_once.guard(SQL)
    with guard:
        with pytest.raises(RuntimeError, match="entered already"):
            guard.__enter__()
        assert in_use(one_at_once) == 1


def test_a_delayed_statement_waits_and_is_resumed(slept: Slept, clock: sqlthrottle.ManualClock) -> None:
    throttle = Throttle(DELAYED, clock=clock)
    slept.instead = lambda: clock.advance(25)
    with throttle.guard(SLOW) as guard:
        assert slept == [25.0] and guard.decision.allowed and in_use(throttle) == 1
    assert in_use(throttle) == 0 and throttle.snapshot()["waiting"] == 0


def test_a_statement_that_has_waited_may_be_refused(slept: Slept, clock: sqlthrottle.ManualClock) -> None:
    throttle = Throttle(DELAYED, clock=clock)

    def instead() -> None:
        clock.advance(25)
        throttle.check(SQL)

    slept.instead = instead
    with pytest.raises(StatementAborted) as refused, throttle.guard(SLOW):
        raise AssertionError("it was sent")
    assert refused.value.rule == "one" and throttle.snapshot()["waiting"] == 0


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ValueError])
def test_an_interrupted_wait_gives_its_ticket_up(error: type[BaseException], slept: Slept) -> None:
    throttle = Throttle(DELAYED)

    def instead() -> None:
        raise error

    slept.instead = instead
    with pytest.raises(error), throttle.guard(SLOW):
        raise AssertionError("it was sent")
    assert throttle.snapshot()["waiting"] == 0
    assert throttle.check(SLOW).verdict is Verdict.DELAY, "another may wait in its place"


def test_what_is_ignored_is_said_to_who_can_fake_it() -> None:
    throttle = Throttle(IGNORED)
    with pytest.raises(StatementAborted) as refused, throttle.guard(SQL):
        raise AssertionError("it was sent")
    assert refused.value.reason == "ignore_unavailable"
    with throttle.guard(SQL, fakes="rows") as guard:
        assert guard.ignored
    with Throttle().guard(SQL, fakes="rows") as guard:
        assert not guard.ignored

    @throttle.guard(SQL, fakes="rows")
    def decorated() -> None:
        raise AssertionError("it was called, and could not know")

    with pytest.raises(StatementAborted):
        decorated()


def test_a_function_is_guarded_at_each_call(one_at_once: Throttle) -> None:
    @one_at_once.guard(SQL)
    def work(deep: int, *, more: str = "x") -> tuple[int, str]:
        """What it does."""
        assert in_use(one_at_once) == 1
        if deep:
            with pytest.raises(StatementAborted):
                work(deep - 1)
        return deep, more

    assert work(1, more="y") == (1, "y") and work(0) == (0, "x")
    assert work.__name__ == "work" and work.__doc__ == "What it does."

    @one_at_once.guard(SQL)
    def fails() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert in_use(one_at_once) == 0


def test_a_generator_holds_its_place_until_it_ends_or_is_closed(one_at_once: Throttle) -> None:
    @one_at_once.guard(SQL)
    def rows() -> Iterator[int]:
        yield 1
        yield 2

    stream = rows()
    assert in_use(one_at_once) == 0 and next(stream) == 1 and in_use(one_at_once) == 1
    assert list(stream) == [2] and in_use(one_at_once) == 0
    stream = rows()
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    assert in_use(one_at_once) == 0


def test_threads_wait_on_their_own(slept: Slept) -> None:
    """A decorator makes a guard for each call."""
    throttle = Throttle("rules: [{name: c, limit: {concurrency: {max: 8}}}]")
    barrier = threading.Barrier(8)

    @throttle.guard(SQL)
    def work() -> int:
        barrier.wait()
        held = in_use(throttle)
        barrier.wait()
        return held

    seen: list[int] = []
    threads = [threading.Thread(target=lambda: seen.append(work())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [8] * 8 and in_use(throttle) == 0


class TestAsync:
    def test_a_place_is_given_back_however_the_body_ends(self, one_at_once: Throttle) -> None:
        async def main() -> None:
            for error in (None, ValueError, asyncio.CancelledError):
                with contextlib.suppress(BaseException):
                    async with one_at_once.guard(SQL) as guard:
                        assert guard.decision.allowed and in_use(one_at_once) == 1
                        if error is not None:
                            raise error
                assert in_use(one_at_once) == 0
            async with one_at_once.guard(SQL):
                with pytest.raises(StatementAborted):
                    async with one_at_once.guard(SQL):
                        raise AssertionError("it was sent")

        asyncio.run(main())

    def test_a_task_that_is_cancelled_in_its_body_holds_nothing(self, one_at_once: Throttle) -> None:
        async def main() -> None:
            entered = asyncio.Event()

            async def work() -> None:
                async with one_at_once.guard(SQL):
                    entered.set()
                    await asyncio.Event().wait()

            task = asyncio.create_task(work())
            await entered.wait()
            assert in_use(one_at_once) == 1
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert in_use(one_at_once) == 0

        asyncio.run(main())

    def test_a_delayed_statement_waits_by_the_loop(self, slept: Slept, clock: sqlthrottle.ManualClock) -> None:
        throttle = Throttle(DELAYED, clock=clock)
        slept.instead = lambda: clock.advance(25)

        async def main() -> None:
            async with throttle.guard(SLOW) as guard:
                assert slept == [25.0] and guard.decision.allowed and in_use(throttle) == 1

        asyncio.run(main())
        assert in_use(throttle) == 0

    def test_a_wait_does_not_stall_the_loop_and_a_cancelled_one_gives_its_ticket_up(self) -> None:
        throttle = Throttle(DELAYED)

        async def main() -> None:
            async def work() -> None:
                async with throttle.guard(SLOW):
                    raise AssertionError("it was sent")

            task = asyncio.create_task(work())
            while throttle.snapshot()["waiting"] == 0:
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert throttle.snapshot()["waiting"] == 0
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(work(), 0.001)
            assert throttle.snapshot()["waiting"] == 0 and in_use(throttle) == 0

        asyncio.run(main())

    def test_functions_and_generators_are_guarded(self, one_at_once: Throttle) -> None:
        @one_at_once.guard(SQL)
        async def work(value: int) -> int:
            assert in_use(one_at_once) == 1
            await asyncio.sleep(0)
            return value

        @one_at_once.guard(SQL)
        async def rows() -> AsyncIterator[int]:
            try:
                yield 1
                yield 2
            finally:
                assert in_use(one_at_once) == 1, "it ends before its place is given back"

        async def main() -> None:
            assert await work(7) == 7 and in_use(one_at_once) == 0
            assert [row async for row in rows()] == [1, 2] and in_use(one_at_once) == 0
            stream = rows()
            assert await stream.__anext__() == 1 and in_use(one_at_once) == 1
            await stream.aclose()  # type: ignore[attr-defined]
            assert in_use(one_at_once) == 0

        assert inspect.iscoroutinefunction(work) and inspect.isasyncgenfunction(rows)
        asyncio.run(main())

    def test_a_provider_is_asked_in_a_worker_thread(self) -> None:
        asked: list[threading.Thread] = []

        def provider(_: str) -> int:
            asked.append(threading.current_thread())
            return 1

        throttle = Throttle(provider=provider, refresh=False)

        async def main() -> None:
            async with throttle.guard(SQL) as guard:
                assert guard.decision.rule is not None and guard.decision.rule.startswith("threshold:")
            with pytest.raises(StatementAborted):
                async with throttle.guard(SQL):
                    raise AssertionError("it was sent")

        asyncio.run(main())
        assert len(asked) == 1 and asked[0] is not threading.current_thread()

    def test_what_a_worker_thread_is_given_for_a_cancelled_task_is_given_back(self) -> None:
        asked, answer = threading.Event(), threading.Event()

        def provider(_: str) -> None:
            asked.set()
            assert answer.wait(30)

        throttle = Throttle("rules: [{name: one, limit: {concurrency: {max: 1}}}]", provider=provider, refresh=False)

        async def main() -> None:
            async def work() -> None:
                async with throttle.guard(SQL):
                    raise AssertionError("it was sent")

            task = asyncio.create_task(work())
            while not asked.is_set():
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            answer.set()
            await asyncio.get_running_loop().shutdown_default_executor()
            # The worker has told the loop, which tells whoever waits, and that is nobody any more.
            for _ in range(5):
                await asyncio.sleep(0)
            assert throttle.snapshot()["rules"][0]["passed"] == 1, "it was let pass"
            assert in_use(throttle) == 0

        asyncio.run(main())

    def test_what_a_worker_thread_is_given_when_the_loop_has_ended_is_given_back(self) -> None:
        asked, answer = threading.Event(), threading.Event()

        def provider(_: str) -> None:
            asked.set()
            assert answer.wait(30)

        throttle = Throttle("rules: [{name: one, limit: {concurrency: {max: 1}}}]", provider=provider, refresh=False)
        workers = ThreadPoolExecutor(1)

        async def work() -> None:
            asyncio.get_running_loop().set_default_executor(workers)
            async with throttle.guard(SQL):
                raise AssertionError("it was sent")

        loop, waiting = asyncio.new_event_loop(), work()
        loop.call_soon(waiting.send, None)
        loop.call_soon(loop.stop)
        loop.run_forever()
        waiting.close()
        loop._default_executor = None  # type: ignore[attr-defined]
        loop.close()
        assert asked.wait(30)
        answer.set()
        workers.shutdown()
        assert throttle.snapshot()["rules"][0]["passed"] == 1, "it was let pass"
        assert in_use(throttle) == 0


@pytest.mark.parametrize("is_async", [False, True])
def test_a_place_is_given_back_where_the_log_is_interrupted(is_async: bool) -> None:
    # Of a rule the log says something only once a minute.
    rules = f"""
    rules:
      - {{name: one, limit: {{concurrency: {{max: 1}}}}}}
      - {{name: logged {is_async}, limit: {{block: true}}, then: {{strategy: delay, delay: 1ms}}}}
    """
    decisions = logging.getLogger("sqlthrottle.decisions")

    class Interrupt(BaseException):
        """As that of the keyboard, which asyncio has its own way with. An exception ends within the log."""

    def broken(record: logging.LogRecord) -> bool:
        raise Interrupt

    async def work() -> None:
        async with throttle.guard(SQL):
            raise AssertionError("it was sent")

    throttle = Throttle(rules, refresh=False)
    level = decisions.level
    decisions.setLevel(logging.INFO)
    decisions.addFilter(broken)
    try:
        with pytest.raises(Interrupt):
            if is_async:
                asyncio.run(work())
            else:
                throttle.guard(SQL).__enter__()
    finally:
        decisions.removeFilter(broken)
        decisions.setLevel(level)
    assert throttle.snapshot()["rules"][1]["resumed"] == 1
    assert in_use(throttle) == 0


def test_a_mark_is_taken_back_where_it_was_not_set() -> None:
    @types.coroutine
    def suspended() -> Generator[None, None, None]:
        yield

    async def work() -> None:
        with decided(Throttle()):
            await suspended()

    coroutine = work()
    contextvars.copy_context().run(coroutine.send, None)
    coroutine.close()


def test_requests_are_guarded() -> None:
    throttle = Throttle("rules: [{name: r, on: request, per: [user], limit: {concurrency: {max: 1}}}]")

    async def main() -> None:
        async with throttle.guard_request(user="ann"):
            with pytest.raises(StatementAborted) as refused:
                async with throttle.guard_request(user="ann"):
                    raise AssertionError("it went on")
            assert refused.value.fingerprint is None

    with throttle.guard_request(user="ann"):
        with pytest.raises(StatementAborted), throttle.guard_request(user="ann"):
            raise AssertionError("it went on")
        with throttle.guard_request(user="bob"):
            assert in_use(throttle) == 2
    asyncio.run(main())
    assert in_use(throttle) == 0


def test_parameters_that_can_be_read_once_are_asked_about_each_time() -> None:
    throttle = Throttle("rules: [{name: c, match: {columns: {orders.id: [42]}}, limit: {block: true}}]")
    guard = throttle.guard("select * from orders where id = %s", params=iter([42]))
    for _ in range(2):
        with pytest.raises(StatementAborted), guard:
            raise AssertionError("it was sent")


def test_a_place_is_given_back_to_a_throttle_that_was_closed_meanwhile() -> None:
    throttle = Throttle("rules: [{name: one, limit: {concurrency: {max: 1}}}]")
    with throttle.guard(SQL) as guard:
        decision = guard.decision
        throttle.close()
    assert not throttle.release(decision), "it was given back"


