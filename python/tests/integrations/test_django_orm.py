"""The ORM and cursors of Django."""

from __future__ import annotations

import contextlib
import gc
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import djangos
import pytest
from django.db import DatabaseError, connections, transaction
from django.db.models import Count, F, Max
from djangos import Delayed, Ignored, Plain, Refused, Single, Waiting, Weighed, alias, throttle, throttled  # noqa: F401
from shop import EVERYTHING, ROWS, WAIT
from shows import shows
from watch import counted, held

import sqlthrottle


@shows("Django")
class TestDjango:
    @shows("`StatementAborted`, as it is; the connection serves on")
    def test_abort(self, alias: str) -> None:
        connection = connections[alias]
        refused = Refused.objects.using(alias)
        for send in (
            lambda: list(refused.all()),
            lambda: refused.get(pk=1),
            lambda: refused.count(),
            lambda: refused.update(name="x"),
            lambda: refused.create(name="x"),
            lambda: refused.all().delete(),
            lambda: connection.cursor().execute("select * from refused where name = %s", ["secret"]),
        ):
            with pytest.raises(sqlthrottle.StatementAborted) as aborted:
                send()
            # Not wrapped: no error of the database, and none comes before it.
            assert aborted.type is sqlthrottle.StatementAborted and aborted.value.__cause__ is None
            assert aborted.value.rule == "refused" and "secret" not in str(aborted.value)
        assert not connection.errors_occurred
        assert Plain.objects.using(alias).count() == ROWS

    @shows("empty lists, `first` none, `exists` false, counts 0, aggregates of nothing, `get` `DoesNotExist`, `update` 0; what stores, deletes or keeps: `StatementAborted`")
    def test_ignore(self, alias: str, throttle: sqlthrottle.Throttle) -> None:
        ignored = Ignored.objects.using(alias)
        assert list(ignored.all()) == [] and list(ignored.values_list("name")) == []
        assert ignored.first() is None and not ignored.exists() and ignored.count() == 0
        assert ignored.aggregate(n=Count("pk"), most=Max("pk")) == {"n": 0, "most": None}
        assert list(ignored.iterator(chunk_size=5)) == [] and ignored.in_bulk([1]) == {}
        assert ignored.filter(pk=1).update(name=F("name")) == 0
        with pytest.raises(Ignored.DoesNotExist):
            ignored.get(pk=1)
        with connections[alias].cursor() as cursor:
            cursor.execute("select id, name from ignored")
            assert list(cursor.fetchall()) == [] and cursor.fetchone() is None and list(cursor) == []
            cursor.execute("delete from ignored where id = %s", [1])
            assert cursor.rowcount == 0
            cursor.execute("select name from plain")
            assert len(cursor.fetchall()) == ROWS, "a cursor is as it was afterwards"
        throttle.reload({})
        assert ignored.count() == ROWS

    @shows("`time.sleep`, then as ever")
    def test_delay(self, alias: str, throttle: sqlthrottle.Throttle) -> None:
        begun = time.monotonic()
        assert len(Delayed.objects.using(alias).all()) == ROWS
        assert time.monotonic() - begun >= WAIT
        assert counted(throttle, "delayed")["resumed"] == 1

    @shows("an interrupt ends a wait; nothing is sent, the connection and its transaction serve on")
    def test_cancel(self, alias: str, throttle: sqlthrottle.Throttle, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupted(seconds: float) -> None:
            raise KeyboardInterrupt

        with transaction.atomic(using=alias):
            Plain.objects.using(alias).create(name="kept")
            with monkeypatch.context() as patched:
                patched.setattr(time, "sleep", interrupted)
                # The second one finds the place of the first, as that has given up.
                for _ in range(2):
                    with pytest.raises(KeyboardInterrupt):
                        Waiting.objects.using(alias).update(name="x")
        assert counted(throttle, "waiting")["delayed"] == 2
        assert Plain.objects.using(alias).count() == ROWS + 1

    @shows("`iterator` holds its place until it is read to its end, closed or lost, or its transaction or connection ends")
    def test_stream(self, alias: str, throttle: sqlthrottle.Throttle) -> None:
        # The drivers of MySQL have all rows when a statement is executed.
        held_while_read = 0 if alias == "mysql" else 1
        connection = connections[alias]

        def stream() -> Any:
            rows = Single.objects.using(alias).order_by("pk").iterator(chunk_size=5)
            assert next(rows).name == "item 0"
            assert held(throttle) == held_while_read
            return rows

        rows = stream()
        if held_while_read:
            with pytest.raises(sqlthrottle.StatementAborted):
                list(Single.objects.using(alias).all())
        assert len(list(rows)) == ROWS - 1 and held(throttle) == 0
        stream().close()
        assert held(throttle) == 0
        rows = stream()
        del rows
        gc.collect()
        assert held(throttle) == 0
        if alias == "postgresql":
            with contextlib.ExitStack() as opened:
                with transaction.atomic(using=alias):
                    opened.enter_context(connection.chunked_cursor()).execute("select name from single")
                    assert held(throttle) == 1
                assert held(throttle) == 0, "a cursor of the server ends with its transaction"
        with transaction.atomic(using=alias), connection.chunked_cursor() as cursor:
            cursor.execute("select name from single")
            assert held(throttle) == held_while_read
            connection.close()
            assert held(throttle) == 0
        with connection.cursor() as cursor:
            cursor.execute("select name from single")
            before = cursor.cursor
            cursor.execute("select name from plain")
            assert before is not None and held(throttle) == 0, "a cursor that is executed again has ended before"

    @shows("`executemany`, and each INSERT of `bulk_create`, is one check that weighs as many rows as it has; refused, nothing is stored")
    def test_batch(self, alias: str, throttle: sqlthrottle.Throttle) -> None:
        weighed = Weighed.objects.using(alias)
        weighed.bulk_create([Weighed(name="x") for _ in range(400)])
        # SQLite would commit each row.
        with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
            cursor.executemany("insert into weighed (name) values (%s)", [["x"] for _ in range(2000)])
            with pytest.raises(sqlthrottle.StatementAborted):
                cursor.executemany("insert into weighed (name) values (%s)", (["x"] for _ in range(101)))
            cursor.executemany("insert into weighed (name) values (%s)", (["x"] for _ in range(80)))
        assert counted(throttle, "weighed")["passed"] == 3
        with pytest.raises(sqlthrottle.StatementAborted):
            weighed.bulk_create([Weighed(name="x") for _ in range(40)], batch_size=15)
        assert weighed.count() == ROWS + 2480

    @shows("stays usable where a query or a text was refused; writes of the ORM ask for a rollback, as with any error, and savepoints contain it; begin and savepoints pass; `in_transaction`")
    def test_transaction(self, alias: str) -> None:
        plain = Plain.objects.using(alias)
        with transaction.atomic(using=alias):
            plain.create(name="before")
            with pytest.raises(sqlthrottle.StatementAborted):
                list(Refused.objects.using(alias).all())
            with pytest.raises(sqlthrottle.StatementAborted):
                connections[alias].cursor().execute("update refused set name = 'x'")
            with pytest.raises(sqlthrottle.StatementAborted), transaction.atomic(using=alias):
                Refused.objects.using(alias).update(name="x")
            plain.create(name="after")
        assert plain.count() == ROWS + 2
        with pytest.raises(sqlthrottle.StatementAborted), transaction.atomic(using=alias):
            plain.create(name="gone")
            Refused.objects.using(alias).update(name="x")
        assert plain.count() == ROWS + 2
        with sqlthrottle.Throttle(EVERYTHING, refresh=False) as blocking:
            with throttled(blocking), transaction.atomic(using=alias), transaction.atomic(using=alias):
                with pytest.raises(sqlthrottle.StatementAborted):
                    plain.count()
            for mode in ("delay_only", "bypass"):
                with throttled(blocking, IN_TRANSACTION=mode):
                    with transaction.atomic(using=alias):
                        assert plain.count() == ROWS + 2
                    with pytest.raises(sqlthrottle.StatementAborted):
                        plain.count()
            assert counted(blocking, "everything")["aborted"] == 4

    @shows("back when the statement has ended, also by an error of the driver")
    def test_permits(self, alias: str, throttle: sqlthrottle.Throttle) -> None:
        single = Single.objects.using(alias)
        assert len(single.all()) == ROWS and held(throttle) == 0
        assert single.filter(pk=1).exists() and single.first() and held(throttle) == 0
        for times in range(2):
            with pytest.raises(DatabaseError):
                connections[alias].cursor().execute("select missing from single")
            assert held(throttle) == 0
        assert single.update(name="x") == ROWS and held(throttle) == 0


def test_the_other_drivers_are_guarded_as_well() -> None:
    if os.environ.get(djangos.OTHER_DRIVERS):
        return
    command = [sys.executable, "-B", "-m", "pytest", "-p", "no:cacheprovider", "-q", str(Path(__file__)), "-k", "TestDjango"]
    environment = {**os.environ, djangos.OTHER_DRIVERS: "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout
