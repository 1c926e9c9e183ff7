"""``manage.py sqlthrottle``: what all processes of a site have counted."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import djangos  # noqa: F401
import pytest
from django.core.management import CommandError, call_command
from djangos import throttled
from watch import throttle  # noqa: F401

import sqlthrottle
from sqlthrottle.django import _counters

SITE = """
    import sys, django
    from django.conf import settings

    folder, database = sys.argv[1:]
    settings.configure(
        INSTALLED_APPS=["sqlthrottle.django"],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": database}},
        SQL_THROTTLE={
            "RULES": {"rules": [{"name": "plain", "match": {"tables": "plain"}, "limit": {"fixed_window": {"max": 2, "window": "24h"}}}]},
            "COUNTERS": folder,
        },
    )
    django.setup()
    from django.db import connection
    import sqlthrottle

    with connection.cursor() as cursor:
        cursor.execute("create table if not exists plain (id integer)")
        for _ in range(3):
            try:
                cursor.execute("select id from plain")
            except sqlthrottle.StatementAborted:
                pass
    print("ready", flush=True)
    sys.stdin.read()
"""


def shown(folder: Path, *arguments: str) -> Any:
    out = io.StringIO()
    with sqlthrottle.Throttle() as throttle, throttled(throttle, COUNTERS=folder):
        call_command("sqlthrottle", *arguments, stdout=out)
    return json.loads(out.getvalue()) if "--json" in arguments else out.getvalue()


def test_the_counters_of_all_processes_are_added_up_and_end_with_them(tmp_path: Path) -> None:
    folder = tmp_path / "counters"
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(SITE), str(folder), str(tmp_path / f"{number}.db")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(2)
    ]
    try:
        for worker in workers:
            assert worker.stdout is not None and worker.stdout.readline() == "ready\n"
        until = time.monotonic() + 30
        while (seen := shown(folder, "--json"))["rules"].get("plain", {}).get("matched") != 6:
            assert time.monotonic() < until, seen
        assert seen["processes"] == 2
        assert (seen["rules"]["plain"]["passed"], seen["rules"]["plain"]["aborted"]) == (4, 2)
        table = shown(folder)
        assert "2 processes" in table and table.splitlines()[2].split() == ["plain", "6", "4", "2", "0", "0", "0"]
    finally:
        for worker in workers:
            worker.communicate("", timeout=30)
    assert list(folder.iterdir()) == [] and "0 processes" in shown(folder)
    assert folder.stat().st_mode & 0o077 == 0, "nobody else reads them"


def test_a_process_that_was_killed_is_counted_no_more(tmp_path: Path) -> None:
    with sqlthrottle.Throttle() as throttle:
        _counters.write(str(tmp_path), throttle)
        (file,) = tmp_path.iterdir()
        assert len(_counters.read(str(tmp_path))) == 1
        killed = file.rename(tmp_path / f"other-1{_counters._SUFFIX}")
        os.utime(killed, (time.time() - 60,) * 2)
        assert _counters.read(str(tmp_path)) == []
        os.utime(killed, (time.time() - 7200,) * 2)
        _counters._written.clear()
        _counters._last.clear()
        _counters.write(str(tmp_path), throttle)
        assert [left.name for left in tmp_path.iterdir()] == [file.name]


def test_files_that_are_none_of_ours_are_passed_over(tmp_path: Path) -> None:
    """Whoever may write to the folder: nobody waits for them, is shown what they wish, or has no counters because of them."""
    rule = {"name": "r", **dict.fromkeys(_counters.COUNTERS, 1)}
    strange: tuple[Any, ...] = (
        *("", "{", "null", "[]", "5", "{}", "[" * 100_000, "\xff".encode("latin-1")),
        *(json.dumps({"rules": rules}) for rules in (None, 5, [1], [{}], [{**rule, "name": 1}], [{**rule, "passed": "1"}])),
        b" " * (_counters._LARGEST + 1),
    )
    for number, content in enumerate(strange):
        path = tmp_path / f"strange-{number}{_counters._SUFFIX}"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    os.mkfifo(tmp_path / f"pipe{_counters._SUFFIX}")
    (tmp_path / f"folder{_counters._SUFFIX}").mkdir()
    (tmp_path / f"link{_counters._SUFFIX}").symlink_to(tmp_path / "nowhere")
    with sqlthrottle.Throttle({"rules": [{"name": "r", "limit": {"block": True}}]}) as throttle:
        throttle.check("select 1")
        _counters.write(str(tmp_path), throttle)
    seen = shown(tmp_path, "--json")
    assert seen["processes"] == 1 and seen["rules"]["r"]["aborted"] == 1
    assert "1 process\n" in shown(tmp_path)


def test_names_do_nothing_to_the_terminal(tmp_path: Path) -> None:
    rule = {"name": "r\x1b[2J", **dict.fromkeys(_counters.COUNTERS, 1)}
    (tmp_path / f"other-1{_counters._SUFFIX}").write_text(json.dumps({"rules": [rule]}))
    assert "r\\x1b[2J" in shown(tmp_path) and "\x1b" not in shown(tmp_path)


def test_a_link_that_was_put_there_is_not_written_through(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("kept")
    folder = tmp_path / "counters"
    folder.mkdir()
    with sqlthrottle.Throttle() as throttle:
        _counters.write(str(folder), throttle)
        (file,) = folder.iterdir()
        (folder / f"{file.name}.new").symlink_to(precious)
        _counters._last.clear()
        _counters.write(str(folder), throttle)
    assert precious.read_text() == "kept" and [left.name for left in folder.iterdir()] == [file.name]


def test_what_was_left_half_written_is_removed(tmp_path: Path) -> None:
    half = tmp_path / f"other-1{_counters._UNFINISHED}"
    half.write_text("{")
    os.utime(half, (time.time() - 7200,) * 2)
    with sqlthrottle.Throttle() as throttle:
        _counters._written.clear()
        _counters.write(str(tmp_path), throttle)
    assert not half.exists() and len(list(tmp_path.iterdir())) == 1


def test_it_is_shown_again_and_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", sleep)
    assert shown(tmp_path, "--watch", "0.5").count("0 processes") == 3
    assert pauses == [0.5] * 3


def test_without_a_folder_it_says_what_is_missing(throttle: sqlthrottle.Throttle) -> None:  # noqa: F811
    with throttled(throttle), pytest.raises(CommandError, match="COUNTERS"):
        call_command("sqlthrottle")
