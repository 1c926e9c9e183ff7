"""Connections and cursors of sqlite3."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy
from drivers import Driver, DriverTests, count, filled, refused
from shop import EVERYTHING, ROWS
from shows import shows
from watch import counted, held, throttle  # noqa: F401

import sqlthrottle
import sqlthrottle.sqlalchemy
import sqlthrottle.sqlite3


class Sqlite3(Driver):
    place = "?"
    locks = False
    ends_streams = False
    error = sqlite3.Error

    def __init__(self, folder: Path) -> None:
        filled("sqlite", folder)
        self.path = folder / "shop.db"

    def connect(self, throttle: sqlthrottle.Throttle, **options: Any) -> Any:
        return sqlthrottle.sqlite3.connect(self.path, throttle=throttle, **options)

    def stream(self, connection: Any) -> Any:
        return connection.cursor()

    def autocommit(self, connection: Any) -> None:
        connection.isolation_level = None


@pytest.fixture
def driver(tmp_path: Path) -> Sqlite3:
    return Sqlite3(tmp_path)


@pytest.fixture
def connection(driver: Sqlite3, throttle: sqlthrottle.Throttle) -> Iterator[Any]:
    with closing(driver.connect(throttle)) as connection:
        yield connection


@shows("sqlite3")
class TestSqlite3(DriverTests):
    @shows(
        "no rows, with the columns that the text showed before; a rowcount of 0; an INSERT of one row, whose key could be read, RETURNING, "
        "scripts, dumps: `StatementAborted`"
    )
    def test_ignore(self, driver: Sqlite3, connection: Any, throttle: sqlthrottle.Throttle) -> None:  # type: ignore[override]
        cursor = connection.execute("select * from ignored")
        assert cursor.execute("select * from ignored") is cursor
        assert connection.execute("delete from ignored").rowcount == 0
        for sender in (connection, cursor):
            with refused(sqlthrottle.Reason.IGNORE_UNAVAILABLE):
                sender.executescript("delete from ignored")
        with refused(sqlthrottle.Reason.IGNORE_UNAVAILABLE):
            throttle.reload({"rules": [{"name": "i", "match": {"tables": "ignored"}, "limit": {"block": True}, "then": {"strategy": "ignore"}}]})
            list(connection.iterdump())
        assert connection.execute("select * from ignored").fetchall() == []
        super().test_ignore(driver, connection, throttle)

    @shows(
        "rows are read as they are fetched: a place is held until that has come to the end, the cursor is closed, executed again or lost, or "
        "the connection is closed"
    )
    def test_stream(self, driver: Sqlite3, connection: Any, throttle: sqlthrottle.Throttle) -> None:  # type: ignore[override]
        assert connection.execute("select id from single").fetchone() == (1,)
        # The cursor is lost.
        assert held(throttle) == 0
        for row in connection.execute("select id from single"):
            assert row
            assert held(throttle) == 1
        assert held(throttle) == 0
        super().test_stream(driver, connection, throttle)


def test_cursors_of_every_class_are_guarded_and_stay_of_their_class(
    driver: Sqlite3, connection: Any, throttle: sqlthrottle.Throttle
) -> None:
    class Own(sqlite3.Cursor):
        pass

    class OwnConnection(sqlite3.Connection):
        def cursor(self, factory: Any = Own) -> Any:
            return super().cursor(factory)

    assert isinstance(connection, sqlite3.Connection)
    cursor = connection.cursor(Own)
    assert isinstance(cursor, Own)
    with refused():
        cursor.execute("select * from refused")
    with pytest.raises(sqlthrottle.ArgumentError):
        connection.cursor(lambda connection: Own(connection))
    connection.row_factory = sqlite3.Row
    assert connection.execute("select id as n from plain").fetchone()["n"] == 1
    assert connection.execute("select id as n from ignored").fetchone() is None
    with closing(driver.connect(throttle, factory=OwnConnection)) as connection:
        assert isinstance(connection, OwnConnection)
        assert isinstance(connection.cursor(), Own)
        with refused():
            connection.cursor().execute("select * from refused")
        with refused():
            connection.execute("select * from refused")


def test_a_class_of_cursors_is_made_without_a_lock(driver: Sqlite3, throttle: sqlthrottle.Throttle) -> None:
    """A process that forks while a thread holds one would never get it."""
    begun, go_on = threading.Event(), threading.Event()

    class Slow(sqlite3.Cursor):
        def __init_subclass__(cls) -> None:
            begun.set()
            assert go_on.wait(30)

    class Own(sqlite3.Cursor):
        pass

    def make(kind: type[sqlite3.Cursor]) -> threading.Thread:
        def run() -> None:
            with closing(driver.connect(throttle)) as connection:
                connection.cursor(kind)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return thread

    slow = make(Slow)
    assert begun.wait(30)
    other = make(Own)
    other.join(30)
    is_made = not other.is_alive()
    go_on.set()
    slow.join()
    assert is_made


def test_cursors_are_iterated_as_their_class_does(connection: Any) -> None:
    class Loud(sqlite3.Cursor):
        def __next__(self) -> Any:
            return [str(value).upper() for value in super().__next__()]

    statement = "select name from plain where id = 1"
    assert list(connection.cursor(Loud).execute(statement)) == [["ITEM 0"]]
    cursor = connection.execute("select id from plain order by id")
    assert [next(cursor), *cursor] == [(i + 1,) for i in range(ROWS)]
    assert list(cursor) == []


def test_shortcuts_and_scripts_ask_once(connection: Any, throttle: sqlthrottle.Throttle) -> None:
    for sender in (connection, connection.cursor()):
        with refused():
            sender.execute("select * from refused")
        with refused():
            sender.executemany("insert into refused (name) values (?)", [("x",)])
        with refused():
            sender.executescript("update refused set name = 'x'")
    assert len(connection.execute("select * from single").fetchall()) == ROWS
    connection.executemany("insert into weighed (name) values (?)", [("x",)] * 2400)
    assert [counted(throttle, rule)["passed"] for rule in ("single", "weighed")] == [1, 1]
    assert counted(throttle, "refused")["aborted"] == 6
    connection.executescript("delete from plain; delete from single;")
    assert held(throttle) == 0


def test_a_script_is_not_exempt_for_what_stands_at_its_head(connection: Any) -> None:
    for head in ("create table if not exists head (id int)", "pragma user_version = 3", "select 1"):
        with refused():
            connection.executescript(f"{head}; delete from refused")
    connection.executescript("drop table if exists head; create table head (id int, name text default ';');")
    assert count(connection, "plain") == ROWS


def test_the_context_and_the_copies_of_a_connection(driver: Sqlite3, throttle: sqlthrottle.Throttle) -> None:
    with sqlthrottle.Throttle(EVERYTHING, refresh=False) as blocking, closing(driver.connect(blocking)) as connection:
        with connection:
            connection.execute("begin")
        with closing(sqlite3.connect(":memory:")) as copy:
            connection.backup(copy)
            assert count(copy, "plain") == ROWS
        with refused():
            list(connection.iterdump())
        sqlthrottle.sqlite3.uninstall(connection)
        whole = list(connection.iterdump())
        assert sum(line.startswith("INSERT INTO") for line in whole) > ROWS
        sqlthrottle.sqlite3.install(connection, throttle)
        throttle.reload({})
        assert list(connection.iterdump()) == whole
        with pytest.raises(ZeroDivisionError), connection:
            connection.execute("update plain set name = 'undone'")
            raise ZeroDivisionError
        assert count(connection, "plain where name = 'undone'") == 0


def test_install_again_with_other_options_and_uninstall(driver: Sqlite3, throttle: sqlthrottle.Throttle) -> None:
    with closing(sqlite3.connect(driver.path, factory=sqlthrottle.sqlite3.Connection)) as connection:
        cursor = connection.execute("select * from refused")
        sqlthrottle.sqlite3.install(connection, throttle, fakes="none")
        with refused(sqlthrottle.Reason.IGNORE_UNAVAILABLE):
            cursor.execute("select * from ignored")
        sqlthrottle.sqlite3.install(connection, throttle)
        assert cursor.execute("select * from ignored").fetchall() == []
        with sqlthrottle.Throttle(refresh=False) as other, pytest.raises(sqlthrottle.ArgumentError):
            sqlthrottle.sqlite3.install(connection, other)
        assert sqlthrottle.sqlite3.uninstall(connection)
        assert not sqlthrottle.sqlite3.uninstall(connection)
        assert len(cursor.execute("select * from refused").fetchall()) == ROWS
    with closing(sqlite3.connect(driver.path)) as plain, pytest.raises(TypeError, match="factory"):
        sqlthrottle.sqlite3.install(plain, throttle)
    with pytest.raises(sqlthrottle.ArgumentError):
        driver.connect(throttle, fakes="everything")


def test_a_closed_connection_says_so_itself(driver: Sqlite3, throttle: sqlthrottle.Throttle) -> None:
    connection = driver.connect(throttle)
    cursor = connection.cursor()
    connection.close()
    for sender in (connection, cursor):
        with pytest.raises(sqlite3.ProgrammingError):
            sender.execute("select * from ignored")


def test_the_database_is_said(driver: Sqlite3) -> None:
    rules = {"rules": [{"name": "shop", "match": {"databases": str(driver.path)}, "limit": {"block": True}}]}
    with sqlthrottle.Throttle(rules, refresh=False) as throttle:
        with closing(driver.connect(throttle)) as connection, refused():
            connection.execute("select 2")
        with closing(sqlthrottle.sqlite3.connect(":memory:", throttle=throttle)) as connection:
            connection.execute("select 2")


def test_rules_see_bound_values(driver: Sqlite3) -> None:
    rules = {"rules": [{"name": "hot", "match": {"columns": {"plain.id": [42, 7]}}, "limit": {"block": True}}]}
    with sqlthrottle.Throttle(rules, refresh=False) as throttle, closing(driver.connect(throttle)) as connection:
        connection.execute("select * from plain where id = ?", (41,))
        with refused():
            connection.execute("select * from plain where id = ?", (42,))
        for comment in ("", "/* :name */ ", "-- :name\n", "':name' <> '' and ", '":name" <> 1 and '):
            with refused():
                connection.execute(f"select * from plain where {comment}name = :name and id = :id", {"id": 42, "name": "x"})
        # What this stands for, drivers differ in: it is not known.
        connection.execute("select * from plain where id = ?", "7")


def test_what_sqlalchemy_asked_for_is_asked_once(driver: Sqlite3, throttle: sqlthrottle.Throttle) -> None:
    engine = sqlalchemy.create_engine("sqlite://", creator=lambda: driver.connect(throttle))
    sqlthrottle.sqlalchemy.install(engine, throttle)
    with engine.connect() as connection:
        assert len(connection.execute(sqlalchemy.text("select * from single")).all()) == ROWS
        assert counted(throttle, "single")["passed"] == 1
        with refused():
            connection.connection.cursor().execute("select * from refused")
    engine.dispose()
