"""What the integrations of drivers share: how a connection is guarded, what is made up of an ignored statement, and who holds a place."""

from __future__ import annotations

from ._base import DriverClass
from ._connection import guarded_connection
from ._cursor import Description, FakingCursor, GuardedCursor
from ._guard import DriverGuard, Options, Places, fakes_of_text
from ._install import backed_class, guarded_class, put_in, take_out
from ._mysql import MySQL
from ._rows import counted_rows
from ._statement import values_of
from ._traits import MYSQLCLIENT, PSYCOPG, PSYCOPG2, PYMYSQL, SQLITE3, Traits, traits_of

__all__ = [
    "MYSQLCLIENT",
    "PSYCOPG",
    "PSYCOPG2",
    "PYMYSQL",
    "SQLITE3",
    "Description",
    "DriverClass",
    "DriverGuard",
    "FakingCursor",
    "GuardedCursor",
    "MySQL",
    "Options",
    "Places",
    "Traits",
    "backed_class",
    "counted_rows",
    "fakes_of_text",
    "guarded_connection",
    "guarded_class",
    "put_in",
    "take_out",
    "traits_of",
    "values_of",
]
