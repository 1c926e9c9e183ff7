"""The table of docs/python.md is what the tests say of themselves, and each of its cells is a test."""

from __future__ import annotations

from pathlib import Path

import pytest
import test_asgi
import test_asyncpg
import test_dbapi
import test_django_async
import test_django_orm
import test_peewee
import test_peewee_async
import test_psycopg
import test_psycopg2
import test_psycopg_async
import test_pymysql
import test_sqlalchemy_async
import test_sqlalchemy_core
import test_sqlalchemy_orm
import test_sqlite3
import test_tortoise
import test_wsgi
from shows import COLUMNS, table

ROWS: list[type] = [
    test_sqlalchemy_core.TestCore,
    test_sqlalchemy_orm.TestOrm,
    test_sqlalchemy_async.TestAsync,
    test_psycopg.TestPsycopg,
    test_psycopg_async.TestPsycopgAsync,
    test_psycopg2.TestPsycopg2,
    test_pymysql.TestPymysql,
    test_pymysql.TestMysqlclient,
    test_sqlite3.TestSqlite3,
    test_dbapi.TestWrap,
    test_asyncpg.TestAsyncpg,
    test_peewee.TestPeewee,
    test_peewee_async.TestPeeweeAsync,
    test_tortoise.TestTortoise,
    test_asgi.TestAsgi,
    test_wsgi.TestWsgi,
    test_django_orm.TestDjango,
    test_django_async.TestDjangoAsync,
]
DOCUMENTATION = Path(__file__).parents[3] / "docs" / "python.md"


def test_the_table_of_the_documentation_is_that_of_the_tests() -> None:
    assert table(ROWS) in DOCUMENTATION.read_text(), f"it should read\n{table(ROWS)}"


@pytest.mark.parametrize("row", ROWS)
def test_each_cell_is_a_test(row: type) -> None:
    for column in COLUMNS:
        assert callable(getattr(row, f"test_{column}", None)), f"{row.__name__} has no test of {column}"
