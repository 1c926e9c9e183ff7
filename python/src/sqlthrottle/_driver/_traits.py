"""What is particular to a driver: how it is told what its connections are about to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from .._names import Dialect

__all__ = ["MYSQLCLIENT", "PSYCOPG", "PSYCOPG2", "PYMYSQL", "SQLITE3", "Traits", "traits_of"]


def _has_rows(cursor: Any) -> bool:
    return cursor.description is not None


def _commits_late(connection: Any) -> bool:
    """By the attribute that some drivers have; without it a connection is as PEP 249 has it."""
    return getattr(connection, "autocommit", None) is not True


def _nothing(connection: Any) -> None:
    return None


def _unknown(connection: Any) -> bool:
    return False


def _says_closed(connection: Any) -> bool:
    return bool(getattr(connection, "closed", False))


def _is_not_open(connection: Any) -> bool:
    return not connection.open


@dataclass(frozen=True)
class Traits:
    """Of a driver of which nothing is known, unless they are said."""

    dialect: Dialect | None = None
    reads_keys: bool = True
    """Whether it says which key an INSERT has given to its row."""
    streams: Callable[[Any], bool] = _has_rows
    """Whether rows of a cursor are still to come when it has executed a statement."""
    in_transaction: Callable[[Any], bool] = _commits_late
    """Whether a transaction of a connection is open, or the next statement would open one."""
    is_idle: Callable[[Any], bool] = _unknown
    """Whether it knows that no transaction of a connection is open, whoever has ended the last one."""
    database: Callable[[Any], str | None] = _nothing
    """Where a connection sends statements to."""
    is_closed: Callable[[Any], bool] = _says_closed
    """Whether it knows that a connection is closed."""
    streams_end_with_transaction: bool = True
    calls_by: str = "call"
    """How it sends the call of a procedure."""
    refuses_fetch: bool = False
    """Whether it raises an error where rows are fetched of a statement that has none."""
    returns_count: bool = False
    """Whether ``execute`` answers how many rows there were, and not the cursor or nothing."""


def _psycopg_streams(cursor: Any) -> bool:
    return getattr(cursor, "name", None) is not None


def _psycopg_is_idle(connection: Any) -> bool:
    return bool(connection.info.transaction_status == 0)


def _psycopg_in_transaction(connection: Any) -> bool:
    return not connection.autocommit or not _psycopg_is_idle(connection)


def _psycopg_database(connection: Any) -> str | None:
    return connection.info.dbname or None


PSYCOPG = Traits(
    dialect=Dialect.POSTGRESQL,
    reads_keys=False,
    streams=_psycopg_streams,
    in_transaction=_psycopg_in_transaction,
    is_idle=_psycopg_is_idle,
    database=_psycopg_database,
    refuses_fetch=True,
)
# What it tells as `lastrowid` is the number of a row in tables that have such numbers, and no key.
PSYCOPG2 = replace(PSYCOPG, calls_by="select * from")


def _text(value: Any) -> str | None:
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    return value or None


_IN_TRANSACTION = 1
"""The flag of an open transaction in the status that a server of MySQL sends."""


def _pymysql_in_transaction(connection: Any) -> bool:
    return not connection.get_autocommit() or bool(connection.server_status & _IN_TRANSACTION)


def _pymysql_database(connection: Any) -> str | None:
    return _text(connection.db)


def _is_unbuffered(cursor: Any) -> bool:
    """Of PyMySQL and mysqlclient, whose classes of cursors go by the same names."""
    return any(base.__name__ in ("SSCursor", "CursorUseResultMixIn") for base in type(cursor).__mro__)


PYMYSQL = Traits(
    dialect=Dialect.MYSQL,
    streams=_is_unbuffered,
    in_transaction=_pymysql_in_transaction,
    database=_pymysql_database,
    is_closed=_is_not_open,
    returns_count=True,
)


def _mysqlclient_in_transaction(connection: Any) -> bool:
    # It does not tell of a transaction that a BEGIN has opened.
    return not connection.get_autocommit()


MYSQLCLIENT = Traits(
    dialect=Dialect.MYSQL,
    streams=_is_unbuffered,
    in_transaction=_mysqlclient_in_transaction,
    is_closed=_is_not_open,
    returns_count=True,
)


def _sqlite3_in_transaction(connection: Any) -> bool:
    if connection.in_transaction:
        return True
    # The attribute is that of Python 3.12, and says -1 where the other one decides.
    autocommit = getattr(connection, "autocommit", -1)
    return connection.isolation_level is not None if autocommit == -1 else not autocommit


SQLITE3 = Traits(
    dialect=Dialect.SQLITE,
    in_transaction=_sqlite3_in_transaction,
    streams_end_with_transaction=False,
)

_KNOWN = {
    "psycopg": PSYCOPG,
    "psycopg2": PSYCOPG2,
    "pymysql": PYMYSQL,
    "MySQLdb": MYSQLCLIENT,
    "sqlite3": SQLITE3,
    "pysqlite3": SQLITE3,
    "pg8000": Traits(dialect=Dialect.POSTGRESQL, reads_keys=False),
    "mysql": Traits(dialect=Dialect.MYSQL),
    "mariadb": Traits(dialect=Dialect.MYSQL),
    "pymssql": Traits(dialect=Dialect.MSSQL),
    "oracledb": Traits(dialect=Dialect.ORACLE),
    "cx_Oracle": Traits(dialect=Dialect.ORACLE),
}
_UNKNOWN = Traits()


def traits_of(connection: object) -> Traits:
    """By the package that the class of a connection, or one of its bases, comes from."""
    for base in type(connection).__mro__:
        known = _KNOWN.get(base.__module__.partition(".")[0])
        if known is not None:
            return known
    return _UNKNOWN
