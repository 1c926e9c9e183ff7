"""Asynchronous engines: the guard waits by the loop, and the loop goes on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import engines
import pytest
from shop import EVERYTHING, ROWS, WAIT, Delayed, Ignored, Plain, Refused, Single, Waiting, Weighed
from shows import shows
from sqlalchemy import func, insert, select, text, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker
from watch import counted, held, throttle  # noqa: F401

import sqlthrottle
from sqlthrottle.sqlalchemy import install, uninstall

Run = Callable[[Callable[[AsyncEngine], Coroutine[Any, Any, None]]], None]


@pytest.fixture(params=engines.ASYNC_DRIVERS)
def run(request: pytest.FixtureRequest, tmp_path: Path, throttle: sqlthrottle.Throttle) -> Run:
    """Runs a test with an engine, in a loop of its own."""

    def run(test: Callable[[AsyncEngine], Coroutine[Any, Any, None]]) -> None:
        async def main() -> None:
            async with engines.guarded_async(request.param, tmp_path, throttle) as engine:
                await test(engine)

        asyncio.run(main())

    return run


async def refused(statement: Awaitable[Any], reason: sqlthrottle.Reason = sqlthrottle.Reason.BLOCKED) -> None:
    with pytest.raises(sqlthrottle.StatementAborted) as aborted:
        await statement
    assert aborted.value.decision.reason is reason


@shows("SQLAlchemy `AsyncEngine`, `AsyncSession`")
class TestAsync:
    @shows("`StatementAborted`; the connection serves on")
    def test_abort(self, run: Run) -> None:
        async def test(engine: AsyncEngine) -> None:
            async with engine.connect() as connection:
                await refused(connection.execute(select(Refused)))
                await refused(connection.stream(select(Refused)))
                assert await connection.scalar(select(func.count()).select_from(Plain)) == ROWS
                assert not connection.invalidated

        run(test)

    @shows("as without `async`")
    def test_ignore(self, run: Run, throttle: sqlthrottle.Throttle) -> None:
        async def test(engine: AsyncEngine) -> None:
            async with engine.connect() as connection:
                assert (await connection.execute(select(Ignored))).all() == []
                assert [row async for row in await connection.stream(select(Ignored))] == []
                assert (await connection.execute(text("delete from ignored"))).rowcount == 0
                unavailable = sqlthrottle.Reason.IGNORE_UNAVAILABLE
                await refused(connection.execute(insert(Ignored).values(name="x")), unavailable)
            async with AsyncSession(engine) as session:
                assert (await session.scalars(select(Ignored))).all() == []
                assert await session.get(Ignored, 1) is None
                session.add(Ignored(name="x"))
                await refused(session.flush(), unavailable)
                await session.rollback()
                throttle.reload({})
                assert len((await session.scalars(select(Ignored))).all()) == ROWS

        run(test)

    @shows("by the loop, which goes on: as many wait at once as there are connections")
    def test_delay(self, run: Run, throttle: sqlthrottle.Throttle) -> None:
        async def test(engine: AsyncEngine) -> None:
            asleep = time.sleep

            async def delayed() -> int:
                async with engine.connect() as connection:
                    return len((await connection.execute(select(Delayed))).all())

            def stalled(seconds: float) -> None:
                raise AssertionError("the loop is stalled")

            time.sleep = stalled
            try:
                begun = time.monotonic()
                assert await asyncio.gather(*(delayed() for _ in range(4))) == [ROWS] * 4
                assert time.monotonic() - begun >= WAIT
            finally:
                time.sleep = asleep
            assert counted(throttle, "delayed")["resumed"] == 4

        run(test)

    @shows("a cancelled task waits no longer; nothing is sent, the connection and its transaction serve on")
    def test_cancel(self, run: Run, throttle: sqlthrottle.Throttle) -> None:
        async def test(engine: AsyncEngine) -> None:
            async with engine.connect() as connection:
                await connection.execute(insert(Plain).values(name="kept"))
                # The second one finds the place of the first, as that has given up.
                for times in (1, 2):
                    waiting = asyncio.create_task(connection.execute(update(Waiting).values(name="x")))
                    while counted(throttle, "waiting")["delayed"] < times:
                        assert not waiting.done(), waiting
                        await asyncio.sleep(0)
                    waiting.cancel()
                    with pytest.raises(asyncio.CancelledError):
                        await waiting
                assert not connection.invalidated
                assert await connection.scalar(select(func.count()).select_from(Plain)) == ROWS + 1

        run(test)

    @shows("`stream` holds its place until it is read to its end or closed")
    def test_stream(self, run: Run, throttle: sqlthrottle.Throttle) -> None:
        async def test(engine: AsyncEngine) -> None:
            async with engine.connect() as connection:
                for is_read in (True, False):
                    result = await connection.stream(select(Single), execution_options={"max_row_buffer": 5})
                    row = await result.fetchone()
                    assert row is not None and row.id == 1
                    assert held(throttle) == 1
                    async with engine.connect() as another:
                        await refused(another.execute(select(Single)), sqlthrottle.Reason.OVER_LIMIT)
                    if is_read:
                        assert len(await result.all()) == ROWS - 1
                    else:
                        await result.close()
                    assert held(throttle) == 0

        run(test)

    @shows("`executemany`, and the rows of one INSERT, are one check that weighs as many as they are; refused, nothing is sent")
    def test_batch(self, run: Run, throttle: sqlthrottle.Throttle) -> None:
        async def test(engine: AsyncEngine) -> None:
            rows = [{"name": "x"} for _ in range(2400)]
            async with engine.connect() as connection:
                await connection.execute(insert(Weighed).returning(Weighed.id), rows)
                assert counted(throttle, "weighed")["passed"] == 1
                await refused(connection.execute(insert(Weighed), rows[:101]), sqlthrottle.Reason.OVER_LIMIT)
                await connection.execute(text("insert into weighed (name) values (:name)"), rows[:100])
                assert await connection.scalar(select(func.count()).select_from(Weighed)) == ROWS + 2500

        run(test)

    @shows("stays usable, and commits without what was refused; begin and savepoints pass; `in_transaction`")
    def test_transaction(self, run: Run) -> None:
        async def test(engine: AsyncEngine) -> None:
            async with engine.begin() as connection:
                await connection.execute(insert(Plain).values(name="before"))
                await refused(connection.execute(select(Refused)))
            sessions = async_sessionmaker(engine)
            with sqlthrottle.Throttle(EVERYTHING, refresh=False) as blocking:
                uninstall(engine)
                install(sessions, blocking)
                async with sessions.begin() as session, session.begin_nested():
                    await refused(session.scalars(select(Plain)))
                for mode in ("delay_only", "bypass"):
                    install(sessions, blocking, in_transaction=mode)
                    async with sessions() as session:
                        assert await session.scalar(select(func.count()).select_from(Plain)) == ROWS + 1
                assert counted(blocking, "everything")["aborted"] == 2

        run(test)

    @shows("back when the statement has ended, also by an error of the driver")
    def test_permits(self, run: Run, throttle: sqlthrottle.Throttle) -> None:
        async def test(engine: AsyncEngine) -> None:
            async with engine.connect() as connection:
                assert len((await connection.execute(select(Single))).all()) == ROWS
                assert held(throttle) == 0
                for execute in (connection.execute, connection.stream):
                    with pytest.raises(DBAPIError):
                        await execute(text("select missing from single"))
                    assert held(throttle) == 0
                    await connection.rollback()

        run(test)
