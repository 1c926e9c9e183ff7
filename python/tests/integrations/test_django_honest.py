"""What is made up of an ignored statement goes into nothing that keeps it, and nothing is stored because of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import djangos
import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.backends.db import SessionStore
from django.core.cache import caches
from django.core.exceptions import FieldDoesNotExist
from django.core.management import call_command
from django.db import connection, connections
from django.db.models import prefetch_related_objects
from django.test.utils import CaptureQueriesContext
from djangos import Detail, Holder, Ignored, Plain, Profile, alias, throttle, throttled  # noqa: F401

import sqlthrottle

IGNORING = {"rules": [{"name": "all", "limit": {"block": True}, "then": {"strategy": "ignore"}}]}


def is_unavailable(send: Callable[[], Any]) -> None:
    with pytest.raises(sqlthrottle.StatementAborted) as aborted:
        send()
    assert aborted.value.reason is sqlthrottle.Reason.IGNORE_UNAVAILABLE


def test_what_stores_deletes_or_keeps_is_aborted(alias: str) -> None:
    ignored = Ignored.objects.using(alias)
    plain = Plain.objects.using(alias).get(pk=1)
    stored = Ignored(pk=1, name="x")
    stored._state.adding, stored._state.db = False, alias
    holder = Holder(name="h", ignored_id=1)
    holder._state.db = alias
    lies: list[Callable[[], Any]] = [
        lambda: ignored.create(name="x"),
        lambda: ignored.create(pk=1000, name="x"),
        lambda: stored.save(),
        lambda: stored.save(update_fields=["name"]),
        lambda: stored.refresh_from_db(),
        lambda: stored.delete(),
        lambda: holder.full_clean(),
        lambda: ignored.all().delete(),
        # Not found, it would be stored twice.
        lambda: ignored.get_or_create(name="item 1"),
        lambda: ignored.update_or_create(name="item 1", defaults={"name": "x"}),
        lambda: ignored.bulk_create([Ignored(pk=1000, name="x")]),
        lambda: ignored.bulk_update([stored], ["name"]),
        # Each of these keeps what it finds.
        lambda: holder.ignored,
        lambda: plain.profile,
        lambda: prefetch_related_objects([plain], "details"),
        lambda: list(Plain.objects.using(alias).prefetch_related("details")),
        lambda: ignored.all().__reduce__(),
        # Its details go with it, and would be left behind.
        lambda: plain.delete(),
        lambda: list(ignored.raw("select id, name from ignored where id < 10")),
    ]
    for number, send in enumerate(lies):
        try:
            is_unavailable(send)
        except BaseException as error:
            raise AssertionError(f"lie {number}") from error
    assert list(plain.details.all()) == [] and plain.details.count() == 0, "who only asks is answered"
    assert not hasattr(plain, "_prefetched_objects_cache") or not plain._prefetched_objects_cache


def test_a_queryset_asks_again(alias: str, throttle: sqlthrottle.Throttle) -> None:
    found = Ignored.objects.using(alias).order_by("pk")
    raw = Ignored.objects.using(alias).raw("select id, name from ignored")
    assert list(found) == [] and not found and len(found) == 0
    throttle.reload({})
    assert len(raw) == djangos.ROWS
    throttle.reload(IGNORING)
    raw = Ignored.objects.using(alias).raw("select id, name from ignored")
    assert list(raw) == []
    throttle.reload({})
    assert len(raw) == djangos.ROWS
    for read in (
        lambda rows: rows[0].name == "item 0",
        lambda rows: rows.count() == djangos.ROWS,
        lambda rows: rows.exists(),
        lambda rows: rows.contains(Ignored(pk=1)),
        lambda rows: bool(rows),
        lambda rows: len(list(rows)) == djangos.ROWS,
    ):
        throttle.reload(IGNORING)
        kept = Ignored.objects.using(alias).order_by("pk")
        assert list(kept) == []
        throttle.reload({})
        assert read(kept)
    # One that has found something keeps it.
    with CaptureQueriesContext(connections[alias]) as sent:
        assert len(kept) == djangos.ROWS and kept.count() == djangos.ROWS
    assert len(sent) == 0


def test_a_text_has_the_columns_that_it_had_and_an_aggregate_is_never_empty(
    alias: str, throttle: sqlthrottle.Throttle
) -> None:
    with connections[alias].cursor() as cursor:
        for text in ("select count(*) from ignored", "SELECT max(id) FROM ignored", "select exists(select 1 from ignored)"):
            is_unavailable(lambda text=text: cursor.execute(text))
        text = "select name, id from ignored"
        cursor.execute(text)
        assert len(cursor.description) == 1
        throttle.reload({})
        cursor.execute(text)
        cursor.fetchall()
        throttle.reload(IGNORING)
        cursor.execute(text)
        assert [column[0] for column in cursor.description] == ["name", "id"]
        cursor.execute("select name, count(*) from ignored group by name")
        assert cursor.fetchone() is None
        if alias == "default":
            assert cursor.execute("select name from ignored").fetchone() is None


def test_the_log_of_queries_takes_what_was_not_sent(alias: str) -> None:
    with CaptureQueriesContext(connections[alias]) as log:
        list(Ignored.objects.using(alias).filter(name="x"))
        with pytest.raises(sqlthrottle.StatementAborted):
            djangos.Refused.objects.using(alias).count()
    assert len(log) == 2


def test_sessions_users_content_types_and_caches_are_never_made_up(throttle: sqlthrottle.Throttle) -> None:
    call_command("migrate", verbosity=0)
    call_command("createcachetable", "cached", verbosity=0)
    User.objects.filter(username="ann").delete()
    User.objects.create_user("ann", password="of ann")
    session = SessionStore()
    session["cart"] = 1
    session.save()
    with sqlthrottle.Throttle(IGNORING, refresh=False) as ignoring, throttled(ignoring):
        ContentType.objects.clear_cache()
        for send in (
            lambda: SessionStore(session.session_key).load(),
            lambda: SessionStore().exists(session.session_key),
            lambda: authenticate(username="ann", password="of ann"),
            lambda: User.objects.filter(username="ann").exists(),
            lambda: ContentType.objects.get_for_model(User),
            lambda: caches["database"].get("key"),
            lambda: caches["database"].set("key", 1),
        ):
            is_unavailable(send)
    assert SessionStore(session.session_key).load() == {"cart": 1}
    User.objects.all().delete()
    connection.close()


def test_a_raw_query_without_its_key_is_told_as_ever(alias: str) -> None:
    with pytest.raises(FieldDoesNotExist):
        list(Plain.objects.using(alias).raw("select name from plain"))


def test_a_relation_that_is_there_is_found(alias: str) -> None:
    with throttled(sqlthrottle.Throttle()):
        plain = Plain.objects.using(alias).get(pk=2)
        Detail.objects.using(alias).create(name="d", plain=plain)
        Profile.objects.using(alias).create(name="p", plain=plain)
        assert [detail.name for detail in plain.details.all()] == ["d"] and plain.profile.name == "p"
