"""The table of docs/python.md is what the tests say of themselves, and each of its cells is a test."""

from __future__ import annotations

from pathlib import Path

import pytest
import test_psycopg
import test_psycopg_async
import test_sqlalchemy_async
import test_sqlalchemy_core
import test_sqlalchemy_orm
from shows import COLUMNS, table

ROWS: list[type] = [
    test_sqlalchemy_core.TestCore,
    test_sqlalchemy_orm.TestOrm,
    test_sqlalchemy_async.TestAsync,
    test_psycopg.TestPsycopg,
    test_psycopg_async.TestPsycopgAsync,
]
DOCUMENTATION = Path(__file__).parents[3] / "docs" / "python.md"


def test_the_table_of_the_documentation_is_that_of_the_tests() -> None:
    assert table(ROWS) in DOCUMENTATION.read_text(), f"it should read\n{table(ROWS)}"


@pytest.mark.parametrize("row", ROWS)
def test_each_cell_is_a_test(row: type) -> None:
    for column in COLUMNS:
        assert callable(getattr(row, f"test_{column}", None)), f"{row.__name__} has no test of {column}"
