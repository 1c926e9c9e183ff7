"""What ``manage.py check`` says of ``SQL_THROTTLE``."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import djangos  # noqa: F401
import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import SystemCheckError
from django.db import connections
from django.test.utils import override_settings

import sqlthrottle
from sqlthrottle.django import _state
from sqlthrottle.django._settings import check_settings


def faults(said: Any) -> list[tuple[str, str, str | None]]:
    with override_settings(SQL_THROTTLE=said):
        return [(fault.id, fault.msg, fault.hint) for fault in check_settings()]


def test_what_is_right_has_no_faults(tmp_path: Path) -> None:
    rules = tmp_path / "rules.yml"
    rules.write_text("default_threshold: 100\n")
    for said in (
        rules,
        str(rules),
        {"RULES": rules},
        {"RULES": {"default_threshold": 100}, "DATABASES": ["default"], "IN_TRANSACTION": "bypass", "FAKES": "none", "STATUS": 503},
        {"RULES": {}, "PROVIDER": "test_django_checks.faults", "EXEMPT": None, "USER": len, "COUNTERS": tmp_path},
    ):
        assert faults(said) == []


def test_a_missing_setting_is_told() -> None:
    with override_settings():
        del settings.SQL_THROTTLE
        assert [fault.id for fault in check_settings()] == ["sqlthrottle.E001"]
    assert [fault[0] for fault in faults(5)] == ["sqlthrottle.E002"]


def test_an_unknown_key_is_told_with_the_nearest() -> None:
    ((number, message, hint),) = faults({"RULES": {}, "IN_TRANSACTIONS": "apply"})
    assert number == "sqlthrottle.E003" and "'IN_TRANSACTIONS'" in message and hint == "Did you mean 'IN_TRANSACTION'?"
    ((_, _, hint),) = faults({"rules": {}, "THROTTLE": sqlthrottle.Throttle()})
    assert hint == "Did you mean 'RULES'?"


def test_rules_are_said_once() -> None:
    assert [fault[0] for fault in faults({})] == ["sqlthrottle.E004"]
    assert [fault[0] for fault in faults({"RULES": {}, "THROTTLE": sqlthrottle.Throttle()})] == ["sqlthrottle.E004"]


def test_a_rule_file_is_refused_with_all_its_faults(tmp_path: Path) -> None:
    ((number, message, _),) = faults(tmp_path / "missing.yml")
    assert number == "sqlthrottle.E005" and "missing.yml" in message
    rules = tmp_path / "rules.yml"
    rules.write_text("rulez: 1\nrules: [{name: a}]\n")
    ((number, message, _),) = faults(rules)
    assert number == "sqlthrottle.E005" and "file.unknown_key" in message and "rule.limit.missing" in message
    assert [fault[0] for fault in faults({"RULES": 5})] == ["sqlthrottle.E005"]


def test_an_unknown_database_is_told_with_the_nearest() -> None:
    for key in ("DATABASES", "EXCEPT"):
        ((number, message, hint),) = faults({"RULES": {}, key: ["defualt"]})
        assert number == "sqlthrottle.E006" and "'defualt'" in message and hint == "Did you mean 'default'?"
    assert [fault[0] for fault in faults({"RULES": {}, "DATABASES": "default"})] == ["sqlthrottle.E007"]


@pytest.mark.parametrize(
    ("key", "value", "number"),
    (
        ("IN_TRANSACTION", "never", 7),
        ("FAKES", "all", 7),
        ("MIGRATIONS", "yes", 7),
        ("RATE_LIMIT_HEADERS", "yes", 7),
        ("COUNTERS", "", 7),
        ("COUNTERS", "\0", 7),
        ("STATUS", 500, 7),
        ("COUNTERS", 5, 7),
        ("PROVIDER", "shop.missing", 8),
        ("EXEMPT", 5, 8),
        ("USER", "os.name", 8),
        ("CLIENT", "nowhere", 8),
    ),
)
def test_values_out_of_their_range_are_told(key: str, value: object, number: int) -> None:
    assert [fault[0] for fault in faults({"RULES": {}, key: value})] == [f"sqlthrottle.E{number:03}"]


@pytest.mark.parametrize("key", ("DATABASES", "EXCEPT", "IN_TRANSACTION", "FAKES", "STATUS", "COUNTERS", "MIGRATIONS", "RATE_LIMIT_HEADERS"))
@pytest.mark.parametrize("value", ([[]], [None], {"a": []}, object(), float("nan"), b"x"), ids=repr)
def test_no_value_is_too_strange_to_be_told(key: str, value: object) -> None:
    told = faults({"RULES": {}, key: value})
    assert told != [] and all(number in ("sqlthrottle.E006", "sqlthrottle.E007") for number, _, _ in told)


@pytest.mark.parametrize("key", ("THROTTLE", "PROVIDER", "EXEMPT", "USER", "CLIENT"))
@pytest.mark.parametrize("path", ("", "..", ".a", "a b.c", "os.nothing", "test_django_faulty.function", "\0.x"))
def test_a_path_that_cannot_be_imported_is_told_once(key: str, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "test_django_faulty.py").write_text("function = 1 / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    said = {key: path} if key == "THROTTLE" else {"RULES": {}, key: path}
    ((number, message, _),) = faults(said)
    assert number == "sqlthrottle.E008" and f"[{key!r}] cannot be imported" in message


def test_a_module_that_sends_a_statement_when_it_is_imported_ends_in_no_deadlock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "test_django_early.py").write_text(
        "from django.db import connection\nconnection.cursor().execute('select 1')\ndef user(request): ...\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    connections.close_all()
    with override_settings(SQL_THROTTLE={"RULES": {}, "USER": "test_django_early.user"}):
        with pytest.raises(ImproperlyConfigured, match="sends a statement when it is imported"):
            _state.current()


def test_a_throttle_of_the_program_is_taken_and_never_closed() -> None:
    throttle = sqlthrottle.Throttle()
    assert faults({"THROTTLE": throttle}) == [] and not throttle.closed
    assert [fault[0] for fault in faults({"THROTTLE": "os.name"})] == ["sqlthrottle.E008"]
    throttle.close()
    assert ["closed" in fault[1] for fault in faults({"THROTTLE": throttle})] == [True]


def test_the_command_says_all_of_it_at_once() -> None:
    with override_settings(SQL_THROTTLE={"RULEZ": {}, "STATUS": 1}), pytest.raises(SystemCheckError) as told:
        call_command("check", stderr=io.StringIO(), stdout=io.StringIO())
    for number in ("E003", "E004", "E007"):
        assert f"sqlthrottle.{number}" in str(told.value)
