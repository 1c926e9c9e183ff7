"""Sessions, and what the object-relational mapper sends by itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import engines
import pytest
from shop import EVERYTHING, ROWS, WAIT, Delayed, Ignored, Plain, Refused, Single, Waiting, Weighed
from shows import shows
from sqlalchemy import delete, func, insert, inspect, select, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session, selectinload, sessionmaker
from watch import counted, held, throttle  # noqa: F401

import sqlthrottle
from sqlthrottle.sqlalchemy import install, uninstall


@pytest.fixture(params=engines.DRIVERS)
def sessions(
    request: pytest.FixtureRequest, tmp_path: Path, throttle: sqlthrottle.Throttle
) -> Iterator[sessionmaker[Session]]:
    with engines.guarded(request.param, tmp_path, throttle) as engine:
        sessions = sessionmaker(engine)
        uninstall(engine)
        install(sessions, throttle)
        yield sessions


def refused(act: Callable[[], Any], reason: sqlthrottle.Reason = sqlthrottle.Reason.IGNORE_UNAVAILABLE) -> None:
    with pytest.raises(sqlthrottle.StatementAborted) as aborted:
        act()
    assert aborted.value.decision.reason is reason


@shows("SQLAlchemy ORM")
class TestOrm:
    @shows("`StatementAborted`, of queries and of a flush; the session can roll back and go on")
    def test_abort(self, sessions: sessionmaker[Session]) -> None:
        with sessions() as session:
            blocked = sqlthrottle.Reason.BLOCKED
            refused(lambda: session.scalars(select(Refused)).all(), blocked)
            refused(lambda: session.get(Refused, 1), blocked)
            session.add(Refused(name="x"))
            refused(session.flush, blocked)
            session.rollback()
            assert session.scalar(select(func.count()).select_from(Plain)) == ROWS

    @shows("empty lists, `get` none, bulk writes without synchronisation 0; a flush, a refresh, a loaded relationship: `StatementAborted`")
    def test_ignore(self, sessions: sessionmaker[Session], throttle: sqlthrottle.Throttle) -> None:
        with sessions() as session:
            assert session.scalars(select(Ignored)).all() == []
            assert session.query(Ignored).all() == []
            assert session.get(Ignored, 1) is None
            assert session.scalar(select(func.count()).select_from(Ignored)) is None
            for write in (update(Ignored).values(name="x"), delete(Ignored)):
                assert session.execute(write, execution_options={"synchronize_session": False}).rowcount == 0
                refused(lambda write=write: session.execute(write, execution_options={"synchronize_session": "evaluate"}))
            # Rows without objects: nothing of them is kept.
            session.execute(insert(Ignored), [{"name": "x"}, {"name": "y"}])
            session.rollback()
            # What objects keep is not made up: an empty list in one would be taken for all there are.
            plain = session.get_one(Plain, 1)
            refused(lambda: plain.details)
            assert "details" in inspect(plain).unloaded
            refused(lambda: session.scalars(select(Plain).options(selectinload(Plain.details))).all())
            throttle.reload({})
            ignored = session.get_one(Ignored, 1)
            assert plain.details == []
            throttle.reload({"default_threshold": 1, "rules": [{"name": "all", "limit": {"block": True}, "then": {"strategy": "ignore"}}]})
            session.expire(ignored)
            refused(lambda: ignored.name)
            session.add(Ignored(name="x"))
            refused(session.flush)
            session.rollback()
            throttle.reload({})
            assert session.scalar(select(func.count()).select_from(Ignored)) == ROWS

    @shows("`time.sleep`, then as ever; a flush too")
    def test_delay(self, sessions: sessionmaker[Session], throttle: sqlthrottle.Throttle) -> None:
        begun = time.monotonic()
        with sessions() as session:
            delayed = session.get_one(Delayed, 1)
            delayed.name = "changed"
            session.commit()
        assert time.monotonic() - begun >= 2 * WAIT
        assert counted(throttle, "delayed")["resumed"] == 2

    @shows("an interrupt ends a wait; a flush is rolled back, and can be done again")
    def test_cancel(
        self, sessions: sessionmaker[Session], throttle: sqlthrottle.Throttle, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupted(seconds: float) -> None:
            raise KeyboardInterrupt

        with sessions() as session:
            with monkeypatch.context() as patched:
                patched.setattr(time, "sleep", interrupted)
                for _ in range(2):
                    session.add(Waiting(name="x"))
                    with pytest.raises(KeyboardInterrupt):
                        session.flush()
                    session.rollback()
            assert counted(throttle, "waiting")["delayed"] == 2
            throttle.reload({})
            session.add(Waiting(name="x"))
            session.commit()
            assert session.scalar(select(func.count()).select_from(Waiting)) == ROWS + 1

    @shows("`yield_per` holds its place until it is read to the end or closed")
    def test_stream(self, sessions: sessionmaker[Session], throttle: sqlthrottle.Throttle) -> None:
        with sessions() as session:
            for end in (lambda result: result.all(), lambda result: result.close()):
                result = session.scalars(select(Single).execution_options(yield_per=10))
                assert next(result).id == 1
                assert held(throttle) == 1
                with sessions() as another:
                    refused(lambda: another.scalars(select(Single)).all(), sqlthrottle.Reason.OVER_LIMIT)
                end(result)
                assert held(throttle) == 0

    @shows("the rows of a flush are one check that weighs as many as they are; refused, none is stored")
    def test_batch(self, sessions: sessionmaker[Session], throttle: sqlthrottle.Throttle) -> None:
        with sessions() as session:
            session.add_all([Weighed(id=1000 + i, name="x") for i in range(2400)])
            session.commit()
            assert counted(throttle, "weighed")["passed"] == 1
            session.add_all([Weighed(id=4000 + i, name="x") for i in range(101)])
            refused(session.flush, sqlthrottle.Reason.OVER_LIMIT)
            session.rollback()
            assert session.scalar(select(func.count()).select_from(Weighed)) == ROWS + 2400

    @shows("stays usable where a query was refused; begin and nested transactions pass; `in_transaction`")
    def test_transaction(self, sessions: sessionmaker[Session]) -> None:
        with sessions.begin() as session:
            session.add(Plain(name="before"))
            session.flush()
            refused(lambda: session.scalars(select(Refused)).all(), sqlthrottle.Reason.BLOCKED)
            with session.begin_nested() as savepoint:
                session.add(Plain(name="undone"))
                savepoint.rollback()
        with sqlthrottle.Throttle(EVERYTHING, refresh=False) as blocking:
            uninstall(sessions)
            install(sessions, blocking)
            with sessions.begin() as session, session.begin_nested():
                refused(lambda: session.scalars(select(Plain)).all(), sqlthrottle.Reason.BLOCKED)
            for mode in ("delay_only", "bypass"):
                install(sessions, blocking, in_transaction=mode)
                with sessions() as session:
                    assert session.scalar(select(func.count()).select_from(Plain)) == ROWS + 1
            assert counted(blocking, "everything")["aborted"] == 2

    @shows("back when the statement has ended, also by an error of the driver")
    def test_permits(self, sessions: sessionmaker[Session], throttle: sqlthrottle.Throttle) -> None:
        with sessions() as session:
            for _ in range(2):
                assert len(session.scalars(select(Single)).all()) == ROWS
                assert held(throttle) == 0
            session.add(Single(id=1000, name="x"))
            session.commit()
            assert held(throttle) == 0
            session.add(Single(id=2000, name=None))
            with pytest.raises(DBAPIError):
                session.flush()
            assert held(throttle) == 0
