"""peewee's own asyncio: the guard waits by the loop, and the loop goes on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import peewee
import peewee_shop
import pytest
from peewee_shop import Delayed, Detail, Ignored, Plain, Refused, Single, Waiting, Weighed
from shop import EVERYTHING, ROWS, WAIT
from shows import shows
from watch import counted, held, throttle  # noqa: F401

import sqlthrottle
import sqlthrottle.asyncpg
from sqlthrottle.peewee import install, uninstall

UNAVAILABLE = sqlthrottle.Reason.IGNORE_UNAVAILABLE
OVER_LIMIT = sqlthrottle.Reason.OVER_LIMIT
Test = Callable[[Any], Coroutine[Any, Any, None]]
Run = Callable[[Test], None]


@pytest.fixture(params=peewee_shop.ASYNC_DRIVERS)
def run(request: pytest.FixtureRequest, tmp_path: Path, throttle: sqlthrottle.Throttle) -> Run:
    """Runs a test with a database, in a loop of its own."""

    def run(test: Test) -> None:
        async def main() -> None:
            database = peewee_shop.made(request.param, tmp_path)
            install(database, throttle)
            try:
                await asyncio.wait_for(test(database), 60)
            finally:
                uninstall(database)
                await database.close_pool()

        asyncio.run(main())

    return run


async def refused(statement: Awaitable[Any], reason: sqlthrottle.Reason = sqlthrottle.Reason.BLOCKED) -> None:
    with pytest.raises(sqlthrottle.StatementAborted) as aborted:
        await statement
    assert aborted.value.decision.reason is reason


async def read(database: Any, query: Any) -> list[Any]:
    return [row async for row in database.iterate(query)]


@shows("peewee `pwasyncio`")
class TestPeeweeAsync:
    @shows("`StatementAborted`; the connection serves on")
    def test_abort(self, run: Run) -> None:
        async def test(database: Any) -> None:
            await refused(database.list(Refused.select()))
            await refused(database.get(Refused.select()))
            await refused(database.run(Refused.create, name="x"))
            await refused(database.aexecute(Refused.delete()))
            await refused(database.aexecute_sql("select * from refused"))
            await refused(read(database, Refused.select()))
            assert await database.count(Plain.select()) == ROWS

        run(test)

    @shows("as without `pwasyncio`")
    def test_ignore(self, run: Run, throttle: sqlthrottle.Throttle) -> None:
        async def test(database: Any) -> None:
            assert await database.list(Ignored.select()) == [] and await database.count(Ignored.select()) == 0
            assert await database.first(Ignored.select()) is None and not await database.exists(Ignored.select())
            assert await database.aexecute(Ignored.update(name="x")) == 0
            assert await read(database, Ignored.select()) == []
            assert (await database.aexecute_sql("delete from ignored")).rowcount == 0
            await refused(database.run(Ignored.create, name="x"), UNAVAILABLE)
            await refused(database.run(Ignored(id=1, name="x").save), UNAVAILABLE)
            await refused(database.aprefetch(Plain.select(), Detail.select()), UNAVAILABLE)
            throttle.reload({})
            assert len(await database.list(Ignored.select())) == ROWS

        run(test)

    @shows("by the loop, which goes on: as many wait at once as there are tasks, and none of them takes a connection")
    def test_delay(self, run: Run, throttle: sqlthrottle.Throttle, monkeypatch: pytest.MonkeyPatch) -> None:
        def stalled(seconds: float) -> None:
            raise AssertionError("the loop is stalled")

        async def test(database: Any) -> None:
            async def delayed() -> int:
                return len(await database.list(Delayed.select()))

            with monkeypatch.context() as patched:
                patched.setattr(time, "sleep", stalled)
                begun = time.monotonic()
                tasks = [asyncio.create_task(delayed()) for _ in range(4)]
                while counted(throttle, "delayed")["delayed"] < 4:
                    await asyncio.sleep(0)
                assert database._pool is None
                assert await asyncio.gather(*tasks) == [ROWS] * 4
                assert time.monotonic() - begun >= WAIT
            assert counted(throttle, "delayed")["resumed"] == 4

        run(test)

    @shows("a cancelled task waits no longer; nothing is sent, the connection and its transaction serve on")
    def test_cancel(self, run: Run, throttle: sqlthrottle.Throttle) -> None:
        async def test(database: Any) -> None:
            # The second one finds the place of the first, as that has given up.
            for times in (1, 2):
                async with database.atomic():
                    await database.run(Plain.create, name="kept")
                    waiting = asyncio.create_task(database.aexecute(Waiting.update(name="x")))
                    while counted(throttle, "waiting")["delayed"] < times:
                        assert not waiting.done(), waiting
                        await asyncio.sleep(0)
                    waiting.cancel()
                    with pytest.raises(asyncio.CancelledError):
                        await waiting
                with pytest.raises(asyncio.TimeoutError):
                    async with database.atomic():
                        await database.run(Plain.create, name="undone")
                        await asyncio.wait_for(database.list(Waiting.select()), 0.001)
            assert await database.count(Plain.select()) == ROWS + 2

        run(test)

    @shows("`iterate` holds its place until it is read to its end or closed")
    def test_stream(self, run: Run, throttle: sqlthrottle.Throttle) -> None:
        async def test(database: Any) -> None:
            for is_read in (True, False):
                rows = database.iterate(Single.select().order_by(Single.id), buffer_size=5)
                assert (await anext(rows)).id == 1 and held(throttle) == 1

                async def another() -> None:
                    await refused(database.list(Single.select()), OVER_LIMIT)

                await asyncio.create_task(another())
                if is_read:
                    assert len([row async for row in rows]) == ROWS - 1
                else:
                    await rows.aclose()
                assert held(throttle) == 0

        run(test)

    @shows("`insert_many` and `bulk_create` are one check that weighs as many as they have rows; refused, nothing is sent")
    def test_batch(self, run: Run, throttle: sqlthrottle.Throttle) -> None:
        async def test(database: Any) -> None:
            await database.aexecute(Weighed.insert_many([{"name": "x"}] * 2000))
            await database.run(Weighed.bulk_create, [Weighed(name="x") for _ in range(400)])
            assert counted(throttle, "weighed")["passed"] == 2
            await refused(database.aexecute(Weighed.insert_many([{"name": "x"}] * 101)), OVER_LIMIT)
            await database.aexecute(Weighed.insert_many({"name": "x"} for _ in range(100)))
            await refused(database.run(Weighed.create, name="x"), OVER_LIMIT)
            assert await database.count(Weighed.select()) == ROWS + 2500

        run(test)

    @shows("stays usable, and commits without what was refused; BEGIN and savepoints pass; `in_transaction`")
    def test_transaction(self, run: Run) -> None:
        async def test(database: Any) -> None:
            async with database.atomic():
                await database.run(Plain.create, name="before")
                await refused(database.list(Refused.select()))
            with sqlthrottle.Throttle(EVERYTHING, refresh=False) as blocking:
                uninstall(database)
                install(database, blocking)
                async with database.atomic(), database.atomic():
                    await refused(database.list(Plain.select()))
                for mode in ("delay_only", "bypass"):
                    install(database, blocking, in_transaction=mode)
                    async with database.atomic():
                        assert await database.count(Plain.select()) == ROWS + 1
                    await refused(database.list(Plain.select()))
                assert counted(blocking, "everything")["aborted"] == 4

        run(test)

    @shows("back when the statement has ended, also by an error of the driver")
    def test_permits(self, run: Run, throttle: sqlthrottle.Throttle) -> None:
        async def test(database: Any) -> None:
            missing = Single.select(peewee.SQL("missing"))
            assert len(await database.list(Single.select())) == ROWS and held(throttle) == 0
            for statement in (
                database.list(missing),
                database.aexecute_sql("select missing from single"),
                read(database, missing),
                database.aexecute(Single.insert(id=1, name="x")),
            ):
                with pytest.raises(Exception, match="missing|(?i:unique|duplicate)") as kept:
                    await statement
                assert held(throttle) == 0, kept

        run(test)


def test_above_a_guarded_pool_of_asyncpg_one_layer_counts(tmp_path: Path) -> None:
    async def main() -> None:
        rules = {"rules": [{"name": "plain", "match": {"tables": "plain"}, "limit": {"fixed_window": {"max": 9, "window": "24h"}}}]}
        with sqlthrottle.Throttle(rules, refresh=False) as throttle:
            database = peewee_shop.made("asyncpg", tmp_path)
            assert await database.count(Plain.select()) == ROWS
            sqlthrottle.asyncpg.install(database._pool, throttle)
            await read(database, Plain.select())
            assert counted(throttle, "plain")["passed"] == 1
            install(database, throttle)
            await read(database, Plain.select())
            assert len(await database.list(Plain.select())) == ROWS
            assert counted(throttle, "plain")["passed"] == 3
            uninstall(database)
            await database.close_pool()

    asyncio.run(main())
