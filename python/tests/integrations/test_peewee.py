"""peewee: queries, models, texts, and databases that are installed on, proxies among them."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import peewee
import peewee_shop
import pytest
from peewee_shop import Delayed, Detail, Ignored, Plain, Refused, Single, ToIgnored, Waiting, Weighed
from playhouse.postgres_ext import ServerSide
from shop import EVERYTHING, ROWS, WAIT
from shows import shows
from watch import counted, held, throttle  # noqa: F401

import sqlthrottle
import sqlthrottle.peewee
from sqlthrottle.peewee import install, uninstall

UNAVAILABLE = sqlthrottle.Reason.IGNORE_UNAVAILABLE
OVER_LIMIT = sqlthrottle.Reason.OVER_LIMIT


@pytest.fixture(params=peewee_shop.DRIVERS)
def database(request: pytest.FixtureRequest, tmp_path: Path, throttle: sqlthrottle.Throttle) -> Iterator[Any]:
    database = peewee_shop.made(request.param, tmp_path)
    install(database, throttle)
    yield database
    uninstall(database)
    database.close()


def refused(statement: Callable[[], Any], reason: sqlthrottle.Reason = sqlthrottle.Reason.BLOCKED) -> None:
    with pytest.raises(sqlthrottle.StatementAborted) as aborted:
        statement()
    assert aborted.value.decision.reason is reason


@shows("peewee")
class TestPeewee:
    @shows("`StatementAborted`, as it is and not wrapped; the connection serves on")
    def test_abort(self, database: Any) -> None:
        for statement in (
            lambda: list(Refused.select()),
            lambda: Refused.get_or_none(Refused.id == 1),
            lambda: Refused.select().count(),
            lambda: Refused.create(name="x"),
            lambda: Refused.update(name="x").execute(),
            lambda: Refused.delete_by_id(1),
            lambda: list(Refused.select().iterator()),
            lambda: database.execute_sql("select * from refused"),
            lambda: list(Refused.raw("select * from refused")),
        ):
            refused(statement)
        assert Plain.select().count() == ROWS

    @shows(
        "no rows: empty lists, `get` raises `DoesNotExist`, `count()` 0; updates and deletes count 0; `create`, `save`, `insert`, RETURNING, "
        "relationships and `prefetch`, whose objects keep what they get: `StatementAborted`"
    )
    def test_ignore(self, database: Any, throttle: sqlthrottle.Throttle) -> None:
        assert list(Ignored.select()) == list(Ignored.select().dicts().iterator()) == []
        assert Ignored.get_or_none() is None and Ignored.select().first() is None
        with pytest.raises(Ignored.DoesNotExist):
            Ignored.get_by_id(1)
        assert Ignored.select().count() == 0 and not Ignored.select().exists()
        assert Ignored.select(peewee.fn.MAX(Ignored.id)).scalar() is None
        assert list(Ignored.select(peewee.fn.COUNT(Ignored.id)).group_by(Ignored.name).tuples()) == []
        assert Ignored.update(name="x").execute() == Ignored.delete().execute() == 0
        assert Ignored.insert(name="x").as_rowcount().execute() == 0
        assert Plain.get_by_id(1).details.count() == 0
        cursor = database.execute_sql("select id, name from ignored")
        assert cursor.fetchall() == [] and cursor.fetchone() is None and len(cursor.description) == 1
        assert database.execute_sql("update ignored set name = 'x'").rowcount == 0
        insert = "insert into ignored (name) values ('x')"
        if isinstance(database, peewee.PostgresqlDatabase):
            assert database.execute_sql(insert).rowcount == 0
        else:
            # Its key could be read of the cursor.
            refused(lambda: database.execute_sql(insert), UNAVAILABLE)
        stored = Ignored(id=1, name="x")
        for statement in (
            lambda: Ignored.create(name="x"),
            lambda: Ignored.insert(name="x").execute(),
            lambda: Ignored.insert_many([{"name": "x"}]).execute(),
            lambda: Ignored.get_or_create(name="x"),
            lambda: Ignored.bulk_create([Ignored(name="x")]),
            stored.save,
            lambda: ToIgnored.get().ignored,
            lambda: peewee.prefetch(Plain.select(), Detail.select()),
            lambda: Plain.select().prefetch(Detail),
            lambda: list(Plain.select().with_related(Plain.details)),
        ):
            refused(statement, UNAVAILABLE)
        assert stored.is_dirty()
        if database.returning_clause:
            refused(lambda: list(Ignored.update(name="x").returning(Ignored.id)), UNAVAILABLE)
        install(database, throttle, fakes="count")
        refused(lambda: list(Ignored.select()), UNAVAILABLE)
        throttle.reload({})
        assert [row.name for row in Ignored.select().order_by(Ignored.id)] == [f"item {i}" for i in range(ROWS)]
        assert ToIgnored.get_by_id(1).ignored.name == "item 0"
        assert len(database.execute_sql("select id, name from ignored").fetchall()) == ROWS

    @shows("`time.sleep`, before a connection is taken")
    def test_delay(self, database: Any, throttle: sqlthrottle.Throttle, monkeypatch: pytest.MonkeyPatch) -> None:
        database.close()
        begun, sleep = time.monotonic(), time.sleep

        def watched(seconds: float) -> None:
            assert database.is_closed()
            sleep(seconds)

        with monkeypatch.context() as patched:
            patched.setattr(time, "sleep", watched)
            assert len(Delayed.select()) == ROWS
        assert time.monotonic() - begun >= WAIT
        assert counted(throttle, "delayed")["resumed"] == 1

    @shows("an interrupt ends a wait; nothing is sent, the connection and its transaction serve on")
    def test_cancel(self, database: Any, throttle: sqlthrottle.Throttle, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupted(seconds: float) -> None:
            raise KeyboardInterrupt

        with database.atomic():
            Plain.create(name="kept")
            with monkeypatch.context() as patched:
                patched.setattr(time, "sleep", interrupted)
                # The second one finds the place of the first, as that has given up.
                for _ in range(2):
                    with pytest.raises(KeyboardInterrupt):
                        Waiting.update(name="x").execute()
        assert counted(throttle, "waiting")["delayed"] == 2
        assert Plain.select().count() == ROWS + 1

    @shows("`iterator()` and `ServerSide` hold their place until they are read to their end, closed or lost, or the connection is closed")
    @pytest.mark.filterwarnings("ignore:.*was deleted while still open:ResourceWarning")
    def test_stream(self, database: Any, throttle: sqlthrottle.Throttle) -> None:
        streams: list[Callable[[], Any]] = [lambda: Single.select().order_by(Single.id).iterator()]
        if isinstance(database, peewee.PostgresqlDatabase):
            cursor = database.execute_sql("select * from single", named_cursor=True)
            assert held(throttle) == 1
            while cursor.fetchmany(5):
                pass
            assert held(throttle) == 0
            cursor.close()
            streams.append(lambda: ServerSide(Single.select().order_by(Single.id), array_size=5))
        for stream in streams:
            with database.atomic():
                rows = stream()
                assert next(rows).id == 1 and held(throttle) == 1
                refused(lambda: list(Single.select()), OVER_LIMIT)
                assert len(list(rows)) == ROWS - 1 and held(throttle) == 0
                rows = stream()
                assert next(rows).id == 1 and held(throttle) == 1
                del rows
                gc.collect()
                assert held(throttle) == 0
            rows = stream()
            assert next(rows).id == 1 and held(throttle) == 1
            database.close()
            assert held(throttle) == 0
            del rows

    @shows("`insert_many` and `bulk_create` are one check that weighs as many as they have rows; refused, nothing is sent")
    def test_batch(self, database: Any, throttle: sqlthrottle.Throttle) -> None:
        Weighed.insert_many([{"name": "x"}] * 1000).execute()
        Weighed.insert_many(({"name": "x"} for _ in range(200))).execute()
        Weighed.insert_many([("x",)] * 200, fields=[Weighed.name]).execute()
        Weighed.bulk_create([Weighed(name="x") for _ in range(1000)])
        assert counted(throttle, "weighed")["passed"] == 4
        refused(lambda: Weighed.insert_many([{"name": "x"}] * 101).execute(), OVER_LIMIT)
        Weighed.insert_many([{"name": "x"}] * 99).execute()
        Weighed.insert(name="x").execute()
        refused(lambda: Weighed.create(name="x"), OVER_LIMIT)
        assert Weighed.select().count() == ROWS + 2500

    @shows("stays usable, and commits without what was refused; BEGIN and savepoints pass; `in_transaction`")
    def test_transaction(self, database: Any) -> None:
        with database.atomic():
            Plain.create(name="before")
            refused(lambda: list(Refused.select()))
            with database.atomic() as savepoint:
                Plain.create(name="undone")
                savepoint.rollback()
        assert Plain.select().count() == ROWS + 1
        rules = {"rules": [*EVERYTHING["rules"], {"name": "ends", "match": {"kinds": "transaction"}, "limit": {"block": True}}]}
        with sqlthrottle.Throttle(rules, refresh=False) as blocking:
            uninstall(database)
            install(database, blocking)
            with database.atomic(), database.atomic():
                refused(lambda: list(Plain.select()))
            for mode in ("delay_only", "bypass"):
                install(database, blocking, in_transaction=mode)
                with database.atomic():
                    assert Plain.select().count() == ROWS + 1
                refused(lambda: list(Plain.select()))
            assert counted(blocking, "everything")["aborted"] == 4
            assert counted(blocking, "ends")["aborted"] == 0

    @shows("back when the statement has ended, also by an error of the driver")
    def test_permits(self, database: Any, throttle: sqlthrottle.Throttle) -> None:
        for _ in range(2):
            assert Single.select().get().id == 1
            assert held(throttle) == 0
        for statement in (
            lambda: database.execute_sql("select missing from single"),
            lambda: list(Single.select(peewee.SQL("missing"))),
            lambda: list(Single.select(peewee.SQL("missing")).iterator()),
            lambda: Single.insert(id=1, name="x").execute(),
        ):
            with pytest.raises(peewee.DatabaseError) as kept:
                statement()
            assert held(throttle) == 0, kept
        assert Single.select().count() == ROWS


def test_schema_is_not_asked_about(tmp_path: Path) -> None:
    database = peewee_shop.made("sqlite", tmp_path)
    with sqlthrottle.Throttle(EVERYTHING, refresh=False) as blocking:
        install(database, blocking)
        database.drop_tables([Plain])
        database.create_tables([Plain, Refused])
        assert "plain" in database.get_tables() and database.get_columns("plain")
        assert counted(blocking, "everything")["aborted"] == 0
        refused(lambda: list(Plain.select()))
        uninstall(database)
    database.close()


def test_it_reaches_what_a_proxy_comes_to_stand_for_and_every_thread(
    tmp_path: Path, throttle: sqlthrottle.Throttle
) -> None:
    proxy = peewee.DatabaseProxy()
    install(proxy, throttle)
    install(proxy, throttle)
    database = peewee_shop.made("sqlite", tmp_path)
    deferred = peewee.SqliteDatabase(None)
    proxy.initialize(deferred)
    deferred.init(str(tmp_path / "shop.db"))
    assert type(deferred).__name__ == "SqliteDatabase" and isinstance(deferred, peewee.SqliteDatabase)
    seen: list[str] = []

    def asks() -> None:
        try:
            proxy.execute_sql("select * from refused")
        except sqlthrottle.StatementAborted as aborted:
            seen.append(str(aborted.rule))
        proxy.close()

    asks()
    thread = threading.Thread(target=asks)
    thread.start()
    thread.join()
    assert seen == ["refused", "refused"]
    with sqlthrottle.Throttle(refresh=False) as another, pytest.raises(sqlthrottle.ArgumentError):
        install(deferred, another)
    assert uninstall(proxy) and not uninstall(proxy)
    assert type(deferred) is peewee.SqliteDatabase
    proxy.initialize(database)
    assert len(database.execute_sql("select * from refused").fetchall()) == ROWS
    proxy.close()
    deferred.close()
    with pytest.raises(TypeError):
        install(object(), throttle)  # type: ignore[arg-type]
    with pytest.raises(sqlthrottle.ArgumentError):
        install(database, throttle, fakes="all")


def test_rules_know_the_database_and_what_is_bound(tmp_path: Path) -> None:
    database = peewee_shop.made("sqlite", tmp_path)
    limit = {"block": True}
    rules = [
        {"name": "there", "match": {"tables": "single", "databases": str(tmp_path / "shop.db")}, "limit": limit},
        {"name": "bound", "match": {"columns": {"plain.id": [7]}}, "limit": limit},
    ]
    with sqlthrottle.Throttle({"rules": rules}, refresh=False) as throttle:
        install(database, throttle)
        refused(lambda: Single.get_or_none())
        refused(lambda: Plain.get_or_none(Plain.id == 7))
        assert Plain.get_by_id(8).name == "item 7"
        uninstall(database)
    database.close()
