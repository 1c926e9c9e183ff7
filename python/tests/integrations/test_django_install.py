"""Which connections of Django are guarded, and what passes by."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import djangos
import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import Permission
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import connection, connections, migrations, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import ProjectState
from django.test.utils import override_settings
from djangos import Plain, Refused, Weighed, alias, throttle, throttled  # noqa: F401
from shop import EVERYTHING, ROWS
from watch import counted

import sqlthrottle
from sqlthrottle._gate import LAYERS, Gate
from sqlthrottle.django import _guard, _state
from sqlthrottle.django import throttle as current
from sqlthrottle.django._guard import DatabaseGuard


@pytest.fixture
def blocking(alias: str) -> Iterator[sqlthrottle.Throttle]:
    """All that is checked is refused."""
    with sqlthrottle.Throttle(EVERYTHING, refresh=False) as blocking, throttled(blocking):
        yield blocking


def is_refused(send: Callable[[], Any]) -> None:
    with pytest.raises(sqlthrottle.StatementAborted):
        send()


def guards(name: str) -> int:
    return sum(isinstance(wrapper, DatabaseGuard) for wrapper in connections[name].execute_wrappers)


def test_a_statement_is_counted_once_however_often_its_connection_was_made(
    alias: str, throttle: sqlthrottle.Throttle
) -> None:
    for times in (1, 2, 3):
        connections[alias].close()
        Weighed.objects.using(alias).create(name="x")
        assert guards(alias) == 1
        assert counted(throttle, "weighed")["passed"] == times


def test_threads_and_tasks_are_guarded(alias: str) -> None:
    seen: list[BaseException] = []

    def send() -> None:
        try:
            Refused.objects.using(alias).count()
        except BaseException as error:
            seen.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=send) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    asyncio.run(sync_to_async(send, thread_sensitive=False)())
    assert [type(error) for error in seen] == [sqlthrottle.StatementAborted] * 4


def test_a_wrapper_that_is_put_in_while_a_connection_is_made_does_not_take_the_guard_out(alias: str) -> None:
    connections[alias].close()

    def passing(execute: Any, sql: Any, params: Any, many: Any, context: Any) -> Any:
        return execute(sql, params, many, context)

    with connections[alias].execute_wrapper(passing):
        assert Plain.objects.using(alias).count() == ROWS
    is_refused(lambda: Refused.objects.using(alias).count())
    assert passing not in connections[alias].execute_wrappers


def test_a_guarded_driver_beneath_does_not_count_a_statement_again(alias: str, throttle: sqlthrottle.Throttle) -> None:
    beneath = Gate(throttle, is_driver=True)
    seen: list[bool] = []

    def driver(execute: Any, sql: Any, params: Any, many: Any, context: Any) -> Any:
        seen.append(beneath.is_decided())
        beneath.enter(sql).release()
        return execute(sql, params, many, context)

    try:
        with connections[alias].execute_wrapper(driver):
            Weighed.objects.using(alias).create(name="x")
            assert Plain.objects.using(alias).count() == ROWS
        assert seen == [True, True] and counted(throttle, "weighed")["passed"] == 1
        assert not beneath.is_decided()
    finally:
        LAYERS.discard("driver")


def test_what_begins_and_ends_transactions_and_what_tests_connections_passes(
    alias: str, blocking: sqlthrottle.Throttle
) -> None:
    connection = connections[alias]
    connection.close()
    connection.ensure_connection()
    assert connection.is_usable()
    with transaction.atomic(using=alias), transaction.atomic(using=alias):
        point = transaction.savepoint(using=alias)
        transaction.savepoint_rollback(point, using=alias)
        is_refused(lambda: Plain.objects.using(alias).count())
    connection.introspection.table_names()
    assert counted(blocking, "everything")["matched"] == 1


def test_a_broken_transaction_is_told_by_django(alias: str, throttle: sqlthrottle.Throttle) -> None:
    with transaction.atomic(using=alias):
        is_refused(lambda: Refused.objects.using(alias).update(name="x"))
        with pytest.raises(transaction.TransactionManagementError):
            Refused.objects.using(alias).count()
        transaction.set_rollback(False, using=alias)
        Weighed.objects.using(alias).create(name="x")


def test_migrations_and_databases_of_tests_pass(alias: str, blocking: sqlthrottle.Throttle) -> None:
    connection = connections[alias]
    call_command("migrate", database=alias, verbosity=0)
    executor = MigrationExecutor(connection)
    executor.loader.build_graph()

    def move(apps: Any, editor: Any) -> None:
        Plain.objects.using(alias).filter(pk=1).update(name="moved")

    migration = migrations.Migration("move", "djangos")
    migration.operations = [migrations.RunPython(move)]
    executor.apply_migration(ProjectState(), migration)
    executor.recorder.record_unapplied("djangos", "move")
    with connection.schema_editor() as editor:
        for model in (djangos.Holder, djangos.Plain):
            editor.alter_db_table(model, model._meta.db_table, "renamed")
            editor.alter_db_table(model, "renamed", model._meta.db_table)
    is_refused(lambda: Plain.objects.using(alias).count())
    with throttled(sqlthrottle.Throttle()):
        assert Plain.objects.using(alias).get(pk=1).name == "moved"
    with throttled(blocking, MIGRATIONS=True), pytest.raises(sqlthrottle.StatementAborted):
        with connection.schema_editor():
            Plain.objects.using(alias).count()
    call_command("flush", database=alias, verbosity=0, interactive=False)


def test_a_command_may_have_an_option_of_any_name(alias: str, throttle: sqlthrottle.Throttle) -> None:  # noqa: F811
    call_command("shell", command="pass", verbosity=0)


def test_the_database_of_a_test_is_made_with_rules_that_refuse_all(blocking: sqlthrottle.Throttle, alias: str) -> None:
    call_command("migrate", database=alias, verbosity=0)
    creation = connections[alias].creation
    stored = creation.serialize_db_to_string()
    assert "auth.permission" in stored
    call_command("flush", database=alias, verbosity=0, interactive=False, inhibit_post_migrate=True)
    creation.deserialize_db_from_string(stored)
    assert counted(blocking, "everything")["matched"] == 0
    with throttled(sqlthrottle.Throttle()):
        # Django restores the default database, whichever it is told to.
        assert Permission.objects.using("default").exists()
        assert Plain.objects.using(alias).count() == 0


def test_only_the_databases_that_are_named_are_guarded(throttle: sqlthrottle.Throttle) -> None:
    djangos.fill("default")
    for options in ({"DATABASES": []}, {"EXCEPT": ["default"]}):
        with throttled(throttle, **options):
            assert Refused.objects.count() == ROWS
    with throttled(throttle, DATABASES=["default"]):
        is_refused(Refused.objects.count)
    connection.close()


def test_rules_know_the_database_and_its_dialect(alias: str) -> None:
    name = str(connections[alias].settings_dict["NAME"])
    rules = {"rules": [{"name": "here", "match": {"databases": name}, "limit": {"block": True}}]}
    with sqlthrottle.Throttle(rules, refresh=False) as here, throttled(here):
        is_refused(lambda: Plain.objects.using(alias).count())


def test_procedures_are_checked(alias: str, blocking: sqlthrottle.Throttle) -> None:
    if alias == "default":
        # SQLite has none.
        return
    with connections[alias].cursor() as cursor:
        is_refused(lambda: cursor.callproc("version"))


def test_texts_that_psycopg_composes_and_bytes_are_read(alias: str) -> None:
    if alias != "postgresql":
        return
    from django.db.backends.postgresql.psycopg_any import sql

    with connections[alias].cursor() as cursor:
        composed = sql.SQL("select * from {}").format(sql.Identifier("refused"))
        is_refused(lambda: cursor.execute(composed))
        is_refused(lambda: cursor.execute(b"select * from refused"))


def test_rules_that_look_at_values_see_them(alias: str) -> None:
    rules = {
        "rules": [
            {"name": "ids", "match": {"tables": "plain"}, "per": ["column:plain.id"], "limit": {"fixed_window": {"max": 1, "window": "24h"}}}
        ]
    }
    with sqlthrottle.Throttle(rules, refresh=False) as asked, throttled(asked):
        plain = Plain.objects.using(alias)
        assert plain.get(pk=1) and plain.get(pk=2)
        is_refused(lambda: plain.get(pk=1))


def test_faulty_settings_let_no_connection_serve() -> None:
    connection.close()
    with override_settings(SQL_THROTTLE={"RULEZ": {}}):
        for _ in range(2):
            with pytest.raises(ImproperlyConfigured, match="'RULEZ'.*'RULES'"):
                connection.ensure_connection()
            assert connection.connection is None
        with pytest.raises(ImproperlyConfigured):
            current()


def test_the_throttle_of_the_process_is_at_hand(throttle: sqlthrottle.Throttle) -> None:
    with throttled(throttle):
        assert current() is throttle


def test_a_site_that_renames_its_connection_for_each_tenant_keeps_not_all_of_their_guards(throttle: sqlthrottle.Throttle) -> None:
    with throttled(throttle):
        connection = connections["default"].copy()
        for tenant in range(_guard._MOST + 2):
            connection.settings_dict["NAME"] = f"tenant-{tenant}"
            _guard.install(connection)
            assert len(_state.current().guards) <= _guard._MOST
        guard = _guard.installed(connection)
        assert guard is not None and guard._gate.database == f"tenant-{_guard._MOST + 1}"
