"""Connections, cursors and pools of psycopg 3, in tasks: the guard waits by the loop, and the loop goes on."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import psycopg
import psycopg_pool
import pytest
import sqlalchemy
from drivers import filled, refused
from shop import EVERYTHING, ROWS, WAIT
from shows import shows
from sqlalchemy.ext.asyncio import create_async_engine
from watch import counted, held, throttle  # noqa: F401

import sqlthrottle
import sqlthrottle.psycopg
import sqlthrottle.sqlalchemy
from sqlthrottle import Reason, StatementAborted

Connection = psycopg.AsyncConnection[Any]
Run = Callable[[Callable[[Connection], Coroutine[Any, Any, None]]], None]


@pytest.fixture
def conninfo(tmp_path: Path) -> str:
    return str(filled("postgresql+psycopg", tmp_path)._replace(scheme="postgresql").geturl())


@pytest.fixture
def run(conninfo: str, throttle: sqlthrottle.Throttle) -> Run:
    """Runs a test with a guarded connection, in a loop of its own."""

    def run(test: Callable[[Connection], Coroutine[Any, Any, None]]) -> None:
        async def main() -> None:
            async with await sqlthrottle.psycopg.connect_async(conninfo, throttle=throttle) as connection:
                await test(connection)

        asyncio.run(main())

    return run


async def rows(connection: Connection, statement: str, *arguments: Any) -> list[Any]:
    return await (await connection.execute(statement, *arguments)).fetchall()  # type: ignore[arg-type]


async def is_refused(statement: Awaitable[Any], reason: Reason = Reason.BLOCKED) -> None:
    with refused(reason):
        await statement


@shows("psycopg 3 in tasks")
class TestPsycopgAsync:
    @shows("`StatementAborted`; the connection serves on")
    def test_abort(self, run: Run) -> None:
        async def test(connection: Connection) -> None:
            cursor = connection.cursor()
            await is_refused(connection.execute("select * from refused"))
            await is_refused(cursor.execute("update refused set name = 'x'"))
            await is_refused(cursor.executemany("insert into refused (name) values (%s)", [("x",)]))
            await is_refused(anext(cursor.stream("select * from refused")))
            with refused():
                async with cursor.copy("copy refused to stdout"):
                    pass
            assert await rows(connection, "select count(*) from plain") == [(ROWS,)]

        run(test)

    @shows("as in threads")
    def test_ignore(self, run: Run, throttle: sqlthrottle.Throttle) -> None:
        async def test(connection: Connection) -> None:
            cursor = connection.cursor()
            statement = "select name, id from ignored"
            await cursor.execute(statement)
            assert await cursor.fetchone() is None
            assert [row async for row in cursor] == []
            assert len(cursor.description or ()) == 1
            assert [row async for row in cursor.stream(statement)] == []
            async with connection.cursor("made up") as served:
                await served.execute(statement)
                assert await served.fetchall() == [row async for row in served] == []
            await cursor.execute("delete from ignored")
            assert cursor.rowcount == 0
            await cursor.executemany("insert into ignored (name) values (%s)", [("x",), ("y",)])
            assert cursor.rowcount == 0
            unavailable = Reason.IGNORE_UNAVAILABLE
            await is_refused(cursor.execute("insert into ignored (name) values ('x') returning id"), unavailable)
            await is_refused(cursor.execute("select * from ignored for update"), unavailable)
            throttle.reload({})
            assert len(await rows(connection, statement)) == ROWS
            throttle.reload({"rules": [{"name": "i", "limit": {"block": True}, "then": {"strategy": "ignore"}}]})
            await cursor.execute(statement)
            assert [column.name for column in cursor.description or ()] == ["name", "id"]

        run(test)

    @shows("by the loop, which goes on: as many wait at once as there are connections")
    def test_delay(self, conninfo: str, throttle: sqlthrottle.Throttle, monkeypatch: pytest.MonkeyPatch) -> None:
        def stalled(seconds: float) -> None:
            raise AssertionError("the loop is stalled")

        async def main() -> None:
            async with psycopg_pool.AsyncConnectionPool(conninfo, min_size=4, open=False) as pool:
                sqlthrottle.psycopg.install(pool, throttle)

                async def delayed() -> int:
                    async with pool.connection() as connection:
                        return len(await rows(connection, "select * from delayed"))

                begun = time.monotonic()
                with monkeypatch.context() as patched:
                    patched.setattr(time, "sleep", stalled)
                    assert await asyncio.gather(*(delayed() for _ in range(4))) == [ROWS] * 4
                assert time.monotonic() - begun >= WAIT

        asyncio.run(main())
        assert counted(throttle, "delayed")["resumed"] == 4

    @shows("a cancelled task waits no longer; nothing is sent, the connection and its transaction serve on")
    def test_cancel(self, run: Run, throttle: sqlthrottle.Throttle) -> None:
        async def test(connection: Connection) -> None:
            await connection.execute("insert into plain (name) values ('kept')")
            # The second one finds the place of the first, as that has given up.
            for times in (1, 2):
                waiting = asyncio.create_task(connection.execute("update waiting set name = 'x'"))
                while counted(throttle, "waiting")["delayed"] < times:
                    assert not waiting.done(), waiting
                    await asyncio.sleep(0)
                # The connection is not locked meanwhile.
                assert await rows(connection, "select count(*) from plain") == [(ROWS + 1,)]
                waiting.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await waiting
            assert await rows(connection, "select count(*) from plain") == [(ROWS + 1,)]

        run(test)

    @shows(
        "a server-side cursor holds its place until it is read to its end, closed, executed again or lost, or the transaction or the "
        "connection ends; `stream` and `copy` until they end"
    )
    @pytest.mark.filterwarnings("ignore:.*was deleted while still open:ResourceWarning")
    def test_stream(self, run: Run, conninfo: str, throttle: sqlthrottle.Throttle) -> None:
        async def test(connection: Connection) -> None:
            statement = "select id from single"
            stream: Any = connection.cursor().stream(statement)
            assert await anext(stream) == (1,)
            assert held(throttle) == 1
            await is_refused(connection.execute(statement), Reason.OVER_LIMIT)
            assert len([row async for row in stream]) == ROWS - 1
            assert held(throttle) == 0
            stream = connection.cursor().stream(statement)
            await anext(stream)
            await stream.aclose()
            assert held(throttle) == 0
            async with connection.cursor().copy("copy single to stdout") as copy:
                assert held(throttle) == 1
                assert [block async for block in copy]
            assert held(throttle) == 0

            async with connection.cursor("served") as cursor:
                await cursor.execute(statement)
                assert held(throttle) == 1
                assert len(await cursor.fetchmany(ROWS)) == ROWS
                assert held(throttle) == 1
                assert await cursor.fetchone() is None
                assert held(throttle) == 0
                for _ in range(2):
                    await cursor.execute(statement)
                assert len([row async for row in cursor]) == ROWS
                assert held(throttle) == 0
                await cursor.execute(statement)
            assert held(throttle) == 0
            cursor = connection.cursor("lost")
            await cursor.execute(statement)
            assert held(throttle) == 1
            del cursor
            gc.collect()
            assert held(throttle) == 0
            cursor = connection.cursor("rolled back")
            await cursor.execute(statement)
            await connection.rollback()
            assert held(throttle) == 0
            await cursor.close()
            cursor = connection.cursor("closed with its connection")
            await cursor.execute(statement)
            await connection.close()
            assert held(throttle) == 0

        run(test)

    @shows("`executemany` is one check that weighs as many as its rows; refused, nothing is sent")
    def test_batch(self, run: Run, throttle: sqlthrottle.Throttle) -> None:
        async def test(connection: Connection) -> None:
            cursor = connection.cursor()
            insert = "insert into weighed (name) values (%s)"
            await cursor.executemany(insert, [("x",)] * 2400)
            assert counted(throttle, "weighed")["passed"] == 1
            await is_refused(cursor.executemany(insert, [("x",)] * 101), Reason.OVER_LIMIT)
            await cursor.executemany(insert, (("x",) for _ in range(100)))
            assert await rows(connection, "select count(*) from weighed") == [(ROWS + 2500,)]

        run(test)

    @shows("stays usable, and commits without what was refused; BEGIN, savepoints, COMMIT and ROLLBACK pass; `in_transaction`")
    def test_transaction(self, run: Run, conninfo: str) -> None:
        async def test(connection: Connection) -> None:
            async with connection.transaction():
                await connection.execute("insert into plain (name) values ('before')")
                await is_refused(connection.execute("select * from refused"))
            with sqlthrottle.Throttle(EVERYTHING, refresh=False) as blocking:
                other = await sqlthrottle.psycopg.connect_async(conninfo, throttle=blocking, autocommit=True)
                async with other, other.transaction(), other.transaction():
                    await is_refused(other.execute("select * from plain"))
                for mode in ("delay_only", "bypass"):
                    other = await sqlthrottle.psycopg.connect_async(
                        conninfo, throttle=blocking, in_transaction=mode, autocommit=True
                    )
                    async with other:
                        async with other.transaction():
                            assert await rows(other, "select count(*) from plain") == [(ROWS + 1,)]
                        await is_refused(other.execute("select * from plain"))
                # The one that was sent under `delay_only` is counted as refused; under `bypass` none is.
                assert counted(blocking, "everything")["aborted"] == 4

        run(test)

    @shows("back when the statement has ended, also by an error of the driver")
    def test_permits(self, run: Run, throttle: sqlthrottle.Throttle) -> None:
        async def test(connection: Connection) -> None:
            assert len(await rows(connection, "select * from single")) == ROWS
            assert held(throttle) == 0
            for cursor in (connection.cursor(), connection.cursor("served")):
                with pytest.raises(psycopg.Error):
                    await cursor.execute("select missing from single")
                assert held(throttle) == 0
                await connection.rollback()
                await cursor.close()
            with pytest.raises(psycopg.Error):
                await connection.cursor().executemany("insert into single (id, name) values (%s, 'x')", [(9,), (9,)])
            assert held(throttle) == 0
            with pytest.raises(psycopg.Error):
                await anext(connection.cursor().stream("select missing from single"))
            assert held(throttle) == 0

        run(test)


def test_a_pipeline_holds_places_until_results_come(run: Run, throttle: sqlthrottle.Throttle) -> None:
    async def test(connection: Connection) -> None:
        async with connection.pipeline() as pipeline:
            cursor = await connection.execute("select count(*) from single")
            assert held(throttle) == 1
            assert await cursor.fetchone() == (ROWS,)
            assert held(throttle) == 0
            await cursor.execute("select count(*) from plain")
            await is_refused(cursor.execute("select * from ignored"), Reason.IGNORE_UNAVAILABLE)
            await cursor.executemany("update single set name = %s where id = %s", [("x", 1), ("y", 2)])
            await pipeline.sync()
            assert held(throttle) == 0

    run(test)


def test_streams_end_with_a_transaction_that_a_text_ends(run: Run, throttle: sqlthrottle.Throttle) -> None:
    async def test(connection: Connection) -> None:
        cursor = connection.cursor("stream")
        await cursor.execute("select id from single")
        assert held(throttle) == 1
        await connection.execute("commit")
        assert held(throttle) == 0
        await cursor.close()

    run(test)


def test_a_pool_lends_guarded_connections(conninfo: str, throttle: sqlthrottle.Throttle) -> None:
    async def main() -> None:
        async with psycopg_pool.AsyncConnectionPool(conninfo, min_size=1, open=False) as pool:
            sqlthrottle.psycopg.install(pool, throttle)
            async with pool.connection() as connection:
                assert isinstance(connection, psycopg.AsyncConnection)
                assert isinstance(connection.cursor(), psycopg.AsyncCursor)
                await is_refused(connection.execute("select * from refused"))
            assert sqlthrottle.psycopg.uninstall(pool)
            async with pool.connection() as connection:
                assert len(await rows(connection, "select * from refused")) == ROWS

    asyncio.run(main())


def test_what_sqlalchemy_asked_for_is_asked_once(conninfo: str, throttle: sqlthrottle.Throttle) -> None:
    async def main() -> None:
        engine = create_async_engine(
            "postgresql+psycopg://",
            async_creator=lambda: sqlthrottle.psycopg.connect_async(conninfo, throttle=throttle),
        )
        sqlthrottle.sqlalchemy.install(engine, throttle)
        async with engine.connect() as connection:
            assert len((await connection.execute(sqlalchemy.text("select * from single"))).all()) == ROWS
            assert counted(throttle, "single")["passed"] == 1
            raw: Any = (await connection.get_raw_connection()).driver_connection
            with pytest.raises(StatementAborted):
                await raw.execute("select * from refused")
        await engine.dispose()

    asyncio.run(main())
