"""The shop: its orders in SQLite, and what its clients ask for."""

import enum
import sqlite3
from contextlib import closing
from random import Random

from sqlalchemy import Engine, create_engine, event, text

ORDERS = 200_000
CONNECTIONS = 4


class Kind(enum.Enum):
    """The kinds of statement, by their names in the table."""

    SELECT = "point selects"
    WRITE = "small writes"
    REPORT = "reports"


STATEMENTS = {
    # An order by its key, and a change to one: microseconds.
    Kind.SELECT: text("select status, total from orders where id = :id"),
    Kind.WRITE: text("update orders set status = 'paid' where id = :id"),
    # A question that no index answers: every order is read.
    Kind.REPORT: text(
        "select customer, count(*), sum(total) from orders where note like :note\n"
        "group by customer order by 3 desc limit 10"
    ),
}


def values(kind: Kind, random: Random) -> dict[str, object]:
    """What is bound to a statement: other values every time."""
    if kind is Kind.REPORT:
        return {"note": f"%{random.randrange(1000)}%"}
    return {"id": 1 + random.randrange(ORDERS)}


def fill(path: str) -> None:
    """Creates the file and fills the table."""
    with closing(sqlite3.connect(path)) as connection, connection:
        # With a write-ahead log readers do not wait for the writer; what they wait for here is a connection.
        connection.execute("pragma journal_mode = wal")
        connection.execute(
            "create table orders (id integer primary key, customer integer not null, total integer not null,"
            " status text not null, note text not null)"
        )
        connection.execute(
            "with recursive numbers(n) as (values (1) union all select n + 1 from numbers where n < ?)"
            " insert into orders select n, n * 7919 % 5000, n * 104729 % 50000, 'open',"
            " printf('parcel %d for door %d', n * 7919 % 99991, n % 97) from numbers",
            [ORDERS],
        )


def connect(path: str) -> Engine:
    """An engine whose pool is small, as that of a service is."""
    engine = create_engine(f"sqlite:///{path}", pool_size=CONNECTIONS, max_overflow=0, connect_args={"timeout": 10})
    event.listen(engine, "connect", _tune)
    return engine


def _tune(connection: sqlite3.Connection, _: object) -> None:
    connection.execute("pragma synchronous = normal")
