"""Connections, cursors and pools of psycopg 3, in threads."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import psycopg.crdb
import psycopg_pool
import pytest
import sqlalchemy
from drivers import LOST, Driver, DriverTests, count, filled, interrupted, refused
from psycopg import sql
from psycopg.rows import dict_row, scalar_row
from shop import EVERYTHING, ROWS
from shows import shows
from watch import counted, held, throttle  # noqa: F401

import sqlthrottle
import sqlthrottle.psycopg
import sqlthrottle.sqlalchemy


class Psycopg(Driver):
    reads_keys = False
    error = psycopg.Error
    streams = 0

    def __init__(self, folder: Path) -> None:
        self.conninfo = filled("postgresql+psycopg", folder)._replace(scheme="postgresql").geturl()

    def open(self) -> psycopg.Connection[Any]:
        return psycopg.connect(self.conninfo)

    def connect(self, throttle: sqlthrottle.Throttle, **options: Any) -> psycopg.Connection[Any]:
        connection = self.open()
        sqlthrottle.psycopg.install(connection, throttle, **options)
        return connection

    def stream(self, connection: Any) -> Any:
        self.streams += 1
        return connection.cursor(f"stream {self.streams}")


@pytest.fixture
def driver(tmp_path: Path) -> Psycopg:
    return Psycopg(tmp_path)


@pytest.fixture
def connection(driver: Psycopg, throttle: sqlthrottle.Throttle) -> Iterator[psycopg.Connection[Any]]:
    with closing(driver.connect(throttle)) as connection:
        yield connection


@shows("psycopg 3")
class TestPsycopg(DriverTests):
    @shows(
        "no rows, with the columns that the text showed before; a rowcount of 0; RETURNING, locking reads, COPY, what follows in a "
        "pipeline: `StatementAborted`"
    )
    def test_ignore(self, driver: Psycopg, connection: Any, throttle: sqlthrottle.Throttle) -> None:  # type: ignore[override]
        for rows in (dict_row, scalar_row):
            cursor = connection.cursor(row_factory=rows)
            assert cursor.execute("select 1 from ignored").fetchall() == []
            assert [list(result) for result in cursor.results()] == [[]]
            assert cursor.nextset() is None
        assert list(connection.cursor().stream("select * from ignored")) == []
        with connection.cursor("made up") as cursor:
            for _ in range(2):
                cursor.execute("select * from ignored")
                cursor.scroll(1)
                assert cursor.fetchone() is None
                assert cursor.fetchall() == list(cursor) == []
                assert len(cursor.description) == 1
            # What was declared before is closed, and what comes behind is found.
            assert len(cursor.execute("select * from plain").fetchmany(2)) == 2
            assert cursor.execute("select * from ignored").fetchall() == []
            assert len(cursor.execute("select * from plain").fetchall()) == ROWS
            cursor.execute("select * from ignored")
        with refused(sqlthrottle.Reason.IGNORE_UNAVAILABLE), connection.cursor().copy("copy ignored to stdout"):
            pass
        with pytest.raises(psycopg.ProgrammingError, match="produce records"):
            connection.execute("delete from ignored").fetchall()
        with connection.pipeline():
            cursor = connection.cursor()
            assert cursor.execute("select * from ignored").fetchall() == []
            cursor.execute("select count(*) from plain")
            with refused(sqlthrottle.Reason.IGNORE_UNAVAILABLE):
                cursor.execute("select * from ignored")
            assert cursor.fetchone() == (ROWS,)
            assert cursor.execute("select * from ignored").fetchall() == []
        super().test_ignore(driver, connection, throttle)

    @shows(
        "a server-side cursor holds its place until it is read to its end, closed, executed again or lost, or the transaction or the "
        "connection ends; `stream` and `copy` until they end"
    )
    @pytest.mark.filterwarnings(*LOST)
    def test_stream(self, driver: Psycopg, connection: Any, throttle: sqlthrottle.Throttle) -> None:  # type: ignore[override]
        for end in (list, lambda rows: rows.close()):
            rows = connection.cursor().stream("select id from single")
            assert next(rows) == (1,)
            assert held(throttle) == 1
            end(rows)
            assert held(throttle) == 0
        with connection.cursor().copy("copy single to stdout") as copy:
            assert copy.read()
            assert held(throttle) == 1
            assert b"".join(copy)
        assert held(throttle) == 0
        with connection.cursor("kept", withhold=True) as cursor:
            cursor.execute("select id from single")
            connection.commit()
            assert held(throttle) == 1
            cursor.fetchone()
        assert held(throttle) == 0
        with connection.transaction(), connection.cursor("inner") as cursor:
            cursor.execute("select id from single")
            with connection.transaction():
                assert held(throttle) == 1
        with connection.transaction():
            cursor = connection.cursor("left")
            cursor.execute("select id from single")
            assert held(throttle) == 1
        assert held(throttle) == 0
        cursor.close()
        super().test_stream(driver, connection, throttle)


def test_a_pipeline_holds_places_until_results_come(
    driver: Psycopg, connection: Any, throttle: sqlthrottle.Throttle
) -> None:
    with connection.pipeline() as pipeline:
        cursor = connection.cursor()
        cursor.execute("select count(*) from single")
        assert held(throttle) == 1
        with refused(sqlthrottle.Reason.OVER_LIMIT):
            connection.execute("select * from single")
        assert cursor.fetchone() == (ROWS,)
        assert held(throttle) == 0
        connection.execute("select count(*) from single")
        pipeline.sync()
        assert held(throttle) == 0
        connection.cursor().executemany("update single set name = %s where id = %s", [("x", 1), ("y", 2)])
        assert held(throttle) == 1
        pipeline.sync()
        assert held(throttle) == 0
        cursor.execute("select missing from single")
        assert held(throttle) == 1
        with pytest.raises(psycopg.errors.UndefinedColumn):
            pipeline.sync()
        assert held(throttle) == 0
    connection.rollback()
    with connection.pipeline():
        with pytest.raises(psycopg.errors.SyntaxError), connection.pipeline():
            cursor.execute("nonsense")
            cursor.execute("select count(*) from single")
            assert held(throttle) == 1
        assert held(throttle) == 0
        with pytest.raises(psycopg.ProgrammingError):
            # Its values do not fit, so that it is never queued.
            cursor.execute("select %s from single", ("x", "y"))
        assert held(throttle) == 0
    with pytest.raises(psycopg.OperationalError), connection.pipeline():
        connection.execute("select count(*) from single")
        connection.close()
    assert held(throttle) == 0


def test_cursors_of_every_class_are_guarded_and_stay_of_their_class(
    connection: psycopg.Connection[Any], throttle: sqlthrottle.Throttle
) -> None:
    class Own(psycopg.Cursor[Any]):
        pass

    assert isinstance(connection, psycopg.Connection)
    for factory in (psycopg.Cursor, psycopg.ClientCursor, psycopg.RawCursor, Own):
        connection.cursor_factory = factory
        assert issubclass(connection.cursor_factory, factory)
        cursor = connection.cursor()
        assert isinstance(cursor, factory)
        with refused():
            cursor.execute("select * from refused")
        with refused():
            connection.execute("select * from refused")
        assert type(cursor) is type(connection.cursor())
    connection.server_cursor_factory = psycopg.RawServerCursor
    with connection.cursor("raw") as cursor:
        assert isinstance(cursor, psycopg.RawServerCursor)
        assert cursor.execute("select id from plain where id = $1", [1]).fetchall() == [(1,)]
    with pytest.raises(sqlthrottle.ArgumentError):
        connection.cursor_factory = lambda connection, row_factory: psycopg.Cursor(connection)  # type: ignore[assignment]


def test_connections_of_every_class_stay_of_their_class(driver: Psycopg, throttle: sqlthrottle.Throttle) -> None:
    class Mixed:
        def greet(self) -> str:
            return "hello"

    class Own(Mixed, psycopg.Connection[Any]):
        pass

    for kind in (Own, psycopg.crdb.CrdbConnection):
        with closing(kind.connect(driver.conninfo)) as connection:
            sqlthrottle.psycopg.install(connection, throttle)
            assert isinstance(connection, kind)
            with refused():
                connection.execute("select * from refused")


def test_every_kind_of_query_is_read(connection: psycopg.Connection[Any]) -> None:
    table = sql.SQL("select * from {}").format(sql.Identifier("refused"))
    for query in (b"select * from refused", sql.SQL("select * from refused"), table):
        with refused():
            connection.execute(query)
        with refused(), connection.cursor("served") as cursor:
            cursor.execute(query)
        with refused():
            next(connection.cursor().stream(query))
    with refused(), connection.cursor().copy("copy refused from stdin"):
        pass


def test_rules_see_bound_values(driver: Psycopg) -> None:
    rules = {"rules": [{"name": "hot", "match": {"columns": {"plain.id": [42]}}, "limit": {"block": True}}]}
    with sqlthrottle.Throttle(rules, refresh=False) as throttle, closing(driver.connect(throttle)) as connection:
        connection.execute("select * from plain where id = %s", (41,))
        with refused():
            connection.execute("select * from plain where id = %s", (42,))
        with refused():
            connection.execute("select * from plain where name = %(name)s and id = %(id)s", {"id": 42, "name": "x"})


def test_what_psycopg_sends_by_itself_passes(driver: Psycopg) -> None:
    with sqlthrottle.Throttle(EVERYTHING, refresh=False) as blocking, closing(driver.connect(blocking)) as connection:
        assert psycopg.types.TypeInfo.fetch(connection, "text") is not None
        connection.rollback()
        with connection.transaction(), connection.transaction():
            pass
        connection.autocommit = True
        with connection.transaction():
            pass
        connection.execute("")
        connection.execute("select 1")
        connection.tpc_recover()


def test_a_pool_lends_guarded_connections(driver: Psycopg, throttle: sqlthrottle.Throttle) -> None:
    with psycopg_pool.ConnectionPool(driver.conninfo, min_size=1, max_size=2, check=psycopg_pool.ConnectionPool.check_connection) as pool:
        with pool.connection() as before:
            sqlthrottle.psycopg.install(pool, throttle)
            before.execute("select * from refused")
        with pool.connection() as connection, pool.connection() as another:
            for one in (connection, another):
                with refused():
                    one.execute("select * from refused")
        with sqlthrottle.Throttle(EVERYTHING, refresh=False) as blocking:
            with pytest.raises(sqlthrottle.ArgumentError):
                sqlthrottle.psycopg.install(pool, blocking)
            assert sqlthrottle.psycopg.uninstall(pool)
            assert not sqlthrottle.psycopg.uninstall(pool)
            with pool.connection() as connection:
                assert count(connection, "refused") == ROWS
            sqlthrottle.psycopg.install(pool, blocking, in_transaction="bypass")
            # A pool tests, resets and returns connections all the same.
            pool.check()
            with pool.connection() as connection:
                assert count(connection, "refused") == ROWS
            sqlthrottle.psycopg.install(pool, blocking)
            with pool.connection() as connection, refused():
                connection.execute("select * from plain")


def test_a_connection_of_a_pool_that_goes_back_holds_nothing(driver: Psycopg, throttle: sqlthrottle.Throttle) -> None:
    with psycopg_pool.ConnectionPool(driver.conninfo, min_size=1) as pool:
        sqlthrottle.psycopg.install(pool, throttle)
        with pool.connection() as connection:
            cursor = connection.cursor("left")
            cursor.execute("select * from single")
            assert held(throttle) == 1
        assert held(throttle) == 0
        cursor.close()


def test_install_again_with_other_options_and_uninstall(driver: Psycopg, throttle: sqlthrottle.Throttle) -> None:
    with closing(driver.connect(throttle, fakes="none")) as connection:
        cursor = connection.cursor()
        with refused(sqlthrottle.Reason.IGNORE_UNAVAILABLE):
            cursor.execute("select * from ignored")
        sqlthrottle.psycopg.install(connection, throttle)
        assert cursor.execute("select * from ignored").fetchall() == []
        with sqlthrottle.Throttle(refresh=False) as other, pytest.raises(sqlthrottle.ArgumentError):
            sqlthrottle.psycopg.install(connection, other)
        with pytest.raises(sqlthrottle.ArgumentError):
            sqlthrottle.psycopg.install(connection, throttle, fakes="everything")
        assert sqlthrottle.psycopg.uninstall(connection)
        assert not sqlthrottle.psycopg.uninstall(connection)
        for sender in (connection, cursor):
            assert len(sender.execute("select * from refused").fetchall()) == ROWS
        with connection.cursor("served") as served:
            assert len(served.execute("select * from refused").fetchall()) == ROWS
        assert len(list(cursor.stream("select * from refused"))) == ROWS
        with cursor.copy("copy refused to stdout") as copy:
            assert b"".join(copy)
    with pytest.raises(TypeError):
        sqlthrottle.psycopg.install(object(), throttle)  # type: ignore[arg-type]


def test_a_pool_need_not_be_there(throttle: sqlthrottle.Throttle, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg_pool", None)
    with pytest.raises(TypeError):
        sqlthrottle.psycopg.install(object(), throttle)  # type: ignore[arg-type]


def test_connect_opens_a_guarded_connection(driver: Psycopg, throttle: sqlthrottle.Throttle) -> None:
    with closing(
        sqlthrottle.psycopg.connect(driver.conninfo, throttle=throttle, fakes="none", autocommit=True)
    ) as connection:
        assert connection.autocommit
        with refused(sqlthrottle.Reason.IGNORE_UNAVAILABLE):
            connection.execute("select * from ignored")


def test_the_database_is_said(driver: Psycopg) -> None:
    rules = {"rules": [{"name": "elsewhere", "match": {"databases": "elsewhere"}, "limit": {"block": True}}]}
    with sqlthrottle.Throttle(rules, refresh=False) as throttle:
        with closing(driver.connect(throttle)) as connection:
            assert count(connection, "plain") == ROWS
        with closing(driver.connect(throttle, database="elsewhere")) as connection, refused():
            connection.execute("select 2")


def test_what_sqlalchemy_asked_for_is_asked_once(driver: Psycopg, throttle: sqlthrottle.Throttle) -> None:
    engine = sqlalchemy.create_engine("postgresql+psycopg://", creator=lambda: driver.connect(throttle))
    sqlthrottle.sqlalchemy.install(engine, throttle)
    with engine.connect() as connection:
        assert len(connection.execute(sqlalchemy.text("select * from single")).all()) == ROWS
        assert counted(throttle, "single")["passed"] == 1
        with refused(), connection.connection.cursor() as cursor:
            cursor.execute("select * from refused")
    engine.dispose()


def test_an_interrupt_of_a_wait_leaves_a_pipeline_as_it_is(
    connection: Any, throttle: sqlthrottle.Throttle, monkeypatch: pytest.MonkeyPatch
) -> None:
    with connection.pipeline():
        cursor = connection.execute("select count(*) from plain")
        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(time, "sleep", interrupted)
            connection.execute("select * from waiting")
        assert cursor.fetchone() == (ROWS,)
