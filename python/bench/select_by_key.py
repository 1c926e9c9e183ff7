"""What a guarded engine of SQLAlchemy adds to a select by primary key, over SQLite in memory."""

from __future__ import annotations

from rows import Row, measure, row, show
from sqlalchemy import Connection, Engine, String, bindparam, create_engine, insert, select, text
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column
from sqlalchemy.pool import StaticPool

import sqlthrottle
import sqlthrottle.sqlalchemy

USERS = 1_000


class Base(DeclarativeBase):
    pass


class User(Base):
    __tablename__ = "users"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(40))


BY_KEY = select(User.name).where(User.id == bindparam("id"))
TEXT = text("select name from users where id = :id")
RAW = "select name from users where id = ?"


def engine(guarded: bool) -> Engine:
    """A database of its own, with the same users in each."""
    engine = create_engine("sqlite://", poolclass=StaticPool)
    Base.metadata.create_all(engine)
    with engine.begin() as connection:
        connection.execute(insert(User), [{"id": id, "name": f"user {id}"} for id in range(USERS)])
    if guarded:
        throttle = sqlthrottle.Throttle("default_threshold: {max_count: 60000000, window: 60s}", refresh=False)
        sqlthrottle.sqlalchemy.install(engine, throttle)
    return engine


def rows(name: str, connection: Connection) -> list[Row]:
    session = Session(connection)
    known = {"connection": connection, "session": session, "User": User, "BY_KEY": BY_KEY, "TEXT": TEXT, "RAW": RAW}
    return [
        row(f"{name}, Core", "connection.execute(BY_KEY, {'id': 7}).scalar()", 500, **known),
        row(f"{name}, text()", "connection.execute(TEXT, {'id': 7}).scalar()", 500, **known),
        row(f"{name}, exec_driver_sql", "connection.exec_driver_sql(RAW, (7,)).scalar()", 500, **known),
        row(f"{name}, ORM", "session.get(User, 7); session.expunge_all()", 300, **known),
    ]


def main() -> None:
    with engine(False).connect() as plain, engine(True).connect() as guarded:
        without, within = rows("plain", plain), rows("guarded", guarded)
        measure([row for pair in zip(without, within, strict=True) for row in pair])
        for one, other in zip(without, within, strict=True):
            show("Select by primary key, SQLite in memory", [one, other], by=one)


if __name__ == "__main__":
    main()
