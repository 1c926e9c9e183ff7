"""Wrapped connections of any driver."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import MySQLdb
import MySQLdb.cursors
import psycopg
import psycopg2
import psycopg2.sql
import pymysql
import pymysql.cursors
import pytest
import sqlalchemy
from drivers import LOST, Driver, DriverTests, count, filled, refused
from shop import ROWS
from shows import shows
from watch import counted, held, throttle  # noqa: F401

import sqlthrottle
import sqlthrottle.dbapi
import sqlthrottle.sqlalchemy
import sqlthrottle.sqlite3


class Wrapped(Driver):
    url: str

    def __init__(self, folder: Path) -> None:
        self.parts = filled(self.url, folder)
        self.streams = 0

    def connect(self, throttle: sqlthrottle.Throttle, **options: Any) -> Any:
        return sqlthrottle.dbapi.wrap(self.open(), throttle, **options)


class Sqlite3(Wrapped):
    url = "sqlite"
    place = "?"
    locks = False
    ends_streams = False
    error = sqlite3.Error

    def open(self) -> sqlite3.Connection:
        return sqlite3.connect(self.parts.path[1:])

    def stream(self, connection: Any) -> Any:
        return connection.cursor()

    def autocommit(self, connection: Any) -> None:
        connection.isolation_level = None


class Psycopg(Wrapped):
    url = "postgresql+psycopg"
    reads_keys = False
    error = psycopg.Error

    def open(self) -> Any:
        return psycopg.connect(self.parts._replace(scheme="postgresql").geturl())

    def stream(self, connection: Any) -> Any:
        self.streams += 1
        return connection.cursor(f"stream {self.streams}")


class Psycopg2(Psycopg):
    url = "postgresql+psycopg2"
    executes_again = False
    error = psycopg2.Error

    def open(self) -> Any:
        return psycopg2.connect(self.parts._replace(scheme="postgresql").geturl())


class Pymysql(Wrapped):
    url = "mysql+pymysql"
    quote = "`"
    ends_streams = False
    error = pymysql.Error
    driver: Any = pymysql
    unbuffered: Any = pymysql.cursors.SSCursor

    def address(self) -> dict[str, Any]:
        return {
            "host": self.parts.hostname,
            "port": self.parts.port,
            "user": self.parts.username,
            "database": self.parts.path[1:],
        }

    def open(self) -> Any:
        return self.driver.connect(**self.address())

    def stream(self, connection: Any) -> Any:
        return connection.cursor(self.unbuffered)

    def autocommit(self, connection: Any) -> None:
        connection.autocommit(True)


class Mysqlclient(Pymysql):
    url = "mysql+mysqldb"
    error = MySQLdb.Error
    driver = MySQLdb
    unbuffered = MySQLdb.cursors.SSCursor


@pytest.fixture(params=[Sqlite3, Psycopg, Psycopg2, Pymysql, Mysqlclient], ids=lambda driver: driver.__name__)
def driver(request: pytest.FixtureRequest, tmp_path: Path) -> Driver:
    made: Driver = request.param(tmp_path)
    return made


@shows("`dbapi.wrap`, over all of these")
class TestWrap(DriverTests):
    @shows(
        "no rows, with the columns that the text showed before; a rowcount of 0; where the driver tells keys an INSERT of one row, RETURNING, "
        "locking reads: `StatementAborted`"
    )
    def test_ignore(self, driver: Driver, connection: Any, throttle: sqlthrottle.Throttle) -> None:
        super().test_ignore(driver, connection, throttle)

    @shows(
        "where a driver reads rows as they are fetched, its place is held until they are read to their end, the cursor is closed, executed "
        "again or lost, or the connection ends, or the transaction, unless rows outlast that"
    )
    @pytest.mark.filterwarnings(*LOST)
    def test_stream(self, driver: Driver, connection: Any, throttle: sqlthrottle.Throttle) -> None:
        super().test_stream(driver, connection, throttle)


def test_wrapped_twice_it_asks_once(tmp_path: Path, throttle: sqlthrottle.Throttle) -> None:
    driver = Sqlite3(tmp_path)
    wrapped = sqlthrottle.dbapi.wrap(driver.connect(throttle), throttle)
    assert repr(wrapped).count("ConnectionProxy") == 1
    beneath = sqlthrottle.dbapi.wrap(sqlthrottle.sqlite3.connect(driver.parts.path[1:], throttle=throttle), throttle)
    for times, connection in ((1, wrapped), (2, beneath)):
        with closing(connection):
            assert len(connection.execute("select * from single").fetchall()) == ROWS
            assert counted(throttle, "single")["passed"] == times


def test_two_throttles_are_both_asked(driver: Wrapped, throttle: sqlthrottle.Throttle) -> None:
    with sqlthrottle.Throttle({"rules": [{"name": "all", "limit": {"concurrency": {"max": 9}}}]}, refresh=False) as other:
        with closing(sqlthrottle.dbapi.wrap(driver.connect(other), throttle)) as connection:
            assert repr(connection).count("ConnectionProxy") == 2
            for cursor, places in ((connection.cursor(), driver.error is sqlite3.Error), (driver.stream(connection), True)):
                cursor.execute("select * from single")
                # Both know how the driver reads.
                assert held(throttle) == held(other) == places
                assert len(cursor.fetchall()) == ROWS
                assert held(throttle) == held(other) == 0
                cursor.close()
            with refused():
                connection.cursor().execute("select * from refused")
        assert [counted(other, "all")["passed"], counted(throttle, "single")["passed"]] == [2, 2]


def test_what_sqlalchemy_asked_for_is_asked_once(tmp_path: Path, throttle: sqlthrottle.Throttle) -> None:
    driver = Pymysql(tmp_path)
    engine = sqlalchemy.create_engine("mysql+pymysql://", creator=lambda: driver.connect(throttle))
    sqlthrottle.sqlalchemy.install(engine, throttle)
    with engine.connect() as connection:
        assert len(connection.execute(sqlalchemy.text("select * from single")).all()) == ROWS
    assert counted(throttle, "single")["passed"] == 1
    engine.dispose()


def test_what_is_not_its_own_is_handed_on(driver: Driver, throttle: sqlthrottle.Throttle) -> None:
    with closing(driver.connect(throttle)) as connection:
        cursor = connection.cursor()
        cursor.arraysize = 7
        assert cursor.arraysize == 7
        assert cursor.connection is connection
        cursor.execute("select id from plain order by id")
        assert len(cursor.fetchmany()) == 7
        assert tuple(next(cursor)) == (8,)
        with pytest.raises(AttributeError):
            connection.unheard_of  # noqa: B018
        with connection.cursor() as cursor:
            cursor.execute("select id from plain")
        with pytest.raises(driver.error):
            cursor.execute("select id from plain")


def test_the_context_of_a_connection_is_that_of_the_driver(driver: Driver, throttle: sqlthrottle.Throttle) -> None:
    connection = driver.connect(throttle)
    with connection as entered:
        assert entered is connection
        cursor = connection.cursor()
        cursor.execute("update plain set name = 'kept' where id = 1")
        cursor.close()
        if driver.error in (pymysql.Error, MySQLdb.Error):
            # These close the connection, and do not commit.
            connection.commit()
    with suppress(driver.error):
        connection.close()
    with closing(driver.connect(throttle)) as connection:
        assert count(connection, "plain where name = 'kept'") == 1
    if isinstance(driver, Psycopg):
        connection = driver.connect(throttle)
        with connection:
            cursor = driver.stream(connection)
            cursor.execute("select * from single")
            assert held(throttle) == 1
        assert held(throttle) == 0
        with suppress(driver.error):
            cursor.close()
        connection.close()


def test_shortcuts_and_scripts_ask(tmp_path: Path, throttle: sqlthrottle.Throttle) -> None:
    with closing(Sqlite3(tmp_path).connect(throttle)) as connection:
        with refused():
            connection.execute("select * from refused")
        with refused():
            connection.executemany("insert into refused (name) values (?)", [("x",)])
        for sender in (connection, connection.cursor()):
            with refused():
                sender.executescript("update refused set name = 'x'")
        with refused(sqlthrottle.Reason.IGNORE_UNAVAILABLE):
            connection.executescript("delete from ignored")
        cursor = connection.execute("select count(*) from plain")
        assert isinstance(cursor, sqlthrottle.dbapi.CursorProxy)
        assert cursor.execute("select 2 from plain") is cursor
        assert cursor.execute("select 2 from ignored") is cursor
        assert connection.executescript("delete from plain").execute("select count(*) from plain").fetchone() == (0,)


@pytest.mark.parametrize("driver", [Pymysql, Mysqlclient, Psycopg2], indirect=True)
def test_calls_ask(driver: Driver, throttle: sqlthrottle.Throttle) -> None:
    is_mysql = isinstance(driver, Pymysql)
    with closing(driver.open()) as connection:
        cursor = connection.cursor()
        if is_mysql:
            cursor.execute("drop procedure if exists twice")
            cursor.execute("create procedure twice(n int) begin select n; select 2 * n; end")
        else:
            cursor.execute("create or replace function twice(n int) returns int language sql as 'select 2 * n'")
        connection.commit()
    rules = {"rules": [{"name": "calls", "match": {"keywords": ["twice"]}, "limit": {"concurrency": {"max": 1}}}]}
    throttle.reload(rules)
    with closing(driver.connect(throttle)) as connection:
        cursor = connection.cursor()
        cursor.callproc("twice", (21,))
        if is_mysql:
            assert cursor.fetchall() == ((21,),)
            assert cursor.nextset()
        assert tuple(cursor.fetchone()) == (42,)
        assert counted(throttle, "calls")["passed"] == 1
        cursor.close()
        for strategy, reason in (("abort", "blocked"), ("ignore", "ignore_unavailable")):
            throttle.reload({"rules": [{"name": "calls", "limit": {"block": True}, "then": {"strategy": strategy}}]})
            with refused(sqlthrottle.Reason(reason)):
                connection.cursor().callproc("twice", (21,))


def test_composed_statements_and_bytes_are_read(tmp_path: Path, throttle: sqlthrottle.Throttle) -> None:
    with closing(Psycopg2(tmp_path).connect(throttle)) as connection:
        composed = psycopg2.sql.SQL("select * from {}").format(psycopg2.sql.Identifier("refused"))
        for statement in (composed, b"select * from refused"):
            with refused():
                connection.cursor().execute(statement)
        with refused():
            connection.cursor().execute(query="select * from refused")
        with refused():
            connection.cursor().executemany(query="insert into refused (name) values (%s)", vars_list=iter([("x",)]))
        with pytest.raises(psycopg2.ProgrammingError):
            cursor = connection.cursor()
            cursor.execute("delete from ignored")
            cursor.fetchone()


def test_rules_see_bound_values(driver: Driver) -> None:
    rules = {"rules": [{"name": "hot", "match": {"columns": {"plain.id": [42]}}, "limit": {"block": True}}]}
    with sqlthrottle.Throttle(rules, refresh=False) as throttle, closing(driver.connect(throttle)) as connection:
        cursor = connection.cursor()
        statement = f"select * from plain where id = {driver.place}"
        cursor.execute(statement, (41,))
        cursor.fetchall()
        with refused():
            cursor.execute(statement, (42,))


def test_what_is_no_connection_of_the_kind_is_refused(throttle: sqlthrottle.Throttle) -> None:
    class Asynchronous:
        def cursor(self) -> None: ...
        async def commit(self) -> None: ...

    for connection in (object(), Asynchronous()):
        with pytest.raises(TypeError):
            sqlthrottle.dbapi.wrap(connection, throttle)


def test_a_driver_of_which_nothing_is_known(throttle: sqlthrottle.Throttle) -> None:
    class Cursor:
        """As little as PEP 249 asks for."""

        description: Any = None
        rowcount = -1
        arraysize = 1

        def execute(self, operation: str, parameters: Any = ()) -> None:
            self.description = (("id", None, None, None, None, None, None),)
            self.rows = [(1,), (2,)]

        def fetchone(self) -> Any:
            return self.rows.pop(0) if self.rows else None

        def close(self) -> None: ...

    class Plain:
        def cursor(self) -> Cursor:
            return Cursor()

        def commit(self) -> None: ...
        def close(self) -> None: ...

    connection = sqlthrottle.dbapi.wrap(Plain(), throttle)
    cursor = connection.cursor()
    cursor.execute("select id from single")
    assert held(throttle) == 1
    assert list(cursor) == [(1,), (2,)]
    assert held(throttle) == 0
    cursor.execute("select id from ignored")
    assert list(cursor) == []
    cursor.execute("select id from single")
    connection.commit()
    assert held(throttle) == 0
    with connection.cursor() as cursor:
        cursor.execute("select id from single")
    assert held(throttle) == 0
