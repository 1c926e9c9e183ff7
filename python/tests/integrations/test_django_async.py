"""The asynchronous ORM of Django, and what else waits in a thread that runs for a task."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import pytest
from asgiref.sync import ThreadSensitiveContext, async_to_sync, sync_to_async
from django.db import connections, transaction
from djangos import Delayed, Ignored, Plain, Refused, Single, Waiting, Weighed, alias, throttle, throttled  # noqa: F401
from shop import EVERYTHING, ROWS
from shows import shows
from watch import counted, held

import sqlthrottle

Run = Callable[[Callable[[], Coroutine[Any, Any, None]]], None]


@pytest.fixture
def run() -> Run:
    """Runs a test as a server runs a request: with a thread for what is synchronous."""

    def run(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
        async def request() -> None:
            async with ThreadSensitiveContext():
                try:
                    await asyncio.wait_for(test(), 30)
                finally:
                    await sync_to_async(connections.close_all)()

        asyncio.run(request())

    return run


async def refused(sending: Awaitable[Any], reason: sqlthrottle.Reason = sqlthrottle.Reason.BLOCKED) -> None:
    with pytest.raises(sqlthrottle.StatementAborted) as aborted:
        await sending
    assert aborted.value.reason is reason


class Sleeps:
    """Puts an end to each sleep of the loop by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sleeping: list[asyncio.Event] = []
        self._woken = False
        self._sleep = asyncio.sleep
        monkeypatch.setattr(asyncio, "sleep", self._wait)

    async def _wait(self, seconds: float, result: Any = None) -> None:
        if seconds == 0 or self._woken:
            # Woken too early, it sleeps on for what is left.
            await self._sleep(seconds)
            return
        woken = asyncio.Event()
        self.sleeping.append(woken)
        await woken.wait()

    async def until(self, number: int) -> None:
        while len(self.sleeping) < number:
            await self._sleep(0.001)

    def wake(self) -> None:
        self._woken = True
        for woken in self.sleeping:
            woken.set()


@shows("Django, asynchronous ORM")
class TestDjangoAsync:
    @shows("`StatementAborted`, as it is; the connection serves on")
    def test_abort(self, run: Run, alias: str) -> None:
        async def test() -> None:
            await refused(Refused.objects.using(alias).aget(pk=1))
            await refused(Refused.objects.using(alias).acreate(name="x"))
            with pytest.raises(sqlthrottle.StatementAborted):
                async for _ in Refused.objects.using(alias):
                    pass
            assert await Plain.objects.using(alias).acount() == ROWS

        run(test)

    @shows("as without `async`")
    def test_ignore(self, run: Run, alias: str, throttle: sqlthrottle.Throttle) -> None:
        async def test() -> None:
            ignored = Ignored.objects.using(alias)
            found = ignored.all()
            assert [row async for row in found] == [] and await ignored.afirst() is None
            assert await ignored.acount() == 0 and not await ignored.aexists()
            with pytest.raises(Ignored.DoesNotExist):
                await ignored.aget(pk=1)
            await refused(ignored.aget_or_create(name="x"), sqlthrottle.Reason.IGNORE_UNAVAILABLE)
            await refused(ignored.acreate(name="x"), sqlthrottle.Reason.IGNORE_UNAVAILABLE)
            throttle.reload({})
            assert len([row async for row in found]) == ROWS

        run(test)

    @shows("by the loop, which goes on; the thread of the request waits, so its statements come one after another")
    def test_delay(self, run: Run, alias: str, throttle: sqlthrottle.Throttle, monkeypatch: pytest.MonkeyPatch) -> None:
        async def test() -> None:
            sleeps = Sleeps(monkeypatch)
            sending = asyncio.create_task(Delayed.objects.using(alias).acount())
            # That this goes on is what is tested: the loop is not stalled.
            await sleeps.until(1)
            behind = asyncio.create_task(Plain.objects.using(alias).acount())
            assert not sending.done()
            sleeps.wake()
            assert await sending == ROWS and await behind == ROWS
            assert counted(throttle, "delayed")["resumed"] == 1

        run(test)

    @shows("a cancelled task waits no longer; nothing is sent, the connection and its transaction serve on")
    def test_cancel(self, run: Run, alias: str, throttle: sqlthrottle.Throttle, monkeypatch: pytest.MonkeyPatch) -> None:
        def work() -> None:
            with transaction.atomic(using=alias):
                Plain.objects.using(alias).create(name="gone")
                Waiting.objects.using(alias).count()

        async def test() -> None:
            sleeps = Sleeps(monkeypatch)
            sends = (lambda: Waiting.objects.using(alias).aupdate(name="x"), sync_to_async(work))
            # The second one finds the place of the first, as that has given up.
            for times, send in enumerate(sends, 1):
                waiting = asyncio.ensure_future(send())
                await sleeps.until(times)
                waiting.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await waiting
                assert await Plain.objects.using(alias).acount() == ROWS
            assert counted(throttle, "waiting")["delayed"] == 2
            throttle.reload({})
            assert not await Waiting.objects.using(alias).filter(name="x").aexists()

        run(test)

    @shows("`async for` and `aiterator` hold their place until they are read to the end or closed")
    def test_stream(self, run: Run, alias: str, throttle: sqlthrottle.Throttle) -> None:
        async def test() -> None:
            held_while_read = 0 if alias == "mysql" else 1
            rows: Any = Single.objects.using(alias).aiterator(chunk_size=5)
            assert (await rows.__anext__()).pk
            assert held(throttle) == held_while_read
            assert len([row async for row in rows]) == ROWS - 1
            assert held(throttle) == 0
            assert len([row async for row in Single.objects.using(alias)]) == ROWS and held(throttle) == 0

        run(test)

    @shows("`abulk_create` is one check that weighs as many rows as it has; refused, nothing is stored")
    def test_batch(self, run: Run, alias: str, throttle: sqlthrottle.Throttle) -> None:
        async def test() -> None:
            weighed = Weighed.objects.using(alias)
            await weighed.abulk_create([Weighed(name="x") for _ in range(400)])
            assert counted(throttle, "weighed")["passed"] == 1
            await weighed.abulk_create([Weighed(name="x") for _ in range(490)])
            await weighed.abulk_create([Weighed(name="x") for _ in range(490)])
            await weighed.abulk_create([Weighed(name="x") for _ in range(490)])
            await weighed.abulk_create([Weighed(name="x") for _ in range(490)])
            await refused(
                weighed.abulk_create([Weighed(name="x") for _ in range(141)]), sqlthrottle.Reason.OVER_LIMIT
            )
            assert await weighed.acount() == ROWS + 2360

        run(test)

    @shows("as without `async`, within `sync_to_async`, which is how Django has transactions there")
    def test_transaction(self, run: Run, alias: str) -> None:
        def work() -> None:
            with transaction.atomic(using=alias):
                Plain.objects.using(alias).create(name="before")
                with pytest.raises(sqlthrottle.StatementAborted):
                    Refused.objects.using(alias).count()
                with pytest.raises(sqlthrottle.StatementAborted), transaction.atomic(using=alias):
                    Refused.objects.using(alias).update(name="x")
            with sqlthrottle.Throttle(EVERYTHING, refresh=False) as blocking:
                with throttled(blocking, IN_TRANSACTION="bypass"), transaction.atomic(using=alias):
                    assert Plain.objects.using(alias).count() == ROWS + 1

        async def test() -> None:
            await sync_to_async(work)()
            assert await Plain.objects.using(alias).acount() == ROWS + 1

        run(test)

    @shows("back when the statement has ended, also by an error of the driver")
    def test_permits(self, run: Run, alias: str, throttle: sqlthrottle.Throttle) -> None:
        async def test() -> None:
            assert await Single.objects.using(alias).aexists() and held(throttle) == 0
            with pytest.raises(Exception, match="missing"):
                await Single.objects.using(alias).extra(where=["missing = 1"]).acount()
            assert held(throttle) == 0

        run(test)


def test_requests_wait_at_the_same_time(alias: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def request() -> int:
        async with ThreadSensitiveContext():
            try:
                return int(await Delayed.objects.using(alias).acount())
            finally:
                await sync_to_async(connections.close_all)()

    async def both() -> list[int]:
        sleeps = Sleeps(monkeypatch)
        requests = asyncio.gather(request(), request())
        # It comes only if one does not wait for the other.
        await asyncio.wait_for(sleeps.until(2), 20)
        sleeps.wake()
        return await requests

    assert asyncio.run(both()) == [ROWS, ROWS]


def test_a_synchronous_program_that_calls_asynchronous_code_waits_and_goes_on(
    alias: str, throttle: sqlthrottle.Throttle
) -> None:
    async def inner() -> int:
        return int(await Delayed.objects.using(alias).acount())

    assert async_to_sync(inner)() == ROWS
    assert counted(throttle, "delayed")["resumed"] == 1
    assert Delayed.objects.using(alias).count() == ROWS, "its loop is gone, and the thread sleeps by itself"


def test_who_sends_is_known_in_the_thread(alias: str) -> None:
    rules = {"rules": [{"name": "dev", "match": {"user": "dev"}, "limit": {"block": True}}]}

    async def test() -> None:
        with sqlthrottle.context(user="dev"):
            await refused(Plain.objects.using(alias).acount())
        assert await Plain.objects.using(alias).acount() == ROWS
        await sync_to_async(connections.close_all)()

    with sqlthrottle.Throttle(rules, refresh=False) as throttle, throttled(throttle):
        asyncio.run(test())
