"""Fills the tables of the tests, for libraries that have no metadata of theirs."""

from __future__ import annotations

from pathlib import Path

import databases
import engines
import sqlalchemy


def fill(driver: str, folder: Path) -> None:
    """By the name of a dialect and a driver of SQLAlchemy, whatever drives the test."""
    engine = sqlalchemy.create_engine(databases.url(driver, folder))
    with engine.begin() as connection:
        engines._fill(connection)
    engine.dispose()
