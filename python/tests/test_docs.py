"""What docs/python.md says is so."""

from __future__ import annotations

import ast
import importlib.util
import pathlib
import re

import pytest

import sqlthrottle
from sqlthrottle import SqlThrottleError, Throttle

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "python.md").read_text("utf-8")
README = (ROOT / "README.md").read_text("utf-8").split("\n## From Python\n")[1].split("\n## ")[0]


def blocks(page: str) -> list[str]:
    """The programs of a page."""
    return re.findall(r"```python\n(.*?)```", page, re.DOTALL)


def test_programs_are_written_right_and_name_what_there_is() -> None:
    programs = blocks(PAGE) + blocks(README)
    assert len(programs) >= 5
    for program in programs:
        compile(program, "docs/python.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    for text in (PAGE, README):
        for name in re.findall(r"\bsqlthrottle\.([A-Za-z]\w*)", text):
            assert name in sqlthrottle.__all__ or name == "yml" or importlib.util.find_spec(f"sqlthrottle.{name}"), name
        for name in re.findall(r"\bthrottle\.(\w+)", text):
            assert hasattr(Throttle, name) or name == "yml", name
        for name in re.findall(r"\bdecision\.(\w+)", text):
            assert hasattr(sqlthrottle.Decision, name), name


def test_the_first_program_prints_what_the_page_says(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first = PAGE.split("\n## Five minutes\n")[1].split("\n## ")[0]
    rules, program, printed = re.findall(r"```\w+\n(.*?)```", first, re.DOTALL)
    (tmp_path / "sqlthrottle.yml").write_text(rules, "utf-8")
    monkeypatch.chdir(tmp_path)
    exec(program, {})
    assert capsys.readouterr().out == printed


def test_the_program_for_tests_runs() -> None:
    program = blocks(PAGE.split("\n## In tests\n")[1])[0]
    exec(program, {"sqlthrottle": sqlthrottle, "sql": "select 1"})


def test_the_calls_of_the_table_are_there() -> None:
    table = PAGE.split("\n| Call | For |\n")[1].split("\n\n")[0]
    names = re.findall(r"`(\w+)`", "\n".join(line.split("|")[1] for line in table.split("\n")[1:]))
    assert len(names) >= 8 and all(hasattr(Throttle, name) for name in names), names


def test_the_errors_of_the_table_are_all_and_have_their_codes() -> None:
    table = PAGE.split("\n| Class | `code` | When |\n")[1].split("\n\n")[0]
    said = dict(re.findall(r"^\| `(\w+)`[^|]*\| `?([^`|]+)`? \|", table, re.MULTILINE))
    there = {
        name
        for name in sqlthrottle.__all__
        if isinstance(value := getattr(sqlthrottle, name), type) and issubclass(value, SqlThrottleError)
    }
    assert set(said) == there
    throttle = Throttle("rules: [{name: b, limit: {block: true}}]")
    for error in (
        sqlthrottle.StatementAborted(throttle.check("select 1")),
        sqlthrottle.ArgumentError("x"),
        sqlthrottle.ThrottleClosedError(),
    ):
        assert said[type(error).__name__] == error.code
