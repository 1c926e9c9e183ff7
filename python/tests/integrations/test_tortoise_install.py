"""Tortoise: what is reached by an install, and what is never asked about."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from shop import EVERYTHING, ROWS
from test_tortoise import refused, url
from tortoise import Tortoise
from tortoise.backends.base.executor import EXECUTOR_CACHE
from tortoise.backends.sqlite.client import SqliteClient
from tortoise.connection import ConnectionHandler, get_connection
from tortoise.context import TortoiseContext
from tortoise.migrations.recorder import MigrationRecorder
from tortoise.migrations.schema_editor.sqlite import SqliteSchemaEditor
from tortoise.transactions import in_transaction
from tortoise_shop import Plain, Refused
from watch import counted, throttle  # noqa: F401

import sqlthrottle
import sqlthrottle.asyncpg
from sqlthrottle.tortoise import install, uninstall

MODELS = {"models": ["tortoise_shop"]}


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Tortoise keeps texts by the name of a connection, whatever it leads to."""
    EXECUTOR_CACHE.clear()
    yield
    EXECUTOR_CACHE.clear()


def test_a_connection_asks_until_it_is_uninstalled(tmp_path: Path, throttle: sqlthrottle.Throttle) -> None:
    async def main() -> None:
        async with TortoiseContext() as context:
            await context.init(db_url=url("sqlite", tmp_path), modules=MODELS)
            client = get_connection("default")
            assert not uninstall("default")
            plain = type(client)
            for target in ("default", context, context.connections, client):
                install(target, throttle)
                assert isinstance(client, SqliteClient) and type(client).__name__ == plain.__name__
                await refused(Refused.all())
            assert counted(throttle, "refused")["aborted"] == 4
            with sqlthrottle.Throttle(refresh=False) as another, pytest.raises(sqlthrottle.ArgumentError):
                install("default", another)
            async with in_transaction():
                await refused(Refused.all())
            assert uninstall(context)
            assert type(client) is plain
            assert len(await Refused.all()) == ROWS
            with pytest.raises(sqlthrottle.ArgumentError):
                install("missing", throttle)
            with pytest.raises(sqlthrottle.ArgumentError):
                install("default", throttle, fakes="all")
            with pytest.raises(TypeError):
                install(object(), throttle)  # type: ignore[arg-type]

    asyncio.run(main())


def test_a_transaction_that_is_open_asks_no_more_once_it_is_uninstalled(tmp_path: Path, throttle: sqlthrottle.Throttle) -> None:
    async def main() -> None:
        async with TortoiseContext() as context:
            await context.init(db_url=url("sqlite", tmp_path), modules=MODELS)
            client = get_connection("default")
            install("default", throttle)
            async with in_transaction():
                await refused(Refused.all())
                assert uninstall(client)
                assert len(await Refused.all()) == ROWS
            async with in_transaction():
                install("default", throttle)
                await refused(Refused.all())
            # It was said of the connection, and not of that transaction.
            await refused(Refused.all())
            async with in_transaction():
                assert uninstall("default")
                assert len(await Refused.all()) == ROWS
            assert len(await Refused.all()) == ROWS

    asyncio.run(main())


@pytest.mark.filterwarnings("ignore::tortoise.warnings.TortoiseLoopSwitchWarning")
def test_what_replaces_a_connection_asks_too(tmp_path: Path, throttle: sqlthrottle.Throttle) -> None:
    address = url("sqlite", tmp_path)
    context = TortoiseContext()

    async def first() -> None:
        with context:
            await context.init(db_url=address, modules=MODELS)
            install(context, throttle)
            assert await Plain.all().count() == ROWS
            await get_connection("default").close()

    async def second() -> None:
        with context:
            await refused(Refused.all())
            context.connections.discard("default")
            await refused(Refused.all())
            assert isinstance(context.connections, ConnectionHandler)
            uninstall("default")
            context.connections.discard("default")
            assert len(await Refused.all()) == ROWS
            await context.close_connections()

    asyncio.run(first())
    asyncio.run(second())


def test_schema_and_migrations_are_not_asked_about(tmp_path: Path) -> None:
    async def main() -> None:
        async with TortoiseContext() as context:
            await context.init(db_url=f"sqlite://{tmp_path}/new.db", modules=MODELS)
            with sqlthrottle.Throttle(EVERYTHING, refresh=False) as blocking:
                install("default", blocking)
                await Tortoise.generate_schemas()
                client = get_connection("default")
                editor, recorder = SqliteSchemaEditor(client), MigrationRecorder(client)
                await recorder.ensure_schema(editor)
                await recorder.record_applied("models", "0001_initial")
                # As it moves rows where a table is made anew.
                await editor._run_sql("insert into plain (name) select name from refused")
                assert counted(blocking, "everything")["aborted"] == 0
                await refused(Plain.all())
                uninstall("default")

    asyncio.run(main())


def test_above_a_guarded_pool_of_asyncpg_one_layer_counts(tmp_path: Path) -> None:
    async def main() -> None:
        limit = {"fixed_window": {"max": 9, "window": "24h"}}
        rules = {"rules": [{"name": "plain", "match": {"tables": "plain"}, "limit": limit}]}
        async with TortoiseContext() as context:
            await context.init(db_url=url("asyncpg", tmp_path), modules=MODELS)
            with sqlthrottle.Throttle(rules, refresh=False) as throttle:
                assert await Plain.all().count() == ROWS
                sqlthrottle.asyncpg.install(get_connection("default")._pool, throttle)
                await Plain.all()
                assert counted(throttle, "plain")["passed"] == 1
                install("default", throttle)
                await Plain.all()
                await Plain.create(name="x")
                async with in_transaction():
                    await Plain.bulk_create([Plain(name="x")])
                await get_connection("default").execute_query_dict("select * from plain")
                assert counted(throttle, "plain")["passed"] == 5
                uninstall("default")

    asyncio.run(main())


def test_rules_know_the_database(tmp_path: Path) -> None:
    async def main() -> None:
        async with TortoiseContext() as context:
            await context.init(db_url=url("sqlite", tmp_path), modules=MODELS)
            rules = {"rules": [{"name": "there", "match": {"databases": str(tmp_path / "shop.db")}, "limit": {"block": True}}]}
            with sqlthrottle.Throttle(rules, refresh=False) as throttle:
                install("default", throttle)
                await refused(Plain.all())
                async with in_transaction():
                    await refused(Plain.all())
                uninstall("default")

    asyncio.run(main())
