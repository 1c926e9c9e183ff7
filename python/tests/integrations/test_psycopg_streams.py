"""What the streams of psycopg hold, and until when."""

from __future__ import annotations

import gc
from contextlib import closing, suppress
from typing import Any

import psycopg
import pytest
from test_psycopg import Psycopg, connection, driver  # noqa: F401
from watch import held, throttle  # noqa: F401

import sqlthrottle
import sqlthrottle.psycopg


def test_what_is_held_when_a_connection_is_uninstalled_ends_with_it(
    connection: Any, throttle: sqlthrottle.Throttle
) -> None:
    cursor = connection.cursor("left")
    cursor.execute("select * from single")
    sqlthrottle.psycopg.uninstall(connection)
    sqlthrottle.psycopg.install(connection, throttle)
    assert held(throttle) == 1
    connection.rollback()
    assert held(throttle) == 0
    cursor.close()


def test_a_lost_stream_gives_its_place_back(connection: Any, throttle: sqlthrottle.Throttle) -> None:
    rows = connection.cursor().stream("select id from single")
    next(rows)
    assert held(throttle) == 1
    del rows
    gc.collect()
    assert held(throttle) == 0


@pytest.mark.parametrize("end", ["commit", "/* a */ ROLLBACK", "update missing set id = 1; commit"])
def test_streams_end_with_a_transaction_that_a_text_ends(
    connection: Any, throttle: sqlthrottle.Throttle, end: str
) -> None:
    cursor, kept = connection.cursor("stream"), connection.cursor("kept", withhold=True)
    cursor.execute("select id from single")
    connection.execute("select id from plain")
    assert held(throttle) == 1
    with suppress(psycopg.Error):
        connection.execute(end)
    # What has failed goes on until it is rolled back.
    assert held(throttle) == ("missing" in end)
    connection.rollback()
    assert held(throttle) == 0
    cursor.close()
    kept.execute("select id from single")
    connection.execute("commit")
    assert held(throttle) == 1
    kept.close()
    assert held(throttle) == 0


def test_a_closed_connection_holds_nothing_for_a_stream_or_a_copy_that_is_left(
    driver: Psycopg, throttle: sqlthrottle.Throttle
) -> None:
    def stream(cursor: Any) -> Any:
        rows = cursor.stream("select id from single")
        next(rows)
        return rows

    def copy(cursor: Any) -> Any:
        copied = cursor.copy("copy single to stdout")
        copied.__enter__()
        return copied

    for begin in (stream, copy):
        with closing(driver.connect(throttle)) as connection:
            left = begin(connection.cursor())
            assert held(throttle) == 1
        assert held(throttle) == 0
        del left
