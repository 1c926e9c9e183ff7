"""Tortoise: models, transactions and clients, over each of its backends."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import aiomysql
import databases
import pymysql.err
import pytest
import tortoise.backends.mysql.client
from filled import fill
from shop import EVERYTHING, ROWS, WAIT
from shows import shows
from tortoise import Tortoise
from tortoise.backends.base.client import BaseDBAsyncClient
from tortoise.backends.base.executor import EXECUTOR_CACHE
from tortoise.connection import get_connection
from tortoise.context import TortoiseContext
from tortoise.exceptions import BaseORMException, DoesNotExist
from tortoise.functions import Max
from tortoise.transactions import in_transaction
from tortoise_shop import Delayed, Detail, Ignored, Plain, Refused, Single, Waiting, Weighed
from watch import counted, held, throttle  # noqa: F401

import sqlthrottle
import sqlthrottle.asyncpg
from sqlthrottle.tortoise import install, uninstall

BACKENDS = ("sqlite", "asyncpg", "psycopg", "asyncmy", "aiomysql")
UNAVAILABLE = sqlthrottle.Reason.IGNORE_UNAVAILABLE
OVER_LIMIT = sqlthrottle.Reason.OVER_LIMIT
Test = Callable[[BaseDBAsyncClient], Coroutine[Any, Any, None]]
Run = Callable[[Test], None]


def url(backend: str, folder: Path) -> str:
    """Of a database with the tables filled."""
    if backend == "sqlite":
        fill("sqlite", folder)
        return f"sqlite://{folder}/shop.db"
    if backend in ("asyncpg", "psycopg"):
        fill("postgresql+psycopg", folder)
        return f"{backend}://{databases.server('postgresql')}"
    fill("mysql+pymysql", folder)
    return f"mysql://{databases.server('mariadb')}"


@pytest.fixture(params=BACKENDS)
def run(
    request: pytest.FixtureRequest, tmp_path: Path, throttle: sqlthrottle.Throttle, monkeypatch: pytest.MonkeyPatch
) -> Run:
    """Runs a test with the connection that the models are in, in a loop of its own."""
    address = url(request.param, tmp_path)
    # By the name of the connection, whatever it leads to.
    EXECUTOR_CACHE.clear()
    if request.param == "aiomysql":
        # It takes either, and asyncmy where both are installed.
        monkeypatch.setattr(tortoise.backends.mysql.client, "mysql", aiomysql)
        monkeypatch.setattr(tortoise.backends.mysql.client, "errors", pymysql.err)

    def run(test: Test) -> None:
        async def main() -> None:
            async with TortoiseContext() as context:
                await context.init(db_url=address, modules={"models": ["tortoise_shop"]})
                install("default", throttle)
                try:
                    await asyncio.wait_for(test(get_connection("default")), 60)
                finally:
                    uninstall("default")

        asyncio.run(main())

    return run


async def refused(statement: Awaitable[Any], reason: sqlthrottle.Reason = sqlthrottle.Reason.BLOCKED) -> None:
    with pytest.raises(sqlthrottle.StatementAborted) as aborted:
        await statement
    assert aborted.value.decision.reason is reason


async def done(statement: Awaitable[Any]) -> Any:
    return await statement


async def listed(rows: Any) -> list[Any]:
    return [row async for row in rows]


@shows("Tortoise")
class TestTortoise:
    @shows("`StatementAborted`, as it is and not wrapped; the connection serves on")
    def test_abort(self, run: Run) -> None:
        async def test(client: BaseDBAsyncClient) -> None:
            for statement in (
                Refused.all(),
                Refused.first(),
                Refused.all().count(),
                Refused.all().values("id"),
                Refused.create(name="x"),
                Refused.bulk_create([Refused(name="x")]),
                Refused.filter(id=1).update(name="x"),
                listed(Refused.all()),
                client.execute_query("select * from refused"),
                client.execute_query_dict("select * from refused"),
                client.execute_script("select 1; delete from refused"),
            ):
                await refused(statement)
            assert await Plain.all().count() == ROWS

        run(test)

    @shows(
        "no rows: empty lists, `first` and `get_or_none` none, `get` raises `DoesNotExist`, counts 0; queries that update or delete count 0; "
        "objects that are created, saved, deleted or read again, relations that they keep, RETURNING: `StatementAborted`"
    )
    def test_ignore(self, run: Run, throttle: sqlthrottle.Throttle) -> None:
        async def test(client: BaseDBAsyncClient) -> None:
            assert await Ignored.all() == await Ignored.all().values() == await listed(Ignored.all()) == []
            assert await Ignored.first() is None and await Ignored.get_or_none(id=1) is None
            with pytest.raises(DoesNotExist):
                await Ignored.get(id=1)
            assert await Ignored.all().count() == 0 and not await Ignored.exists()
            assert await Ignored.annotate(most=Max("id")).values_list("most") == []
            assert await Ignored.filter(id=1).update(name="x") == await Ignored.all().delete() == 0
            assert await client.execute_query("update ignored set name = 'x'") == (0, [])
            assert await client.execute_query_dict("select * from ignored") == []
            await client.execute_script("delete from ignored")
            stored = Ignored(id=1, name="changed")
            stored._saved_in_db = True
            plain, label = await Plain.get(id=1), await Single.get(id=1)
            assert await plain.details == []
            for statement in (
                Ignored.create(name="x"),
                Ignored.bulk_create([Ignored(name="x")]),
                Ignored.get_or_create(name="x"),
                stored.save(),
                stored.delete(),
                stored.refresh_from_db(),
                Plain.all().prefetch_related("details"),
                plain.fetch_related("details"),
                plain.fetch_related("labels"),
                plain.labels.add(label),
                listed(plain.details),
                client.execute_insert("insert into ignored (name) values ('x')", []),
                client.execute_many("insert into ignored (name) values ('x')", [[]]),
            ):
                await refused(statement, UNAVAILABLE)
            with pytest.raises(BaseORMException):
                len(plain.details)
            install("default", throttle, fakes="count")
            await refused(Ignored.all(), UNAVAILABLE)
            throttle.reload({})
            assert [row.name for row in await Ignored.all().order_by("id")] == [f"item {i}" for i in range(ROWS)]
            assert await listed(plain.details) == []

        run(test)

    @shows("by the loop, which goes on, before a connection is taken")
    def test_delay(self, run: Run, throttle: sqlthrottle.Throttle, monkeypatch: pytest.MonkeyPatch) -> None:
        def stalled(seconds: float) -> None:
            raise AssertionError("the loop is stalled")

        async def test(client: BaseDBAsyncClient) -> None:
            async def delayed() -> int:
                return len(await Delayed.all())

            with monkeypatch.context() as patched:
                patched.setattr(time, "sleep", stalled)
                begun = time.monotonic()
                tasks = [asyncio.create_task(delayed()) for _ in range(8)]
                while counted(throttle, "delayed")["delayed"] < 8:
                    await asyncio.sleep(0)
                assert client._connection is None and not getattr(client, "_pool", None)
                assert await asyncio.gather(*tasks) == [ROWS] * 8
                assert time.monotonic() - begun >= WAIT
            assert counted(throttle, "delayed")["resumed"] == 8

        run(test)

    @shows("a cancelled task waits no longer; nothing is sent, the connection and its transaction serve on")
    def test_cancel(self, run: Run, throttle: sqlthrottle.Throttle) -> None:
        async def test(client: BaseDBAsyncClient) -> None:
            async with in_transaction():
                await Plain.create(name="kept")
                # The second one finds the place of the first, as that has given up.
                for times in (1, 2):
                    waiting = asyncio.create_task(done(Waiting.filter(id=1).update(name="x")))
                    while counted(throttle, "waiting")["delayed"] < times:
                        assert not waiting.done(), waiting
                        await asyncio.sleep(0)
                    waiting.cancel()
                    with pytest.raises(asyncio.CancelledError):
                        await waiting
            assert await Plain.all().count() == ROWS + 1

        run(test)

    @shows("none: `async for` reads all rows first, and the place is back before the first one")
    def test_stream(self, run: Run, throttle: sqlthrottle.Throttle) -> None:
        async def test(client: BaseDBAsyncClient) -> None:
            seen = 0
            async for row in Single.all():
                assert held(throttle) == 0
                seen += 1
            assert seen == ROWS and counted(throttle, "single")["passed"] == 1

        run(test)

    @shows("`bulk_create` and `execute_many` are one check that weighs as many as they have rows; refused, nothing is sent")
    def test_batch(self, run: Run, throttle: sqlthrottle.Throttle) -> None:
        async def test(client: BaseDBAsyncClient) -> None:
            await Weighed.bulk_create([Weighed(name="x") for _ in range(2000)])
            await Weighed.bulk_create([Weighed(name="x") for _ in range(400)], batch_size=200)
            assert counted(throttle, "weighed")["passed"] == 3
            await refused(Weighed.bulk_create([Weighed(name="x") for _ in range(101)]), OVER_LIMIT)
            async with in_transaction() as transaction:
                await transaction.execute_many("insert into weighed (name) values ('y')", [[]] * 100)
                await refused(transaction.execute_many("insert into weighed (name) values ('y')", [[]]), OVER_LIMIT)
            assert await Weighed.all().count() == ROWS + 2500

        run(test)

    @shows("stays usable, and commits without what was refused; BEGIN and savepoints pass; `in_transaction`")
    def test_transaction(self, run: Run) -> None:
        async def test(client: BaseDBAsyncClient) -> None:
            async with in_transaction():
                await Plain.create(name="before")
                await refused(Refused.all())
                async with in_transaction():
                    await Plain.create(name="nested")
                    await refused(Refused.all())
            assert await Plain.all().count() == ROWS + 2
            with sqlthrottle.Throttle(EVERYTHING, refresh=False) as blocking:
                uninstall("default")
                install("default", blocking)
                async with in_transaction(), in_transaction() as nested:
                    await refused(Plain.all())
                    await refused(nested.execute_query("select * from plain"))
                for mode in ("delay_only", "bypass"):
                    install("default", blocking, in_transaction=mode)
                    async with in_transaction():
                        assert await Plain.all().count() == ROWS + 2
                    await refused(Plain.all())
                assert counted(blocking, "everything")["aborted"] == 5

        run(test)

    @shows("back when the statement has ended, also by an error of the database")
    def test_permits(self, run: Run, throttle: sqlthrottle.Throttle) -> None:
        async def test(client: BaseDBAsyncClient) -> None:
            for _ in range(2):
                assert len(await Single.all()) == ROWS and held(throttle) == 0
            for statement in (
                client.execute_query("select missing from single"),
                client.execute_query_dict("select missing from single"),
                client.execute_insert("insert into single (id, name) values (1, 'x')", []),
                Single.create(id=1, name="x"),
                Single.bulk_create([Single(id=1, name="x")]),
            ):
                # psycopg's own error is not always wrapped.
                with pytest.raises(Exception, match="missing|(?i:unique|duplicate)") as kept:
                    await statement
                assert held(throttle) == 0, kept

        run(test)
