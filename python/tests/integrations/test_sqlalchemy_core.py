"""Connections of an engine."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import engines
import pytest
import sqlalchemy
from shop import EVERYTHING, ROWS, WAIT, Delayed, Ignored, Plain, Refused, Single, Waiting, Weighed
from shows import shows
from sqlalchemy import Connection, Engine, String, TypeDecorator, delete, func, insert, select, text, type_coerce, update
from watch import counted, held, throttle  # noqa: F401

import sqlthrottle
from sqlthrottle.sqlalchemy import install, uninstall


@pytest.fixture(params=engines.DRIVERS)
def engine(request: pytest.FixtureRequest, tmp_path: Path, throttle: sqlthrottle.Throttle) -> Iterator[Engine]:
    with engines.guarded(request.param, tmp_path, throttle) as engine:
        yield engine


@pytest.fixture
def connection(engine: Engine) -> Iterator[Connection]:
    with engine.connect() as connection:
        yield connection


class Loud(TypeDecorator[str]):
    """A type that changes what the driver says."""

    impl = String
    cache_ok = True

    def process_result_value(self, value: Any, dialect: Any) -> str:
        return str(value).upper()


@shows("SQLAlchemy Core")
class TestCore:
    @shows("`StatementAborted`; the connection serves on")
    def test_abort(self, connection: Connection) -> None:
        for statement in (select(Refused), text("select * from refused"), update(Refused).values(name="x")):
            with pytest.raises(sqlthrottle.StatementAborted) as refused:
                connection.execute(statement)
            assert refused.value.decision.rule == "refused"
            assert "refused.name" not in str(refused.value)
        assert connection.scalar(select(func.count()).select_from(Plain)) == ROWS
        assert not connection.invalidated

    @shows("no rows with the columns that were asked for, a rowcount of 0; a key that is read back, RETURNING: `StatementAborted`")
    def test_ignore(self, connection: Connection, throttle: sqlthrottle.Throttle) -> None:
        statement = select(Ignored.id, type_coerce(Ignored.name, Loud).label("name"))
        result = connection.execute(statement)
        assert list(result.keys()) == ["id", "name"]
        assert result.all() == []
        assert connection.scalar(statement) is None
        assert connection.execute(text("select id, name from ignored")).all() == []
        for write in (
            update(Ignored).values(name="x"),
            delete(Ignored),
            insert(Ignored).inline().values(id=1000, name="x"),
            text("delete from ignored"),
        ):
            assert connection.execute(write).rowcount == 0
        assert connection.execute(insert(Ignored), [{"id": 2000 + i, "name": "x"} for i in range(3)]).rowcount in (0, -1)
        dishonest: list[Any] = [insert(Ignored).values(name="x"), insert(Ignored).values(id=3000, name="x").returning(Ignored.id)]
        if connection.dialect.name != "sqlite":
            dishonest.append(select(Ignored).with_for_update())
        for write in dishonest:
            with pytest.raises(sqlthrottle.StatementAborted) as refused:
                connection.execute(write)
            assert refused.value.decision.reason is sqlthrottle.Reason.IGNORE_UNAVAILABLE
        # What was made up stays in no cache: the same statement finds the rows once it is sent.
        throttle.reload({})
        rows = connection.execute(statement).all()
        assert [(row.id, row.name) for row in rows] == [(i + 1, f"ITEM {i}") for i in range(ROWS)]

    @shows("`time.sleep`, then as ever")
    def test_delay(self, connection: Connection, throttle: sqlthrottle.Throttle) -> None:
        begun = time.monotonic()
        assert len(connection.execute(select(Delayed)).all()) == ROWS
        assert time.monotonic() - begun >= WAIT
        assert counted(throttle, "delayed")["resumed"] == 1

    @shows("an interrupt ends a wait; nothing is sent, the connection and its transaction serve on")
    def test_cancel(
        self, connection: Connection, throttle: sqlthrottle.Throttle, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupted(seconds: float) -> None:
            raise KeyboardInterrupt

        connection.execute(insert(Plain).values(name="kept"))
        with monkeypatch.context() as patched:
            patched.setattr(time, "sleep", interrupted)
            # The second one finds the place of the first, as that has given up.
            for _ in range(2):
                with pytest.raises(KeyboardInterrupt):
                    connection.execute(update(Waiting).values(name="x"))
        assert not connection.invalidated
        assert counted(throttle, "waiting")["delayed"] == 2
        assert connection.scalar(select(func.count()).select_from(Plain)) == ROWS + 1

    @shows("its place is held until the result is read to its end, closed or lost, or the transaction ends")
    @pytest.mark.filterwarnings("ignore:.*was deleted while still open:ResourceWarning")
    def test_stream(self, engine: Engine, throttle: sqlthrottle.Throttle) -> None:
        def stream(connection: Connection) -> Any:
            result = connection.execution_options(yield_per=10).execute(select(Single))
            assert next(result).id == 1
            assert held(throttle) == 1
            with engine.connect() as another, pytest.raises(sqlthrottle.StatementAborted):
                another.execute(select(Single))
            return result

        with engine.connect() as connection:
            assert len(stream(connection).all()) == ROWS - 1
            assert held(throttle) == 0
            stream(connection).close()
            assert held(throttle) == 0
            stream(connection)
            gc.collect()
            assert held(throttle) == 0
            if engine.dialect.name == "mysql":
                # Its drivers cannot end a transaction before a stream is read.
                return
            result = stream(connection)
            connection.rollback()
            assert held(throttle) == 0
            del result
        with engine.connect() as connection:
            result = stream(connection)
        assert held(throttle) == 0

    @shows("`executemany`, and rows that one INSERT is divided into, are one check that weighs as many as they are; refused, nothing is sent")
    def test_batch(self, connection: Connection, throttle: sqlthrottle.Throttle) -> None:
        rows = [{"name": "x"} for _ in range(2500)]
        assert connection.execute(insert(Weighed).returning(Weighed.id), rows[:2400]).all()[-1].id == ROWS + 2400
        assert counted(throttle, "weighed")["passed"] == 1
        with pytest.raises(sqlthrottle.StatementAborted):
            connection.execute(insert(Weighed), rows[:101])
        connection.execute(text("insert into weighed (name) values (:name)"), rows[:100])
        with pytest.raises(sqlthrottle.StatementAborted):
            connection.execute(text("insert into weighed (name) values (:name)"), rows[:1])
        assert connection.scalar(select(func.count()).select_from(Weighed)) == ROWS + 2500

    @shows("stays usable, and commits without what was refused; BEGIN, savepoints and two-phase commits pass; `in_transaction`")
    def test_transaction(self, engine: Engine, throttle: sqlthrottle.Throttle) -> None:
        with engine.begin() as connection:
            connection.execute(insert(Plain).values(name="before"))
            with pytest.raises(sqlthrottle.StatementAborted):
                connection.execute(select(Refused))
            with connection.begin_nested() as savepoint:
                connection.execute(insert(Plain).values(name="undone"))
                savepoint.rollback()
        with engine.connect() as connection:
            assert connection.scalar(select(func.count()).select_from(Plain)) == ROWS + 1
        with sqlthrottle.Throttle(EVERYTHING, refresh=False) as blocking:
            uninstall(engine)
            install(engine, blocking)
            with engine.begin() as connection, connection.begin_nested():
                with pytest.raises(sqlthrottle.StatementAborted):
                    connection.execute(select(Plain))
            install(engine, blocking, in_transaction="delay_only")
            with engine.connect() as connection:
                assert len(connection.execute(select(Plain)).all()) == ROWS + 1
            assert counted(blocking, "everything")["aborted"] == 2
            install(engine, blocking, in_transaction="bypass")
            with engine.connect() as connection:
                assert len(connection.execute(select(Plain)).all()) == ROWS + 1
            assert counted(blocking, "everything")["aborted"] == 2
            with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                with pytest.raises(sqlthrottle.StatementAborted):
                    connection.execute(select(Plain))

    def test_two_phase_commits_pass_whatever_is_blocked(self, engine: Engine) -> None:
        if engine.dialect.name == "sqlite":
            # It has none.
            return
        for end, stored in (("rollback", 0), ("commit", 1)):
            for prepares in (True, False):
                uninstall(engine)
                with engine.connect() as connection:
                    two_phase = connection.begin_twophase()
                    connection.execute(insert(Plain).values(name=f"{end} {prepares}"))
                    with sqlthrottle.Throttle(EVERYTHING, refresh=False) as blocking:
                        install(engine, blocking)
                        with pytest.raises(sqlthrottle.StatementAborted):
                            connection.execute(select(Plain))
                        if prepares:
                            two_phase.prepare()
                        getattr(two_phase, end)()
                        assert connection.recover_twophase() == []
                        uninstall(engine)
                    found = select(func.count()).select_from(Plain).where(Plain.name == f"{end} {prepares}")
                    assert connection.scalar(found) == stored

    @shows("back when the statement has ended, also by an error of the driver")
    def test_permits(self, connection: Connection, throttle: sqlthrottle.Throttle) -> None:
        for _ in range(2):
            assert len(connection.execute(select(Single)).all()) == ROWS
            assert held(throttle) == 0
        for options in ({}, {"stream_results": True}):
            with pytest.raises(sqlalchemy.exc.DBAPIError):
                connection.execute(text("select missing from single"), execution_options=options)
            assert held(throttle) == 0
            connection.rollback()
        with pytest.raises(sqlalchemy.exc.DBAPIError):
            connection.execute(insert(Single).returning(Single.id), [{"id": 1000 + i % 1999, "name": "x"} for i in range(2500)])
        assert held(throttle) == 0
