"""asyncpg: connections, pools, prepared statements and cursors."""

from __future__ import annotations

import asyncio
import gc
import io
import time
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import asyncpg
import databases
import pytest
from filled import fill
from shop import EVERYTHING, ROWS, WAIT
from shows import shows
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine
from watch import counted, held, throttle  # noqa: F401

import sqlthrottle
import sqlthrottle.asyncpg
import sqlthrottle.sqlalchemy

Test = Callable[[asyncpg.Connection], Coroutine[Any, Any, None]]
UNAVAILABLE = sqlthrottle.Reason.IGNORE_UNAVAILABLE
OVER_LIMIT = sqlthrottle.Reason.OVER_LIMIT


@pytest.fixture
def address(tmp_path: Path) -> str:
    fill("postgresql+psycopg", tmp_path)
    return f"postgresql://{databases.server('postgresql')}"


@pytest.fixture
def run(address: str, throttle: sqlthrottle.Throttle) -> Callable[[Test], None]:
    """Runs a test with a connection, in a loop of its own."""

    def run(test: Test) -> None:
        async def main() -> None:
            connection = await sqlthrottle.asyncpg.connect(address, throttle=throttle)
            try:
                await asyncio.wait_for(test(connection), 60)
            finally:
                await connection.close()

        asyncio.run(main())

    return run


async def refused(statement: Awaitable[Any], reason: sqlthrottle.Reason = sqlthrottle.Reason.BLOCKED) -> None:
    with pytest.raises(sqlthrottle.StatementAborted) as aborted:
        await statement
    assert aborted.value.decision.reason is reason


async def sent(connection: asyncpg.Connection) -> list[str]:
    """Has the texts noted that are sent from here on."""
    texts: list[str] = []
    connection.add_query_logger(lambda record: texts.append(record.query))
    return texts


async def read(connection: asyncpg.Connection, query: str) -> list[Any]:
    async with connection.transaction():
        return [row async for row in connection.cursor(query)]


async def opened(connection: asyncpg.Connection, query: str) -> Any:
    async with connection.transaction():
        return await (await connection.cursor(query)).fetch(5)


@shows("asyncpg")
class TestAsyncpg:
    @shows("`StatementAborted`, of every method; the connection serves on")
    def test_abort(self, run: Callable[[Test], None]) -> None:
        async def test(connection: asyncpg.Connection) -> None:
            query = "select * from refused"
            prepared = await connection.prepare(query)
            texts = await sent(connection)
            for statement in (
                connection.execute(query),
                connection.execute("delete from refused where id = $1", 1),
                connection.execute("select 1; delete from refused"),
                connection.executemany("insert into refused (name) values ($1)", [("x",)]),
                connection.fetch(query),
                connection.fetchrow(query),
                connection.fetchval(query),
                connection.fetchmany("insert into refused (name) values ($1) returning id", [("x",)]),
                connection.copy_from_query("select * from refused where id = $1", 1, output=io.BytesIO()),
                connection.copy_from_table("refused", output=io.BytesIO()),
                connection.copy_to_table("refused", source=io.BytesIO(b""), columns=["id"]),
                connection.copy_records_to_table("refused", records=[(1, "x")], schema_name="public"),
                prepared.fetch(),
                prepared.fetchrow(),
                prepared.fetchval(),
                prepared.fetchmany([()]),
                prepared.executemany([()]),
                prepared.explain(),
                read(connection, query),
                opened(connection, query),
            ):
                await refused(statement)
            await asyncio.sleep(0)
            assert not [text for text in texts if "refused" in text]
            assert await connection.fetchval("select count(*) from plain") == ROWS

        run(test)

    @shows("empty lists, none, and statuses that count 0; a cursor without rows; RETURNING, COPY, scripts: `StatementAborted`")
    def test_ignore(self, run: Callable[[Test], None], throttle: sqlthrottle.Throttle) -> None:
        async def test(connection: asyncpg.Connection) -> None:
            query = "select * from ignored"
            assert await connection.fetch(query) == []
            assert await connection.fetchrow(query) is None
            assert await connection.fetchval(query, column=1) is None
            assert await connection.fetchmany("select * from ignored where id = $1", [(1,), (2,)]) == []
            assert await connection.execute(query) == "SELECT 0"
            assert await connection.execute("/* x */ insert into ignored (name) values ($1)", "x") == "INSERT 0 0"
            assert await connection.execute("update ignored set name = 'x'") == "UPDATE 0"
            assert await connection.execute("delete from ignored;") == "DELETE 0"
            await connection.executemany("insert into ignored (name) values ($1)", iter([("x",), ("y",)]))
            prepared = await connection.prepare("update ignored set name = $1")
            assert await prepared.fetch("x") == [] and prepared.get_statusmsg() == "UPDATE 0"
            assert await prepared.executemany([("x",)]) is None
            assert await read(connection, query) == []
            async with connection.transaction():
                cursor = await connection.cursor(query)
                assert await cursor.fetch(5) == [] and await cursor.fetchrow() is None and await cursor.forward(5) == 0
                with pytest.raises(asyncpg.InterfaceError):
                    await cursor.fetch(0)
            await refused(connection.fetchval("insert into ignored (name) values ('x') returning id"), UNAVAILABLE)
            await refused(connection.execute("delete from ignored; delete from ignored_details"), UNAVAILABLE)
            await refused(connection.copy_from_table("ignored", output=io.BytesIO()), UNAVAILABLE)
            await refused(prepared.explain("x", analyze=True), UNAVAILABLE)
            sqlthrottle.asyncpg.install(connection, throttle, fakes="rows")
            await refused(prepared.fetch("x"), UNAVAILABLE)
            throttle.reload({})
            assert [row["name"] for row in await connection.fetch(query)] == [f"item {i}" for i in range(ROWS)]

        run(test)

    @shows("by the loop, which goes on; a timeout of the statement ends it; calls of a pool wait before they take a connection")
    def test_delay(self, run: Callable[[Test], None], address: str, throttle: sqlthrottle.Throttle) -> None:
        async def test(connection: asyncpg.Connection) -> None:
            begun = time.monotonic()
            async with sqlthrottle.asyncpg.create_pool(address, throttle=throttle, min_size=1, max_size=1) as pool:
                several = await asyncio.gather(*(pool.fetch("select * from delayed") for _ in range(4)))
                assert [len(rows) for rows in several] == [ROWS] * 4
                assert time.monotonic() - begun >= WAIT
                waiting = asyncio.create_task(pool.fetch("select * from waiting"))
                await waits(throttle, waiting)
                assert pool.get_idle_size() == 1
                waiting.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await waiting
            assert counted(throttle, "delayed")["resumed"] == 4
            with pytest.raises(asyncio.TimeoutError):
                await connection.fetch("select * from waiting", timeout=0.01)
            assert await connection.fetchval("select count(*) from delayed", timeout=60) == ROWS

        run(test)

    @shows("a cancelled task waits no longer; nothing is sent, the connection and its transaction serve on")
    def test_cancel(self, run: Callable[[Test], None], throttle: sqlthrottle.Throttle) -> None:
        async def test(connection: asyncpg.Connection) -> None:
            prepared = await connection.prepare("select * from waiting")
            statements: tuple[Callable[[], Coroutine[Any, Any, Any]], ...] = (
                lambda: connection.execute("update waiting set name = 'x'"),
                lambda: prepared.fetch(),
                lambda: opened(connection, "select * from waiting"),
                lambda: read(connection, "select * from waiting"),
            )
            async with connection.transaction():
                await connection.execute("insert into plain (name) values ('kept')")
                # Each one finds the place of that before, as that has given up.
                for times, statement in enumerate(statements, 1):
                    waiting = asyncio.create_task(statement())
                    await waits(throttle, waiting, times)
                    waiting.cancel()
                    with pytest.raises(asyncio.CancelledError):
                        await waiting
            assert await connection.fetchval("select count(*) from plain") == ROWS + 1

        run(test)

    @shows("a cursor holds its place until it is read to its end or lost, or its transaction ends")
    def test_stream(self, run: Callable[[Test], None], address: str, throttle: sqlthrottle.Throttle) -> None:
        async def test(connection: asyncpg.Connection) -> None:
            another = await sqlthrottle.asyncpg.connect(address, throttle=throttle)
            prepared = await connection.prepare("select * from single where id > $1")
            async with connection.transaction():
                seen = 0
                async for _ in prepared.cursor(0, prefetch=5):
                    seen += 1
                    if seen < 5:
                        assert held(throttle) == 1
                        await refused(another.fetch("select * from single"), OVER_LIMIT)
                assert seen == ROWS and held(throttle) == 0
                # What is read at once has ended on the server, whoever goes through it.
                iterator = connection.cursor("select * from single", prefetch=100).__aiter__()
                await iterator.__anext__()
                assert held(throttle) == 0
                iterator = connection.cursor("select * from single", prefetch=5).__aiter__()
                await iterator.__anext__()
                assert held(throttle) == 1
                del iterator
                gc.collect()
                assert held(throttle) == 0
                cursor = await connection.cursor("select * from single")
                assert len(await cursor.fetch(5)) == 5 and held(throttle) == 1
                with pytest.raises(asyncpg.InterfaceError):
                    await cursor.fetch(0)
                assert held(throttle) == 1
                assert await cursor.forward(ROWS) == ROWS - 5
                assert held(throttle) == 0
                kept = await connection.cursor("select * from single")
                assert held(throttle) == 1
            assert held(throttle) == 0, kept
            with pytest.raises(asyncpg.NoActiveSQLTransactionError):
                await connection.cursor("select * from refused")
            await another.transaction().start()
            kept = await another.cursor("select * from single")
            await another.close()
            assert held(throttle) == 0

        run(test)

    @shows("`executemany` and `fetchmany` are one check that weighs as many as they have rows; refused, nothing is sent; COPY is one statement")
    def test_batch(self, run: Callable[[Test], None], throttle: sqlthrottle.Throttle) -> None:
        async def test(connection: asyncpg.Connection) -> None:
            insert = "insert into weighed (name) values ($1)"
            prepared = await connection.prepare(insert)
            await connection.executemany(insert, [("x",)] * 2000)
            await connection.executemany(insert, (("x",) for _ in range(200)))
            assert counted(throttle, "weighed")["passed"] == 2
            assert len(await connection.fetchmany(f"{insert} returning id", [("x",)] * 200)) == 200
            await refused(connection.executemany(insert, [("x",)] * 101), OVER_LIMIT)
            await refused(prepared.executemany([("x",)] * 101), OVER_LIMIT)
            await prepared.executemany([("x",)] * 100)
            await refused(prepared.fetch("x"), OVER_LIMIT)
            await connection.executemany(insert.replace("weighed", "plain"), [])
            assert await connection.copy_records_to_table("plain", records=[("x",)] * 3, columns=["name"]) == "COPY 3"
            assert await connection.fetchval("select count(*) from weighed") == ROWS + 2500

        run(test)

    @shows("stays usable, and commits without what was refused; transactions, savepoints and the reset of a pool pass; `in_transaction`")
    def test_transaction(self, run: Callable[[Test], None], address: str) -> None:
        async def test(connection: asyncpg.Connection) -> None:
            async with connection.transaction():
                await connection.execute("insert into plain (name) values ('before')")
                await refused(connection.fetch("select * from refused"))
            rules = {"rules": [*EVERYTHING["rules"], {"name": "ends", "match": {"kinds": ["transaction", "set", "show"]}, "limit": {"block": True}}]}
            with sqlthrottle.Throttle(rules, refresh=False) as blocking:
                async with sqlthrottle.asyncpg.create_pool(address, throttle=blocking, min_size=1, max_size=1) as pool:
                    for _ in range(2):
                        async with pool.acquire() as acquired:
                            async with acquired.transaction(isolation="serializable"), acquired.transaction(isolation="serializable"):
                                await refused(acquired.fetch("select * from plain"))
                            await refused(acquired.execute("commit; delete from plain"))
                            await acquired.add_listener("shop", print)
                            await acquired.remove_listener("shop", print)
                            await acquired.set_type_codec("json", schema="pg_catalog", encoder=str, decoder=str)
                    for mode in ("delay_only", "bypass"):
                        sqlthrottle.asyncpg.install(pool, blocking, in_transaction=mode)
                        async with pool.acquire() as acquired:
                            async with acquired.transaction():
                                assert await acquired.fetchval("select count(*) from plain") == ROWS + 1
                            await refused(acquired.fetch("select * from plain"))
                assert counted(blocking, "everything")["aborted"] == 7
                assert counted(blocking, "ends")["aborted"] == 0

        run(test)

    @shows("back when the statement has ended, also by an error of the server or a cancelled task")
    def test_permits(self, run: Callable[[Test], None], throttle: sqlthrottle.Throttle) -> None:
        async def test(connection: asyncpg.Connection) -> None:
            for _ in range(2):
                assert len(await connection.fetch("select * from single")) == ROWS
                assert held(throttle) == 0
            for statement in (
                connection.fetch("select missing from single"),
                connection.execute("select missing from single"),
                connection.executemany("update single set id = $1", [("x",)]),
                connection.copy_from_query("select missing from single", output=io.BytesIO()),
                read(connection, "select missing from single"),
                read(connection, "select 1 / (id - 1) from single"),
                opened(connection, "select 1 / (id - 1) from single"),
            ):
                with pytest.raises((asyncpg.PostgresError, asyncpg.DataError)) as kept:
                    await statement
                assert held(throttle) == 0, kept
            for is_iterated in (True, False):
                transaction = connection.transaction()
                await transaction.start()
                failing = connection.cursor("select 1 / (id - 1) from single order by id")
                cursor = failing.__aiter__() if is_iterated else await failing
                with pytest.raises(asyncpg.DivisionByZeroError):
                    await (cursor.__anext__() if is_iterated else cursor.fetch(5))
                assert held(throttle) == 0
                await transaction.rollback()
            running = asyncio.create_task(connection.fetch("select pg_sleep(60) from single"))
            while held(throttle) == 0:
                await asyncio.sleep(0)
            running.cancel()
            with pytest.raises(asyncio.CancelledError) as kept:
                await running
            assert held(throttle) == 0, kept
            assert await connection.fetchval("select count(*) from single") == ROWS

        run(test)


async def waits(throttle: sqlthrottle.Throttle, waiting: asyncio.Task[Any], times: int | None = None) -> None:
    """Until a statement waits, which is the one of so many."""
    times = times or 1
    while counted(throttle, "waiting")["delayed"] < times:
        assert not waiting.done(), waiting
        await asyncio.sleep(0)
