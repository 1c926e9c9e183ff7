"""Connections and cursors of psycopg2, whose classes are written in C."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import psycopg2
import psycopg2.extras
import psycopg2.pool
import psycopg2.sql
import pytest
import sqlalchemy
from drivers import LOST, Driver, DriverTests, count, filled, refused
from shop import ROWS
from shows import shows
from watch import counted, held, throttle  # noqa: F401

import sqlthrottle
import sqlthrottle.dbapi
import sqlthrottle.psycopg2
import sqlthrottle.sqlalchemy


class Psycopg2(Driver):
    reads_keys = False
    executes_again = False
    error = psycopg2.Error
    streams = 0

    def __init__(self, folder: Path) -> None:
        self.dsn = filled("postgresql+psycopg2", folder)._replace(scheme="postgresql").geturl()

    def open(self) -> Any:
        return psycopg2.connect(self.dsn)

    def connect(self, throttle: sqlthrottle.Throttle, **options: Any) -> Any:
        return sqlthrottle.psycopg2.connect(self.dsn, throttle=throttle, **options)

    def stream(self, connection: Any) -> Any:
        self.streams += 1
        return connection.cursor(f"stream {self.streams}")


@pytest.fixture
def driver(tmp_path: Path) -> Psycopg2:
    return Psycopg2(tmp_path)


@pytest.fixture
def connection(driver: Psycopg2, throttle: sqlthrottle.Throttle) -> Iterator[Any]:
    with closing(driver.connect(throttle)) as connection:
        yield connection


@shows("psycopg2")
class TestPsycopg2(DriverTests):
    @shows(
        "no rows, with the columns that the text showed before; a rowcount of 0; RETURNING, locking reads, COPY, calls: `StatementAborted`"
    )
    def test_ignore(self, driver: Psycopg2, connection: Any, throttle: sqlthrottle.Throttle) -> None:  # type: ignore[override]
        cursor = connection.cursor("made up")
        cursor.execute("select * from ignored")
        assert cursor.fetchone() is None
        assert list(cursor) == cursor.fetchmany() == []
        assert cursor.rownumber == 0
        with pytest.raises(psycopg2.ProgrammingError):
            cursor.scroll(1)
        cursor.close()
        cursor = connection.cursor()
        cursor.execute("delete from ignored")
        assert cursor.statusmessage is None
        with pytest.raises(psycopg2.ProgrammingError, match="no results"):
            cursor.fetchall()
        for copy in (
            lambda: cursor.copy_expert("copy ignored to stdout", io.StringIO()),
            lambda: cursor.copy_to(io.StringIO(), "ignored"),
            lambda: cursor.copy_from(io.StringIO("1\tx\n"), "ignored"),
        ):
            with refused(sqlthrottle.Reason.IGNORE_UNAVAILABLE):
                copy()
        super().test_ignore(driver, connection, throttle)

    @shows(
        "a named cursor holds its place until it is read to its end, closed or lost, or the transaction or the connection ends; WITH HOLD it "
        "outlasts the transaction"
    )
    @pytest.mark.filterwarnings(*LOST)
    def test_stream(self, driver: Psycopg2, connection: Any, throttle: sqlthrottle.Throttle) -> None:  # type: ignore[override]
        cursor = connection.cursor("kept", withhold=True)
        cursor.execute("select id from single")
        connection.commit()
        assert held(throttle) == 1
        assert len(cursor.fetchall()) == ROWS
        assert held(throttle) == 0
        cursor.close()
        with connection:
            cursor = connection.cursor("left")
            cursor.execute("select id from single")
            assert held(throttle) == 1
        assert held(throttle) == 0
        super().test_stream(driver, connection, throttle)


def prepared(connection: Any) -> None:
    """Ends a transaction of two phases, of which the first is refused where the server has none."""
    with suppress(psycopg2.Error):
        connection.tpc_prepare()
    connection.tpc_rollback()


@pytest.mark.parametrize("is_wrapped", [False, True])
@pytest.mark.parametrize(
    ("is_two_phase", "end"),
    [
        (False, lambda connection: connection.cursor().execute("commit")),
        (False, lambda connection: connection.cursor().execute("/* a */ ROLLBACK")),
        (False, lambda connection: connection.reset()),
        (True, lambda connection: connection.tpc_rollback()),
        (True, lambda connection: connection.tpc_commit()),
        (True, prepared),
    ],
    ids=["commit", "rollback", "reset", "tpc_rollback", "tpc_commit", "tpc_prepare"],
)
def test_streams_end_with_their_transaction_however_it_ends(
    driver: Psycopg2, throttle: sqlthrottle.Throttle, is_wrapped: bool, is_two_phase: bool, end: Any
) -> None:
    opened = sqlthrottle.dbapi.wrap(driver.open(), throttle) if is_wrapped else driver.connect(throttle)
    with closing(opened) as connection:
        if is_two_phase:
            connection.tpc_begin(connection.xid(1, "throttled", "streams"))
        cursor = connection.cursor("stream")
        cursor.execute("select id from single")
        connection.cursor().execute("select id from plain")
        assert held(throttle) == 1
        end(connection)
        assert held(throttle) == 0


FACTORIES = (
    psycopg2.extensions.cursor,
    psycopg2.extras.DictCursor,
    psycopg2.extras.RealDictCursor,
    psycopg2.extras.NamedTupleCursor,
)


@pytest.mark.parametrize("factory", FACTORIES, ids=lambda factory: str(factory.__name__))
def test_cursors_of_every_class_are_guarded_and_stay_of_their_class(connection: Any, factory: Any) -> None:
    assert isinstance(connection, psycopg2.extensions.connection)
    for name in (None, "named"):
        with connection.cursor(name, cursor_factory=factory) as cursor:
            assert isinstance(cursor, factory)
            with refused():
                cursor.execute("select * from refused")
            cursor.execute("select id from ignored")
            assert cursor.fetchone() is None
            assert cursor.fetchall() == cursor.fetchmany(2) == list(cursor) == []
    with connection.cursor(cursor_factory=factory) as cursor:
        cursor.execute("select id as n from plain where id = 1")
        row = cursor.fetchone()
        assert (row["n"] if factory is psycopg2.extras.RealDictCursor else row[0]) == 1
        cursor.execute("select id as n from plain where id = 1")
        assert len(list(cursor)) == 1
    connection.cursor_factory = factory
    assert isinstance(connection.cursor(), factory)
    with refused():
        connection.cursor().execute("select * from refused")
    with pytest.raises(sqlthrottle.ArgumentError):
        connection.cursor(cursor_factory=lambda *arguments: factory(*arguments))


@pytest.mark.parametrize(
    "factory",
    [psycopg2.extras.DictConnection, psycopg2.extras.RealDictConnection, psycopg2.extras.NamedTupleConnection],
    ids=lambda factory: str(factory.__name__),
)
def test_connections_of_other_classes_keep_their_cursors(
    driver: Psycopg2, throttle: sqlthrottle.Throttle, factory: Any
) -> None:
    opened = psycopg2.connect(driver.dsn, connection_factory=factory)
    kind = type(opened.cursor())
    sqlthrottle.psycopg2.install(opened, throttle)
    for connection in (opened, driver.connect(throttle, connection_factory=factory)):
        with closing(connection):
            assert isinstance(connection, factory)
            for cursor in (connection.cursor(), connection.cursor(cursor_factory=psycopg2.extras.DictCursor)):
                with refused():
                    cursor.execute("select * from refused")
            assert isinstance(connection.cursor(), kind)
            cursor = connection.cursor("left")
            cursor.execute("select id from single")
            assert held(throttle) == 1
            connection.rollback()
            assert held(throttle) == 0


def test_an_open_connection_is_guarded_as_far_as_its_class_lets(driver: Psycopg2, throttle: sqlthrottle.Throttle) -> None:
    with closing(driver.open()) as connection:
        sqlthrottle.psycopg2.install(connection, throttle)
        guarded = sqlthrottle.psycopg2.guarded_cursor(psycopg2.extras.DictCursor)
        assert issubclass(guarded, psycopg2.extras.DictCursor)
        for cursor in (connection.cursor(), connection.cursor("named"), connection.cursor(cursor_factory=guarded)):
            with refused():
                cursor.execute("select * from refused")
        # What the documentation warns of.
        connection.cursor(cursor_factory=psycopg2.extras.DictCursor).execute("select * from refused")
        cursor = connection.cursor("streamed")
        cursor.execute("select id from single")
        assert held(throttle) == 1
        cursor.close()
        assert held(throttle) == 0
        cursor = connection.cursor("lost")
        cursor.execute("select id from single")
        del cursor
        assert held(throttle) == 0
        cursor = connection.cursor()
        assert sqlthrottle.psycopg2.uninstall(connection)
        assert not sqlthrottle.psycopg2.uninstall(connection)
        for one in (cursor, connection.cursor()):
            one.execute("select * from refused")
        sqlthrottle.psycopg2.install(connection, throttle, fakes="none")
        with refused(sqlthrottle.Reason.IGNORE_UNAVAILABLE):
            cursor.execute("select * from ignored")
        with sqlthrottle.Throttle(refresh=False) as other, pytest.raises(sqlthrottle.ArgumentError):
            sqlthrottle.psycopg2.install(connection, other)
    with pytest.raises(TypeError):
        sqlthrottle.psycopg2.install(object(), throttle)


def test_a_pool_makes_guarded_connections(driver: Psycopg2, throttle: sqlthrottle.Throttle) -> None:
    factory = sqlthrottle.psycopg2.connection_factory(throttle)
    pool = psycopg2.pool.ThreadedConnectionPool(1, 2, driver.dsn, connection_factory=factory)
    connections = [pool.getconn(), pool.getconn()]
    for connection in connections:
        with refused():
            connection.cursor().execute("select * from refused")
        pool.putconn(connection)
    pool.closeall()


def test_helpers_for_batches_ask_for_each_statement_that_they_send(connection: Any, throttle: sqlthrottle.Throttle) -> None:
    cursor = connection.cursor()
    rows = [("x",)] * 250
    psycopg2.extras.execute_values(cursor, "insert into weighed (name) values %s", rows, page_size=100)
    assert counted(throttle, "weighed")["passed"] == 3
    assert psycopg2.extras.execute_values(cursor, "insert into plain (name) values %s returning id", rows, fetch=True)
    psycopg2.extras.execute_batch(cursor, "update plain set name = %s", rows[:10])
    for batch, statement in (
        (psycopg2.extras.execute_values, "insert into refused (name) values %s"),
        (psycopg2.extras.execute_batch, "insert into refused (name) values (%s)"),
    ):
        with refused():
            batch(cursor, statement, rows)


def test_copies_ask(connection: Any, throttle: sqlthrottle.Throttle) -> None:
    cursor = connection.cursor()
    for copy in (
        lambda: cursor.copy_expert("copy refused to stdout", io.StringIO()),
        lambda: cursor.copy_expert(psycopg2.sql.SQL("copy refused to stdout"), io.StringIO()),
        lambda: cursor.copy_to(io.StringIO(), "refused"),
        lambda: cursor.copy_from(io.StringIO("1\tx\n"), "refused"),
    ):
        with refused():
            copy()
    copied = io.StringIO()
    cursor.copy_to(copied, "single")
    assert len(copied.getvalue().splitlines()) == ROWS
    assert held(throttle) == 0


def test_what_is_sent_in_the_middle_of_a_copy_asks(driver: Psycopg2, connection: Any, throttle: sqlthrottle.Throttle) -> None:
    class File(io.StringIO):
        def write(self, text: str) -> int:
            with closing(driver.connect(throttle)) as other, refused():
                other.cursor().execute("select * from refused")
            return super().write(text)

    copied = File()
    connection.cursor().copy_expert("copy single to stdout", copied)
    assert len(copied.getvalue().splitlines()) == ROWS == counted(throttle, "refused")["aborted"]


def test_calls_ask(connection: Any, throttle: sqlthrottle.Throttle) -> None:
    throttle.reload({"rules": [{"name": "calls", "match": {"keywords": ["version"]}, "limit": {"concurrency": {"max": 1}}}]})
    for factory in FACTORIES:
        with connection.cursor(cursor_factory=factory) as cursor:
            cursor.callproc("version")
            assert cursor.fetchone()
            assert held(throttle) == 0
    assert counted(throttle, "calls")["passed"] == len(FACTORIES)


def test_what_sqlalchemy_asked_for_is_asked_once(driver: Psycopg2, throttle: sqlthrottle.Throttle) -> None:
    engine = sqlalchemy.create_engine("postgresql+psycopg2://", creator=lambda: driver.connect(throttle))
    sqlthrottle.sqlalchemy.install(engine, throttle)
    with engine.connect() as connection:
        assert len(connection.execute(sqlalchemy.text("select * from single")).all()) == ROWS
        assert counted(throttle, "single")["passed"] == 1
        with refused(), connection.connection.cursor() as cursor:
            cursor.execute("select * from refused")
    engine.dispose()


def test_the_database_is_said(driver: Psycopg2) -> None:
    rules = {"rules": [{"name": "elsewhere", "match": {"databases": "elsewhere"}, "limit": {"block": True}}]}
    with sqlthrottle.Throttle(rules, refresh=False) as throttle, closing(driver.connect(throttle)) as connection:
        assert count(connection, "plain") == ROWS
        sqlthrottle.psycopg2.install(connection, throttle, database="elsewhere")
        with refused():
            connection.cursor().execute("select 2")
