"""Where the databases of the tests are."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit

import pytest

VARIABLES = {"postgresql": "SQLTHROTTLE_POSTGRESQL_URL", "mariadb": "SQLTHROTTLE_MARIADB_URL"}


def server(name: str) -> str:
    """``user@host:port/database`` of a server that runs. Where there is none the test is skipped, but never under CI."""
    url = os.environ.get(VARIABLES[name])
    if url:
        parts = urlsplit(url)
        return f"{parts.netloc}{parts.path}"
    told = f"{VARIABLES[name]} is not set: run the tests under tests/servers/run.py postgresql mariadb -- …"
    if os.environ.get("CI"):
        pytest.fail(told)
    pytest.skip(told)


def url(driver: str, folder: Path) -> str:
    """The URL of a database for SQLAlchemy, by the name of a dialect and driver."""
    name = driver.partition("+")[0]
    if name == "sqlite":
        return f"{driver}:///{folder}/shop.db"
    return f"{driver}://{server('mariadb' if name == 'mysql' else name)}"
