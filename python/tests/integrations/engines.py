"""Engines over the databases of the tests, with the tables filled and a throttle in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import databases
import sqlalchemy
from shop import ROWS, TABLES, Base
from sqlalchemy import Connection, Engine, insert
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

import sqlthrottle
from sqlthrottle.sqlalchemy import install, uninstall

DRIVERS = ("sqlite", "postgresql+psycopg", "postgresql+psycopg2", "mysql+pymysql", "mysql+mysqldb")
ASYNC_DRIVERS = ("sqlite+aiosqlite", "postgresql+asyncpg", "postgresql+psycopg", "mysql+aiomysql", "mysql+asyncmy")


@contextmanager
def guarded(driver: str, folder: Path, throttle: sqlthrottle.Throttle) -> Iterator[Engine]:
    engine = sqlalchemy.create_engine(databases.url(driver, folder))
    with engine.begin() as connection:
        _fill(connection)
    install(engine, throttle)
    yield engine
    uninstall(engine)
    engine.dispose()


@asynccontextmanager
async def guarded_async(driver: str, folder: Path, throttle: sqlthrottle.Throttle) -> AsyncIterator[AsyncEngine]:
    engine = create_async_engine(databases.url(driver, folder))
    try:
        async with engine.begin() as connection:
            await connection.run_sync(_fill)
        install(engine, throttle)
        yield engine
        uninstall(engine)
    finally:
        await engine.dispose()


def _fill(connection: Connection) -> None:
    Base.metadata.drop_all(connection)
    Base.metadata.create_all(connection)
    for table in TABLES:
        connection.execute(insert(table), [{"name": f"item {i}"} for i in range(ROWS)])
