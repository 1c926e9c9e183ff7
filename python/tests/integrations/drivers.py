"""What all drivers are tested for: their connections are filled databases, and their cursors those of PEP 249."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import databases
import engines
import pytest
import sqlalchemy
from shop import EVERYTHING, ROWS, WAIT
from shows import shows
from watch import counted, held, throttle  # noqa: F401

import sqlthrottle


LOST = (
    "ignore:.*was deleted while still open:ResourceWarning",
    "ignore:Previous unbuffered result was left incomplete:UserWarning",
    # PyMySQL reads on, of a connection that is closed.
    "ignore:Exception ignored in. <function (MySQLResult.__del__|SSCursor.close):pytest.PytestUnraisableExceptionWarning",
)
"""What drivers say of streams that nobody reads to their end."""


def filled(driver: str, folder: Path) -> Any:
    """Where a database is whose tables are filled: a URL in its parts."""
    engine = sqlalchemy.create_engine(databases.url(driver, folder))
    with engine.begin() as connection:
        engines._fill(connection)
    engine.dispose()
    return urlsplit(databases.url(driver, folder))


@contextmanager
def refused(reason: sqlthrottle.Reason = sqlthrottle.Reason.BLOCKED) -> Iterator[None]:
    with pytest.raises(sqlthrottle.StatementAborted) as aborted:
        yield
    assert aborted.value.decision.reason is reason


def interrupted(seconds: float) -> None:
    raise KeyboardInterrupt


class Driver:
    """A driver over a filled database."""

    place = "%s"
    """Of a bound value."""
    quote = '"'
    """Of a name."""
    reads_keys = True
    """Whether it says which key a row was given."""
    executes_again = True
    """Whether a cursor that streams can."""
    locks = True
    """Whether rows can be locked."""
    ends_streams = True
    """Whether a transaction can end, and its streams with it."""
    error: type[Exception]

    def open(self) -> Any:
        """A connection that nobody guards."""
        raise NotImplementedError

    def connect(self, throttle: sqlthrottle.Throttle, **options: Any) -> Any:
        """A guarded connection."""
        raise NotImplementedError

    def stream(self, connection: Any) -> Any:
        """A cursor that reads its rows as they are fetched."""
        raise NotImplementedError

    def autocommit(self, connection: Any) -> None:
        """Has a connection commit by itself."""
        connection.autocommit = True

    def names(self, cursor: Any) -> list[str]:
        return [column[0] for column in cursor.description]


def count(connection: Any, table: str) -> int:
    with closing(connection.cursor()) as cursor:
        cursor.execute(f"select count(*) from {table}")
        return int(cursor.fetchone()[0])


class DriverTests:
    """The columns of the table, for drivers of threads."""

    @pytest.fixture
    def connection(self, driver: Driver, throttle: sqlthrottle.Throttle) -> Iterator[Any]:
        connection = driver.connect(throttle)
        yield connection
        with suppress(driver.error):
            # Some do not like to be closed again.
            connection.close()

    @shows("`StatementAborted`; the connection serves on")
    def test_abort(self, driver: Driver, connection: Any) -> None:
        cursor = connection.cursor()
        for statement in ("select * from refused", "update refused set name = 'x'"):
            with pytest.raises(sqlthrottle.StatementAborted) as aborted:
                cursor.execute(statement)
            assert aborted.value.decision.rule == "refused"
            assert statement not in str(aborted.value)
        with refused():
            cursor.executemany(f"insert into refused (name) values ({driver.place})", [("x",), ("y",)])
        assert count(connection, "plain") == ROWS

    def test_ignore(self, driver: Driver, connection: Any, throttle: sqlthrottle.Throttle) -> None:
        cursor = connection.cursor()
        statement = "select name, id from ignored"
        cursor.execute(statement)
        assert cursor.fetchone() is None
        assert list(cursor.fetchmany(5)) == list(cursor.fetchall()) == list(cursor) == []
        assert len(cursor.description) == 1
        assert cursor.rowcount == 0
        for write in ("update ignored set name = 'x'", "delete from ignored"):
            cursor.execute(write)
            assert cursor.rowcount == 0
            assert cursor.description is None
        insert = f"insert into ignored (name) values ({driver.place})"
        cursor.executemany(insert, [("x",), ("y",)])
        assert cursor.rowcount == 0
        if driver.reads_keys:
            assert cursor.lastrowid is None
            with refused(sqlthrottle.Reason.IGNORE_UNAVAILABLE):
                cursor.execute(insert, ("x",))
        else:
            cursor.execute(insert, ("x",))
            assert cursor.rowcount == 0
        for dishonest in ["insert into ignored (name) values ('x') returning id", "select * from ignored for update"][: 1 + driver.locks]:
            with refused(sqlthrottle.Reason.IGNORE_UNAVAILABLE):
                cursor.execute(dishonest)
        # The same cursor, and the same text, find the rows once they are sent; and then it is known how they look.
        throttle.reload({})
        cursor.execute(statement)
        assert len(cursor.fetchall()) == ROWS
        assert driver.names(cursor) == ["name", "id"]
        throttle.reload({"rules": [{"name": "i", "limit": {"block": True}, "then": {"strategy": "ignore"}}]})
        cursor.execute(statement)
        assert driver.names(cursor) == ["name", "id"]
        assert list(cursor.fetchall()) == []
        throttle.reload({})
        assert count(connection, "ignored") == ROWS
        connection.rollback()
        cursor.close()
        throttle.reload({"rules": [{"name": "i", "limit": {"block": True}, "then": {"strategy": "ignore"}}]})
        with pytest.raises(Exception) as closed:
            cursor.execute(statement)
        assert not isinstance(closed.value, sqlthrottle.SqlThrottleError)

    @shows("`time.sleep`, then as ever")
    def test_delay(self, driver: Driver, connection: Any, throttle: sqlthrottle.Throttle) -> None:
        begun = time.monotonic()
        assert count(connection, f"{driver.quote}delayed{driver.quote}") == ROWS
        assert time.monotonic() - begun >= WAIT
        assert counted(throttle, "delayed")["resumed"] == 1

    @shows("an interrupt ends a wait; nothing is sent, the connection and its transaction serve on")
    def test_cancel(
        self, driver: Driver, connection: Any, throttle: sqlthrottle.Throttle, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        cursor = connection.cursor()
        cursor.execute("update plain set name = 'kept' where id = 1")
        with monkeypatch.context() as patched:
            patched.setattr(time, "sleep", interrupted)
            # The second one finds the place of the first, as that has given up.
            for _ in range(2):
                with pytest.raises(KeyboardInterrupt):
                    cursor.execute("update waiting set name = 'x'")
        assert counted(throttle, "waiting")["delayed"] == 2
        cursor.execute("select count(*) from plain where name = 'kept'")
        assert tuple(cursor.fetchone()) == (1,)

    @pytest.mark.filterwarnings(*LOST)
    def test_stream(self, driver: Driver, connection: Any, throttle: sqlthrottle.Throttle) -> None:
        def stream() -> Any:
            cursor = driver.stream(connection)
            cursor.execute("select id from single order by id")
            assert tuple(cursor.fetchone()) == (1,)
            assert held(throttle) == 1
            with closing(driver.connect(throttle)) as another, refused(sqlthrottle.Reason.OVER_LIMIT):
                another.cursor().execute("select id from single")
            return cursor

        with closing(stream()) as cursor:
            assert len(cursor.fetchall()) == ROWS - 1
            assert held(throttle) == 0
        with closing(stream()) as cursor:
            assert len(list(cursor)) == ROWS - 1
            assert held(throttle) == 0
        with closing(stream()) as cursor:
            while len(cursor.fetchmany(7)) == 7:
                assert held(throttle) == 1
            assert held(throttle) == 0
        cursor = driver.stream(connection)
        if driver.executes_again:
            # It gives its place back before it asks for another.
            for _ in range(2):
                cursor.execute("select id from single")
            assert held(throttle) == 1
        with pytest.raises(driver.error):
            cursor.execute("select missing from single")
        assert held(throttle) == 0
        connection.rollback()
        with suppress(driver.error):
            cursor.close()
        stream().close()
        assert held(throttle) == 0
        stream()
        gc.collect()
        assert held(throttle) == 0
        if driver.ends_streams:
            cursor = stream()
            connection.rollback()
            assert held(throttle) == 0
            with suppress(driver.error):
                cursor.close()
        cursor = stream()
        connection.close()
        assert held(throttle) == 0
        with suppress(driver.error, AttributeError):
            cursor.close()
        del cursor
        gc.collect()

    @shows("`executemany` is one check that weighs as many as its rows; refused, nothing is sent")
    def test_batch(self, driver: Driver, connection: Any, throttle: sqlthrottle.Throttle) -> None:
        cursor = connection.cursor()
        insert = f"insert into weighed (name) values ({driver.place})"
        cursor.executemany(insert, [("x",)] * 2400)
        assert counted(throttle, "weighed")["passed"] == 1
        with refused(sqlthrottle.Reason.OVER_LIMIT):
            cursor.executemany(insert, [("x",)] * 101)
        # It is counted before it is sent, also where it can be read but once.
        with refused(sqlthrottle.Reason.OVER_LIMIT):
            cursor.executemany(insert, (("x",) for _ in range(101)))
        cursor.executemany(insert, (("x",) for _ in range(100)))
        with refused(sqlthrottle.Reason.OVER_LIMIT):
            cursor.execute(insert, ("x",))
        # Of no rows nothing is sent.
        cursor.executemany(insert, [])
        assert count(connection, "weighed") == ROWS + 2500

    @shows("stays usable, and commits without what was refused; BEGIN, savepoints, COMMIT and ROLLBACK pass; `in_transaction`")
    def test_transaction(self, driver: Driver, connection: Any) -> None:
        cursor = connection.cursor()
        cursor.execute("update plain set name = 'before' where id = 1")
        with refused():
            cursor.execute("select * from refused")
        connection.commit()
        with sqlthrottle.Throttle(EVERYTHING, refresh=False) as blocking:
            other = driver.connect(blocking)
            with refused():
                count(other, "plain")
            other.commit()
            cursor = other.cursor()
            cursor.execute("begin")
            for statement in ("savepoint s", "rollback to savepoint s", "release savepoint s"):
                cursor.execute(statement)
            other.rollback()
            other.close()
            for mode in ("delay_only", "bypass"):
                other = driver.connect(blocking, in_transaction=mode)
                cursor = other.cursor()
                cursor.execute("select id from plain where name = 'before'")
                assert [tuple(row) for row in cursor.fetchall()] == [(1,)]
                other.rollback()
                driver.autocommit(other)
                with refused():
                    cursor.execute("select id from plain")
                other.close()
            # The one that was sent under `delay_only` is counted as refused; under `bypass` none is.
            assert counted(blocking, "everything")["aborted"] == 4

    @shows("back when the statement has ended, also by an error of the driver")
    def test_permits(self, driver: Driver, connection: Any, throttle: sqlthrottle.Throttle) -> None:
        for _ in range(2):
            assert count(connection, "single") == ROWS
            assert held(throttle) == 0
        for cursor in (connection.cursor(), driver.stream(connection)):
            with pytest.raises(driver.error):
                cursor.execute("select missing from single")
            assert held(throttle) == 0
            cursor.close()
            connection.rollback()
        with pytest.raises(driver.error):
            connection.cursor().executemany(f"insert into single (id, name) values ({driver.place}, 'x')", [(1000,), (1000,)])
        assert held(throttle) == 0
        connection.rollback()
