from __future__ import annotations

import pytest

from sqlthrottle._exempt import is_exempt


@pytest.mark.parametrize(
    "sql",
    [
        "create table plain (id int)",
        "  -- made by a tool\n ALTER TABLE plain ADD name text",
        "/* a */ drop table plain",
        "PRAGMA table_info(plain)",
        "DESCRIBE `shop`.`plain`",
        "desc plain name",
        "select 1",
        " SELECT  1 ; ",
        "/* ping */ SELECT 1",
        "select name from sqlite_master where type = 'table'",
        "SELECT sql FROM (SELECT * FROM sqlite_master UNION ALL SELECT * FROM sqlite_temp_master) WHERE name = ?",
        "select c.relname from pg_catalog.pg_class c",
        "select c.relname from pg_class c",
        "select table_name from information_schema.tables",
        'INSERT INTO "alembic_version" (version_num) VALUES (%s)',
        "update alembic_version set version_num = 'x'",
        "DELETE FROM `shop`.`django_migrations`",
    ],
)
def test_what_manages_a_schema_is_exempt(sql: str) -> None:
    assert is_exempt(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "",
        "'",
        "(",
        "select",
        "select * from",
        "select * from (",
        "select 1 from users",
        "select 12",
        "select * from users where name = 'x' or 1 in (select 1 from pg_class)",
        "select 'create table', ' from pg_class' from users",
        "select * from alembic_versions",
        "insert into users values ('alembic_version')",
        "update users set a = 1",
        "select * from users, pg_catalog.pg_class",
        "with a as (select * from users) select * from pg_class",
        "created table",
        "desc analyze select * from users",
    ],
)
def test_nothing_else_is(sql: str) -> None:
    assert not is_exempt(sql)


def test_a_text_of_any_length_is_read_in_a_moment() -> None:
    assert not is_exempt("select " + "(" * 1_000_000)
    assert not is_exempt("select 1 " + "\n" * 1_000_000 + "from")
    assert not is_exempt("/*" * 1_000_000)
