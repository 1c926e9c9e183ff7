from __future__ import annotations

import pytest

from sqlthrottle._exempt import first_word, is_exempt, or_blank, or_control


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
        "select name from tortoise_migrations",
        'INSERT INTO "aerich" (version) VALUES ($1)',
        "select version()",
        "select pg_catalog.version()",
        "select current_schema();",
        "SELECT DATABASE()",
        "SELECT @@tx_isolation",
        "select @@session.sql_mode",
        "drop table a; create table a (b text default ';'); create index i on a (b); -- ;",
        "create table a (b int);;\n",
        "pragma foreign_keys = on; select name from sqlite_master where type = 'table'",
        "create or replace function f() returns void as $$ begin delete from users; return; end $$ language plpgsql; grant a to b",
        "create definer = `a`@`b` trigger t before insert on users for each row begin delete from users; set @a = 'x'; end",
        "create table a$b$c (d int); drop table a$b$c",
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
        "select current_schema() from users",
        "select @@version from users",
        # Others stand behind it.
        "create table a (b int); select * from users",
        "select 1; select * from users",
        "pragma user_version = 3; delete from users",
        "drop table a; drop table 'a\\'; select * from users -- '",
        "create table event (a int); delete from users",
        "create table a (b text default $a$ ;); delete from users",
        ";",
        # Databases read it in different ways.
        "/*!50000 select * from users */",
        "/*M!100100 select * from users, */ create table a (b int)",
        "select /*! a from users union select */ 1 from pg_class",
        "/* /* */ create */ select * from users",
        "select /* /* */ from pg_class */ * from users",
        "select * # from pg_class\n from users",
        'select "a\\" from pg_class " from users',
        "select $a$ from pg_class $a$ from users",
        "select `a from pg_class",
    ],
)
def test_nothing_else_is(sql: str) -> None:
    assert not is_exempt(sql)


def test_a_text_of_any_length_is_read_in_a_moment() -> None:
    assert not is_exempt("select " + "(" * 1_000_000)
    assert not is_exempt("select 1 " + "\n" * 1_000_000 + "from")
    for repeated in ("/*", "/* ", "/* * ", "'", '"', "`", "[", "#", "$", "$a", "$a$ ", "--", "; ", "'\\"):
        assert not is_exempt("select " + repeated * 300_000 + " from users")
        assert not is_exempt("select " + repeated * 300_000 + " from users;")
        assert not or_blank(None)(repeated * 300_000 + "\n x")


@pytest.mark.parametrize(
    "sql", ["begin", "BEGIN ISOLATION LEVEL SERIALIZABLE;", " commit ;\n", "ROLLBACK TO a;", 'release savepoint "a"', 'LISTEN "shop"', "show a"]
)
def test_what_libraries_send_by_themselves_is_exempt_too(sql: str) -> None:
    assert not is_exempt(sql) and or_control(is_exempt)(sql) and or_control(None)(sql)


@pytest.mark.parametrize("sql", ["", " ", ";", "/* a */ -- b", "--\n;\n;"])
def test_what_says_nothing_is_exempt_too(sql: str) -> None:
    assert or_blank(None)(sql) and or_blank(is_exempt)(sql) and or_control(None)(sql)


@pytest.mark.parametrize("sql", ["/*! delete from users */", "/* /* */ delete from users */", "; delete from users", "'"])
def test_what_some_databases_would_send_is_not(sql: str) -> None:
    assert not or_blank(None)(sql) and not or_blank(is_exempt)(sql) and not or_control(None)(sql)


@pytest.mark.parametrize("sql", ["commit; delete from users", "beginning", "select 1 from users", "begin;;delete from users", "settle"])
def test_what_comes_behind_it_is_not(sql: str) -> None:
    assert not or_control(None)(sql) and not or_control(is_exempt)(sql)


def test_what_follows_a_first_word_does_not_take_long() -> None:
    assert not or_control(None)("begin" + " " * 1_000_000 + ";x")
    assert or_control(lambda sql: True)("delete from users")


def test_the_first_word_stands_behind_comments() -> None:
    assert first_word("-- a\n /* b */ Insert into users") == "insert"
    assert first_word("") == first_word("'insert'") == ""
