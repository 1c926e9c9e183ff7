"""Connections and cursors of PyMySQL and of mysqlclient, which go by the same names and differ beneath."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import MySQLdb
import MySQLdb.cursors
import pymysql
import pymysql.cursors
import pytest
import sqlalchemy
from drivers import LOST, Driver, DriverTests, count, filled, refused
from shop import EVERYTHING, ROWS
from shows import shows
from watch import counted, held, throttle  # noqa: F401

import sqlthrottle
import sqlthrottle.mysqlclient
import sqlthrottle.pymysql
import sqlthrottle.sqlalchemy

IGNORED = (
    "no rows, with the columns that the text showed before; a rowcount of 0; an INSERT of one row, whose key could be read, RETURNING, locking "
    "reads: `StatementAborted`"
)
STREAMED = (
    "an unbuffered cursor holds its place until it is read to its end, closed, executed again or lost, or the transaction or the "
    "connection ends"
)


class Pymysql(Driver):
    url = "mysql+pymysql"
    quote = "`"
    ends_streams = False
    error: type[Exception] = pymysql.Error
    driver: Any = pymysql
    cursors: Any = pymysql.cursors
    guard: Any = sqlthrottle.pymysql

    def __init__(self, folder: Path) -> None:
        parts = filled(self.url, folder)
        self.address = {
            "host": parts.hostname,
            "port": parts.port,
            "user": parts.username,
            "database": parts.path[1:],
        }

    def open(self) -> Any:
        return self.driver.connect(**self.address)

    def connect(self, throttle: sqlthrottle.Throttle, **options: Any) -> Any:
        connection = self.open()
        self.guard.install(connection, throttle, **options)
        return connection

    def stream(self, connection: Any) -> Any:
        return connection.cursor(self.cursors.SSCursor)

    def autocommit(self, connection: Any) -> None:
        connection.autocommit(True)


class Mysqlclient(Pymysql):
    url = "mysql+mysqldb"
    error = MySQLdb.Error
    driver = MySQLdb
    cursors = MySQLdb.cursors
    guard = sqlthrottle.mysqlclient


@pytest.fixture(params=[Pymysql, Mysqlclient], ids=lambda driver: driver.__name__)
def driver(request: pytest.FixtureRequest, tmp_path: Path) -> Pymysql:
    made: Pymysql = request.param(tmp_path)
    return made


@pytest.fixture
def connection(driver: Pymysql, throttle: sqlthrottle.Throttle) -> Iterator[Any]:
    with closing(driver.connect(throttle)) as connection:
        yield connection


@shows("PyMySQL")
class TestPymysql(DriverTests):
    @pytest.fixture
    def driver(self, tmp_path: Path) -> Driver:
        return Pymysql(tmp_path)

    @shows(IGNORED)
    def test_ignore(self, driver: Driver, connection: Any, throttle: sqlthrottle.Throttle) -> None:
        super().test_ignore(driver, connection, throttle)

    @shows(STREAMED)
    @pytest.mark.filterwarnings(*LOST)
    def test_stream(self, driver: Driver, connection: Any, throttle: sqlthrottle.Throttle) -> None:
        super().test_stream(driver, connection, throttle)


@shows("mysqlclient")
class TestMysqlclient(DriverTests):
    @pytest.fixture
    def driver(self, tmp_path: Path) -> Driver:
        return Mysqlclient(tmp_path)

    @shows(IGNORED)
    def test_ignore(self, driver: Driver, connection: Any, throttle: sqlthrottle.Throttle) -> None:
        super().test_ignore(driver, connection, throttle)

    @shows(STREAMED)
    @pytest.mark.filterwarnings(*LOST)
    def test_stream(self, driver: Driver, connection: Any, throttle: sqlthrottle.Throttle) -> None:
        super().test_stream(driver, connection, throttle)


@pytest.mark.parametrize("name", ["Cursor", "DictCursor", "SSCursor", "SSDictCursor"])
def test_cursors_of_every_class_are_guarded_and_stay_of_their_class(
    driver: Pymysql, connection: Any, throttle: sqlthrottle.Throttle, name: str
) -> None:
    kind = getattr(driver.cursors, name)
    with connection.cursor(kind) as cursor:
        assert isinstance(cursor, kind)
        with refused():
            cursor.execute("select * from refused")
        assert cursor.execute("select * from ignored") == 0
        assert cursor.fetchone() is None
        assert list(cursor.fetchmany(3)) == list(cursor.fetchall()) == list(cursor) == []
        assert not cursor.nextset()
        cursor.execute("select count(*) as n from plain")
        assert list(cursor.fetchall()) == [{"n": ROWS} if "Dict" in name else (ROWS,)]
        assert cursor.execute("update ignored set name = 'x'") == 0
    connection.cursorclass = kind
    assert isinstance(connection.cursor(), kind)
    with refused():
        connection.cursor().execute("select * from refused")
    assert isinstance(connection, driver.driver.connections.Connection)
    with pytest.raises(sqlthrottle.ArgumentError):
        connection.cursor(lambda connection: kind(connection))


def test_what_was_streamed_before_is_over_when_a_text_is_ignored(
    driver: Pymysql, connection: Any, throttle: sqlthrottle.Throttle
) -> None:
    cursor = driver.stream(connection)
    cursor.execute("select * from single")
    cursor.fetchone()
    cursor.execute("select * from ignored")
    assert held(throttle) == 0
    assert list(cursor) == []
    assert count(connection, "plain") == ROWS


@pytest.mark.parametrize("statement", ["/*!50000 select * from refused */", "select /*! name from refused union select */ 1 from pg_class"])
def test_what_the_server_takes_for_no_comment_asks(connection: Any, statement: str) -> None:
    with refused():
        connection.cursor().execute(statement)


def test_sqlalchemy_meets_a_server_whatever_rules_say(driver: Pymysql) -> None:
    with sqlthrottle.Throttle(EVERYTHING, refresh=False) as blocking:
        engine = sqlalchemy.create_engine(f"{driver.url}://", creator=lambda: driver.connect(blocking), pool_pre_ping=True)
        for _ in range(2):
            with engine.connect() as connection, refused():
                connection.execute(sqlalchemy.text("select 2"))
        engine.dispose()


def test_several_results_of_a_call_keep_its_place(
    driver: Pymysql, connection: Any, throttle: sqlthrottle.Throttle
) -> None:
    with closing(driver.open()) as other:
        other.cursor().execute("drop procedure if exists twice")
        other.cursor().execute("create procedure twice(n int) begin select n; select 2 * n; end")
    throttle.reload({"rules": [{"name": "calls", "match": {"keywords": ["twice"]}, "limit": {"concurrency": {"max": 1}}}]})
    with driver.stream(connection) as cursor:
        cursor.callproc("twice", (21,))
        for result in (21, 42):
            assert held(throttle) == 1
            assert list(cursor.fetchall()) == [(result,)]
            assert held(throttle) == 1
            cursor.nextset()
        while cursor.nextset():
            pass
        assert held(throttle) == 0


def test_an_open_transaction_is_told_though_the_connection_commits_by_itself(driver: Pymysql) -> None:
    with sqlthrottle.Throttle(EVERYTHING, refresh=False) as blocking:
        with closing(driver.connect(blocking, in_transaction="bypass")) as connection:
            connection.autocommit(True)
            connection.begin()
            if driver.driver is pymysql:
                assert count(connection, "plain") == ROWS
            else:
                # Its driver does not tell.
                with refused():
                    count(connection, "plain")
            connection.rollback()
            with refused():
                count(connection, "plain")


def test_install_again_with_other_options_and_uninstall(driver: Pymysql, throttle: sqlthrottle.Throttle) -> None:
    with closing(driver.connect(throttle, fakes="none")) as connection:
        cursor = connection.cursor()
        with refused(sqlthrottle.Reason.IGNORE_UNAVAILABLE):
            cursor.execute("select * from ignored")
        driver.guard.install(connection, throttle)
        assert cursor.execute("select * from ignored") == 0
        with sqlthrottle.Throttle(refresh=False) as other, pytest.raises(sqlthrottle.ArgumentError):
            driver.guard.install(connection, other)
        assert driver.guard.uninstall(connection)
        assert not driver.guard.uninstall(connection)
        assert cursor.execute("select * from refused") == ROWS
        assert count(connection, "refused") == ROWS
    with pytest.raises(TypeError):
        driver.guard.install(object(), throttle)


def test_connect_opens_a_guarded_connection_and_says_its_database(driver: Pymysql) -> None:
    rules = {"rules": [{"name": "here", "match": {"databases": driver.address["database"]}, "limit": {"block": True}}]}
    with sqlthrottle.Throttle(rules, refresh=False) as throttle:
        with closing(driver.guard.connect(**driver.address, throttle=throttle, autocommit=True)) as connection, refused():
            connection.cursor().execute("select 2")
        with pytest.raises(sqlthrottle.ArgumentError):
            driver.guard.connect(**driver.address, throttle=throttle, fakes="everything")


def test_a_connection_that_is_opened_again_is_guarded(throttle: sqlthrottle.Throttle, tmp_path: Path) -> None:
    with closing(Pymysql(tmp_path).connect(throttle)) as connection:
        cursor = connection.cursor()
        connection.close()
        with pytest.raises(pymysql.Error):
            cursor.execute("select * from ignored")
        connection.connect()
        with refused():
            cursor.execute("select * from refused")


def test_what_sqlalchemy_asked_for_is_asked_once(driver: Pymysql, throttle: sqlthrottle.Throttle) -> None:
    engine = sqlalchemy.create_engine(f"{driver.url}://", creator=lambda: driver.connect(throttle))
    sqlthrottle.sqlalchemy.install(engine, throttle)
    with engine.connect() as connection:
        assert len(connection.execute(sqlalchemy.text("select * from single")).all()) == ROWS
        assert counted(throttle, "single")["passed"] == 1
        with refused(), closing(connection.connection.cursor()) as cursor:
            cursor.execute("select * from refused")
    engine.dispose()
