"""The tables of the tests as models of peewee, and the databases that they are in."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import databases
import MySQLdb
import peewee
import pymysql
from filled import fill
from playhouse.pool import PooledSqliteDatabase
from playhouse.postgres_ext import PostgresqlExtDatabase, Psycopg3Database
from playhouse.pwasyncio import AsyncMySQLDatabase, AsyncPostgresqlDatabase, AsyncSqliteDatabase

DRIVERS = ("sqlite", "sqlite-pool", "psycopg2", "psycopg", "pymysql", "mysqlclient")
ASYNC_DRIVERS = ("aiosqlite", "asyncpg", "aiomysql")

proxy = peewee.DatabaseProxy()


class Base(peewee.Model):  # type: ignore[misc]
    id = peewee.AutoField()
    name = peewee.CharField(max_length=40)

    class Meta:
        database = proxy


class Refused(Base):
    pass


class Ignored(Base):
    pass


class Delayed(Base):
    pass


class Waiting(Base):
    pass


class Single(Base):
    pass


class Weighed(Base):
    pass


class Plain(Base):
    pass


class Detail(peewee.Model):  # type: ignore[misc]
    id = peewee.AutoField()
    plain = peewee.ForeignKeyField(Plain, backref="details")

    class Meta:
        database = proxy
        table_name = "ignored_details"


class ToIgnored(peewee.Model):  # type: ignore[misc]
    """The other way round: what it refers to is ignored."""

    id = peewee.AutoField()
    ignored = peewee.ForeignKeyField(Ignored, column_name="id", lazy_load=True, object_id_name="ignored_id")

    class Meta:
        database = proxy
        table_name = "plain"


def made(driver: str, folder: Path) -> Any:
    """A database with the tables filled, which the models are in."""
    database = _sqlite(driver, folder) or _postgresql(driver, folder) or _mysql(driver, folder)
    proxy.initialize(database)
    return database


def _sqlite(driver: str, folder: Path) -> Any:
    kinds = {"sqlite": peewee.SqliteDatabase, "sqlite-pool": PooledSqliteDatabase, "aiosqlite": AsyncSqliteDatabase}
    if driver not in kinds:
        return None
    fill("sqlite", folder)
    return kinds[driver](str(folder / "shop.db"))


def _postgresql(driver: str, folder: Path) -> Any:
    kinds = {"psycopg2": PostgresqlExtDatabase, "psycopg": Psycopg3Database, "asyncpg": AsyncPostgresqlDatabase}
    if driver not in kinds:
        return None
    fill("postgresql+psycopg", folder)
    parts = urlsplit(f"postgresql://{databases.server('postgresql')}")
    return kinds[driver](parts.path[1:], host=parts.hostname, port=parts.port, user=parts.username)


def _mysql(driver: str, folder: Path) -> Any:
    fill("mysql+pymysql", folder)
    # It takes either, and the first one where both are installed.
    peewee.mysql = MySQLdb if driver == "mysqlclient" else pymysql
    parts = urlsplit(f"mysql://{databases.server('mariadb')}")
    kind = AsyncMySQLDatabase if driver == "aiomysql" else peewee.MySQLDatabase
    return kind(parts.path[1:], host=parts.hostname, port=parts.port, user=parts.username)
