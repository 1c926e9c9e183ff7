"""How a throttle gets into engines, and what it leaves alone there."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import alembic.op
import pytest
import sqlalchemy
from alembic.migration import MigrationContext
from alembic.operations import Operations
from engines import guarded
from shop import EVERYTHING, Base, Ignored, Plain, Refused, Single
from sqlalchemy import Column, Engine, Integer, MetaData, Table, create_engine, event, inspect, insert, select, text
from sqlalchemy.ext.asyncio import async_sessionmaker, create_async_engine
from sqlalchemy.orm import Session, scoped_session, sessionmaker
from watch import counted, held, throttle  # noqa: F401

import sqlthrottle
import sqlthrottle.asgi
import sqlthrottle.opentelemetry
import sqlthrottle.prometheus
import sqlthrottle.sqlite3
import sqlthrottle.wsgi
from sqlthrottle._gate import decided
from sqlthrottle.sqlalchemy import _plugin, install, uninstall

PLAIN = text("select * from plain")


@pytest.fixture
def blocking() -> Iterator[sqlthrottle.Throttle]:
    with sqlthrottle.Throttle(EVERYTHING, refresh=False) as throttle:
        yield throttle


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = create_engine(f"sqlite:///{tmp_path}/shop.db")
    Base.metadata.create_all(engine)
    yield engine
    engine.dispose()


def is_guarded(engine: Engine) -> bool:
    with engine.connect() as connection:
        try:
            connection.execute(PLAIN)
        except sqlthrottle.StatementAborted:
            return True
    return False


def test_what_makes_sessions_stands_for_its_engines(engine: Engine, blocking: sqlthrottle.Throttle) -> None:
    for sessions in (
        sessionmaker(engine),
        sessionmaker(binds={Plain: engine}),
        scoped_session(sessionmaker(engine)),
        engine.execution_options(compiled_cache=None),
    ):
        install(sessions, blocking)
        assert is_guarded(engine)
        assert uninstall(sessions)
        assert not is_guarded(engine)
        assert not uninstall(sessions)


def test_asynchronous_engines_and_sessions_stand_for_what_is_inside(tmp_path: Path, blocking: sqlthrottle.Throttle) -> None:
    async def main() -> None:
        engine = create_async_engine(f"sqlite+aiosqlite:///{tmp_path}/shop.db")
        install(async_sessionmaker(engine), blocking)
        async with engine.connect() as connection:
            with pytest.raises(sqlthrottle.StatementAborted):
                await connection.execute(PLAIN)
        assert uninstall(engine)
        await engine.dispose()

    asyncio.run(main())


def test_what_is_no_engine_is_refused(engine: Engine, blocking: sqlthrottle.Throttle) -> None:
    with pytest.raises(sqlthrottle.ArgumentError, match="no engine yet"):
        install(sessionmaker(), blocking)
    with Session(engine) as session, pytest.raises(TypeError, match="sessionmaker"):
        install(session, blocking)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="str"):
        install("sqlite://", blocking)  # type: ignore[arg-type]
    with pytest.raises(sqlthrottle.ArgumentError, match="in_transaction"):
        install(engine, blocking, in_transaction="sometimes")


def test_what_is_no_throttle_is_refused_wherever_it_is_put_in(engine: Engine) -> None:
    path: Any = "sqlthrottle.yml"
    for put_in in (
        lambda: install(engine, path),
        lambda: sqlthrottle.sqlite3.connect(":memory:", throttle=path),
        lambda: sqlthrottle.asgi.Middleware(path, path),
        lambda: sqlthrottle.wsgi.Middleware(path, path),
        lambda: sqlthrottle.prometheus.Collector(path),
        lambda: sqlthrottle.opentelemetry.observe(path),
    ):
        with pytest.raises(TypeError, match="throttle is a Throttle, .* and not str"):
            put_in()


def test_it_counts_once_however_often_it_is_installed(engine: Engine, blocking: sqlthrottle.Throttle) -> None:
    install(engine, blocking)
    install(engine, blocking)
    assert is_guarded(engine)
    assert counted(blocking, "everything")["matched"] == 1
    with sqlthrottle.Throttle("", refresh=False) as another, pytest.raises(sqlthrottle.ArgumentError, match="another"):
        install(engine, another)
    uninstall(engine)
    assert not is_guarded(engine)


def test_a_layer_above_that_has_asked_counts_alone(engine: Engine, blocking: sqlthrottle.Throttle) -> None:
    install(engine, blocking)
    with decided(blocking):
        assert not is_guarded(engine)
    assert is_guarded(engine)


def test_the_plugin_takes_a_throttle(blocking: sqlthrottle.Throttle) -> None:
    engine = create_engine("sqlite://", plugins=["sqlthrottle"], throttle=blocking)
    assert is_guarded(engine)
    engine.dispose()


def test_the_plugin_takes_a_rule_file_in_the_url(tmp_path: Path) -> None:
    rules = tmp_path / "rules.yml"
    rules.write_text("rules: [{name: everything, limit: {block: true}}]")
    url = f"sqlite://?plugin=sqlthrottle&sqlthrottle_rules={rules}"
    engine = create_engine(url)
    assert is_guarded(engine)
    assert not engine.url.query
    bypassing = create_engine(f"{url}&sqlthrottle_in_transaction=bypass")
    with pytest.raises(sqlalchemy.exc.OperationalError, match="no such table"), bypassing.connect() as connection:
        connection.execute(PLAIN)
    for wrong in ("sqlite://?plugin=sqlthrottle", f"{url}&sqlthrottle_fakes=all"):
        with pytest.raises(sqlthrottle.ArgumentError):
            create_engine(wrong)
    engine.dispose()
    bypassing.dispose()
    shared = _plugin._opened[str(rules)]
    assert counted(shared, "everything")["matched"] == 1
    shared.close()


def test_the_schema_is_made_and_looked_at_unasked(tmp_path: Path, blocking: sqlthrottle.Throttle) -> None:
    for driver in ("sqlite", "postgresql+psycopg", "mysql+pymysql"):
        with guarded(driver, tmp_path, blocking) as engine:
            with engine.begin() as connection:
                Base.metadata.drop_all(connection)
                Base.metadata.create_all(connection)
                assert "plain" in inspect(connection).get_table_names()
                reflected = Table("ignored_details", MetaData(), autoload_with=connection)
                assert len(reflected.foreign_keys) == 1
            assert counted(blocking, "everything")["matched"] == 0


def test_connections_are_tested_and_set_up_unasked(tmp_path: Path, blocking: sqlthrottle.Throttle) -> None:
    for driver in ("sqlite", "postgresql+psycopg", "mysql+pymysql"):
        with guarded(driver, tmp_path, blocking) as guarded_engine:
            engine = create_engine(
                guarded_engine.url, pool_pre_ping=True, plugins=["sqlthrottle"], throttle=blocking, isolation_level="SERIALIZABLE"
            )
            for _ in range(2):
                with engine.connect():
                    pass
            engine.dispose()
        assert counted(blocking, "everything")["matched"] == 0


def test_what_alembic_migrates_passes_and_nothing_else(engine: Engine, blocking: sqlthrottle.Throttle) -> None:
    install(engine, blocking)
    with engine.begin() as connection:
        context = MigrationContext.configure(connection)
        with Operations.context(context):
            alembic.op.execute("insert into plain (name) values ('migrated')")
            alembic.op.execute(insert(Plain).values(name="migrated"))
            assert is_guarded(engine)
        with pytest.raises(sqlthrottle.StatementAborted):
            connection.execute(PLAIN)
    install(engine, blocking, migrations=True)
    with engine.connect() as connection, Operations.context(MigrationContext.configure(connection)) as operations:
        with pytest.raises(sqlthrottle.StatementAborted):
            operations.execute("insert into plain (name) values ('migrated')")
        operations._remove_proxy()


def test_a_default_that_is_a_query_is_refused_as_it_is(engine: Engine) -> None:
    items = Table(
        "items",
        MetaData(),
        Column("id", Integer, primary_key=True),
        Column("plain", Integer, default=select(Plain.id).limit(1).scalar_subquery()),
        Column("refused", Integer, primary_key=True, default=select(Refused.id).limit(1).scalar_subquery()),
    )
    items.create(engine)
    rules = {"rules": [{"name": "r", "match": {"tables": "refused"}, "limit": {"block": True}, "then": {"strategy": "ignore"}}]}
    with sqlthrottle.Throttle(rules, refresh=False) as throttle:
        install(engine, throttle)
        with engine.connect() as connection, pytest.raises(sqlthrottle.StatementAborted) as refused:
            connection.execute(insert(items).values(id=1))
        assert refused.value.decision.reason is sqlthrottle.Reason.IGNORE_UNAVAILABLE
        assert "select" not in str(refused.value).lower()


def test_what_listens_sees_the_statement_that_is_sent(engine: Engine) -> None:
    """A text that a listener changes is the one that is asked about."""
    with sqlthrottle.Throttle(
        {"rules": [{"name": "refused", "match": {"tables": "refused"}, "limit": {"block": True}}]}, refresh=False
    ) as throttle:
        install(engine, throttle)

        @event.listens_for(engine, "before_cursor_execute", retval=True)
        def redirect(connection, cursor, statement, parameters, context, executemany):  # type: ignore[no-untyped-def]
            return statement.replace("plain", "refused"), parameters

        assert is_guarded(engine)


def test_rules_see_bound_values(engine: Engine) -> None:
    rules = {"rules": [{"name": "hot", "match": {"columns": {"plain.id": [42]}}, "limit": {"block": True}}]}
    with sqlthrottle.Throttle(rules, refresh=False) as throttle:
        install(engine, throttle)
        with engine.connect() as connection:
            connection.execute(select(Plain).where(Plain.id == 41))
            with pytest.raises(sqlthrottle.StatementAborted):
                connection.execute(select(Plain).where(Plain.id == 42))
            with pytest.raises(sqlthrottle.StatementAborted):
                connection.execute(text("select * from plain where id = :id"), {"id": 42})


def test_the_database_is_said(tmp_path: Path, blocking: sqlthrottle.Throttle) -> None:
    rules = {"rules": [{"name": "shop", "match": {"databases": "throttle"}, "limit": {"block": True}}]}
    with sqlthrottle.Throttle(rules, refresh=False) as throttle, guarded("mysql+pymysql", tmp_path, throttle) as engine:
        assert is_guarded(engine)


def test_a_failed_part_of_many_rows_gives_its_place_back(engine: Engine) -> None:
    with sqlthrottle.Throttle(
        {"rules": [{"name": "single", "limit": {"concurrency": {"max": 1}}}]}, refresh=False
    ) as throttle:
        install(engine, throttle)
        rows = [{"id": i % 1999, "name": "x"} for i in range(2500)]
        with engine.connect() as connection:
            with pytest.raises(sqlalchemy.exc.IntegrityError):
                connection.execute(insert(Single).returning(Single.id), rows)
            assert held(throttle) == 0
            connection.rollback()
            assert len(connection.execute(insert(Single).returning(Single.id), rows[:1999]).all()) == 1999
            assert held(throttle) == 0


def test_an_ignored_text_shows_the_columns_that_it_had_before(engine: Engine, throttle: sqlthrottle.Throttle) -> None:
    statement = text("select name, id from ignored")
    with engine.connect() as connection:
        install(engine, throttle)
        assert len(connection.execute(statement).keys()) == 1
        throttle.reload({})
        assert list(connection.execute(statement).keys()) == ["name", "id"]
        throttle.reload({"rules": [{"name": "i", "match": {"tables": "ignored"}, "limit": {"block": True}, "then": {"strategy": "ignore"}}]})
        assert list(connection.execute(statement).keys()) == ["name", "id"]
        assert connection.execute(select(Ignored)).all() == []


@pytest.mark.parametrize("again", [1, 2, 5])
def test_a_text_that_has_come_by_the_short_way_is_ignored_and_refused_as_any(
    again: int, engine: Engine, throttle: sqlthrottle.Throttle
) -> None:
    statement = text("select name, id from ignored")
    by = {"name": "i", "match": {"tables": "ignored"}}
    with engine.connect() as connection:
        install(engine, throttle)
        throttle.reload({})
        for _ in range(again):
            assert list(connection.execute(statement).keys()) == ["name", "id"]
        throttle.reload({"rules": [{**by, "limit": {"block": True}, "then": {"strategy": "ignore"}}]})
        ignored = connection.execute(statement)
        assert list(ignored.keys()) == ["name", "id"] and ignored.all() == []
        throttle.reload({"rules": [{**by, "limit": {"block": True}}]})
        with pytest.raises(sqlthrottle.StatementAborted):
            connection.execute(statement)
        throttle.reload({"rules": [{**by, "limit": {"concurrency": {"max": 1}}}]})
        for _ in range(3):
            connection.execute(statement).all()
        assert throttle.snapshot()["rules"][0]["passed"] == 3


def test_engines_without_asyncio_need_no_greenlet(run: Callable[..., str]) -> None:
    done = run("""
        import sys
        sys.modules["greenlet"] = None
        import sqlalchemy, sqlthrottle.sqlalchemy
        engine = sqlalchemy.create_engine("sqlite://")
        sqlthrottle.sqlalchemy.install(engine, sqlthrottle.Throttle("default_threshold: 1"))
        with engine.connect() as connection:
            connection.execute(sqlalchemy.text("select 1 + 1 as two"))
            try:
                connection.execute(sqlalchemy.text("select 1 + 2 as two"))
            except sqlthrottle.StatementAborted as refusal:
                print(refusal.reason.value)
    """)
    assert done == "over_limit\n"


def test_who_is_refused_again_waits_for_no_thread(engine: Engine, blocking: sqlthrottle.Throttle) -> None:
    """A lock that another thread holds when a process forks stays locked in the child."""
    install(engine, blocking)
    assert is_guarded(engine)
    refused = threading.Event()

    def again() -> None:
        assert is_guarded(engine)
        refused.set()

    with engine.dialect.do_execute.__self__._lock:  # type: ignore[attr-defined]
        threading.Thread(target=again, daemon=True).start()
        assert refused.wait(10)
