"""asyncpg: what is reached by an install, and that one layer counts."""

from __future__ import annotations

import asyncio
import contextlib
import io
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from filled import fill
from shop import EVERYTHING
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine
from test_asyncpg import address, refused  # noqa: F401
from watch import counted, throttle  # noqa: F401

import sqlthrottle
import sqlthrottle.asyncpg
import sqlthrottle.psycopg2
import sqlthrottle.sqlalchemy

QUERY = "select * from refused"


class Own(asyncpg.Connection):
    """A class of a user, with a method that sends another statement first."""

    async def fetch(self, query: str, *args: Any, **options: Any) -> Any:
        await super().execute("set application_name = 'own'")
        return await super().fetch(query, *args, **options)


async def serves(connection: asyncpg.Connection) -> None:
    assert await connection.fetchval("select count(*) from refused") > 0


def test_a_connection_asks_until_it_is_uninstalled(address: str, throttle: sqlthrottle.Throttle) -> None:
    async def main() -> None:
        connection = await asyncpg.connect(address, connection_class=Own)
        assert not sqlthrottle.asyncpg.uninstall(connection)
        sqlthrottle.asyncpg.install(connection, throttle)
        sqlthrottle.asyncpg.install(connection, throttle)
        assert isinstance(connection, Own) and type(connection).__name__ == "Own"
        prepared = await connection.prepare(QUERY)
        cursor = connection.cursor(QUERY)
        await refused(connection.fetch(QUERY))
        with sqlthrottle.Throttle(refresh=False) as another, pytest.raises(sqlthrottle.ArgumentError):
            sqlthrottle.asyncpg.install(connection, another)
        assert counted(throttle, "refused")["aborted"] == 1
        assert sqlthrottle.asyncpg.uninstall(connection)
        assert type(connection) is Own
        await serves(connection)
        assert await prepared.fetch()
        async with connection.transaction():
            assert [row async for row in cursor]
        await connection.close()
        with pytest.raises(TypeError):
            sqlthrottle.asyncpg.install(object(), throttle)
        with pytest.raises(sqlthrottle.ArgumentError):
            await sqlthrottle.asyncpg.connect(address, throttle=throttle, fakes="all")

    asyncio.run(main())


def test_a_pool_asks_on_all_of_its_connections(address: str, throttle: sqlthrottle.Throttle) -> None:
    async def main() -> None:
        def prepared(connection: asyncpg.Connection) -> Coroutine[Any, Any, None]:
            return serves(connection)

        async with asyncpg.create_pool(address, min_size=1, max_size=2, init=prepared, reset=prepared) as pool:
            async with pool.acquire() as before:
                sqlthrottle.asyncpg.install(pool, throttle)
                await refused(before.fetch(QUERY))
                async with pool.acquire() as after:
                    assert isinstance(after, asyncpg.Connection)
                    await refused(after.fetch(QUERY))
                    with sqlthrottle.Throttle(refresh=False) as another, pytest.raises(sqlthrottle.ArgumentError):
                        sqlthrottle.asyncpg.install(after, another)
            await pool.expire_connections()
            calls: tuple[Callable[[], Coroutine[Any, Any, Any]], ...] = (
                lambda: pool.execute(QUERY),
                lambda: pool.fetch(QUERY),
                lambda: pool.fetchrow(QUERY),
                lambda: pool.fetchval(QUERY),
                lambda: pool.executemany("delete from refused where id = $1", [(1,)]),
                lambda: pool.copy_from_query(QUERY, output=print),
            )
            for call in calls:
                await refused(call())
            assert counted(throttle, "refused")["aborted"] == 2 + len(calls)
            rules = {"rules": [{"name": "all", "limit": {"fixed_window": {"max": 99, "window": "24h"}}}]}
            throttle.reload(rules)
            await pool.fetch(QUERY)
            await pool.copy_from_query("select * from refused where id = $1", 1, output=io.BytesIO())
            assert counted(throttle, "all")["passed"] == 2
            assert await pool.fetchval("select count(*) from plain") > 0
            assert sqlthrottle.asyncpg.uninstall(pool)
            assert type(pool) is asyncpg.Pool
            assert await pool.fetch(QUERY)
            async with pool.acquire() as freed:
                await serves(freed)

    asyncio.run(main())


def test_a_pool_that_has_no_connection_yet_asks_with_their_database(address: str) -> None:
    async def main() -> None:
        rules = {"rules": [{"name": "there", "match": {"databases": address.rpartition("/")[2]}, "limit": {"block": True}}]}
        with sqlthrottle.Throttle(rules, refresh=False) as throttle:
            async with sqlthrottle.asyncpg.create_pool(address, throttle=throttle, min_size=0, max_size=1) as pool:
                for times in (1, 2):
                    await refused(pool.fetch("select * from plain"))
                    assert counted(throttle, "there")["aborted"] == times
            with_class = sqlthrottle.asyncpg.connection_class(throttle, database=address.rpartition("/")[2])
            assert issubclass(with_class, asyncpg.Connection)
            async with asyncpg.create_pool(address, connection_class=with_class, min_size=1, max_size=1) as pool:
                await refused(pool.fetch("select * from plain"))

    asyncio.run(main())


def test_what_asyncpg_asks_for_by_itself_is_not_counted(address: str) -> None:
    async def main() -> None:
        with sqlthrottle.Throttle(EVERYTHING, refresh=False) as blocking:
            connection = await sqlthrottle.asyncpg.connect(address, throttle=blocking, target_session_attrs="primary")
            await connection.execute("drop type if exists shop_state; create type shop_state as enum ('open')")
            await connection.set_type_codec("shop_state", encoder=str, decoder=str.upper)
            await connection.reset()
            prepared = await connection.prepare("select 'open'::shop_state, array['open'::shop_state], $1::int4range")
            assert counted(blocking, "everything")["aborted"] == 0
            await refused(prepared.fetch(None))
            blocking.reload({"rules": []})
            assert (await prepared.fetchrow(None))[0] == "OPEN"
            await connection.execute("drop type shop_state")
            await connection.close()

    asyncio.run(main())


@pytest.mark.parametrize("is_streamed", [False, True])
def test_under_sqlalchemy_one_layer_counts(address: str, is_streamed: bool) -> None:
    async def main() -> None:
        limit = {"fixed_window": {"max": 1000, "window": "24h"}}
        rules = [{"name": kind, "match": {"kinds": kind, "tables": "plain"}, "limit": limit} for kind in ("select", "insert")]
        with sqlthrottle.Throttle({"rules": rules}, refresh=False) as throttle:
            engine = create_async_engine(
                "postgresql+asyncpg://", async_creator=lambda: sqlthrottle.asyncpg.connect(address, throttle=throttle)
            )
            query, write = text("select name from plain"), text("insert into plain (name) values (:name)")
            for times in (1, 2):
                async with engine.connect() as connection:
                    if is_streamed:
                        assert (await (await connection.stream(query)).all())[0].name == "item 0"
                    else:
                        assert (await connection.execute(query)).all()[0].name == "item 0"
                    await connection.execute(write, [{"name": "x"}, {"name": "y"}])
                assert [counted(throttle, kind)["passed"] for kind in ("select", "insert")] == [times, times]
                # Alone, the driver counts, and beneath SQLAlchemy's own guard it does not.
                sqlthrottle.sqlalchemy.install(engine, throttle)
            await engine.dispose()

    asyncio.run(main())


def test_sqlalchemy_meets_a_server_and_tests_connections_whatever_rules_say(address: str) -> None:
    async def main() -> None:
        with sqlthrottle.Throttle(EVERYTHING, refresh=False) as blocking:
            engine = create_async_engine(
                "postgresql+asyncpg://",
                async_creator=lambda: sqlthrottle.asyncpg.connect(address, throttle=blocking),
                pool_pre_ping=True,
            )
            for _ in range(2):
                async with engine.connect() as connection:
                    with pytest.raises(sqlthrottle.StatementAborted):
                        await connection.execute(text("select 2"))
            await engine.dispose()

    asyncio.run(main())


@pytest.mark.parametrize("of_pool", [False, True])
def test_what_is_sent_in_the_middle_of_a_copy_asks(address: str, throttle: sqlthrottle.Throttle, of_pool: bool) -> None:
    async def main() -> None:
        guarded = sqlthrottle.asyncpg
        other = await guarded.connect(address, throttle=throttle)
        sender = await (guarded.create_pool if of_pool else guarded.connect)(address, throttle=throttle)

        async def rows() -> AsyncIterator[tuple[int, str]]:
            await refused(other.fetch(QUERY))
            yield 1_000, "x"

        def rows_by_another_driver() -> Iterator[tuple[int, str]]:
            with contextlib.closing(sqlthrottle.psycopg2.connect(address, throttle=throttle)) as connection:
                with pytest.raises(sqlthrottle.StatementAborted):
                    connection.cursor().execute(QUERY)
            yield 1_001, "x"

        async def source() -> AsyncIterator[bytes]:
            await refused(other.fetch(QUERY))
            yield b"1002\tx\n"

        async def written(data: bytes) -> None:
            await refused(other.fetch(QUERY))

        assert await sender.copy_records_to_table("plain", records=rows()) == "COPY 1"
        assert await sender.copy_records_to_table("plain", records=rows_by_another_driver()) == "COPY 1"
        assert await sender.copy_to_table("plain", source=source()) == "COPY 1"
        assert counted(throttle, "refused")["aborted"] == 3
        await sender.copy_from_query("select $1::int", 1, output=written)
        assert counted(throttle, "refused")["aborted"] == 4
        assert await sender.copy_records_to_table("plain", records=[(1_003, "x")]) == "COPY 1"
        await other.close()
        await sender.close()

    asyncio.run(main())
