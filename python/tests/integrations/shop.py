"""The tables and the rules of the tests: each table has the rule that its name says."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

WAIT = 0.05
"""Seconds that a statement on ``delayed`` waits."""

RULES: dict[str, Any] = {
    "rules": [
        {"name": "refused", "match": {"tables": "refused"}, "limit": {"block": True}},
        {"name": "ignored", "match": {"tables": "ignored*"}, "limit": {"block": True}, "then": {"strategy": "ignore"}},
        {
            "name": "delayed",
            "match": {"tables": "delayed"},
            "limit": {"block": True},
            "then": {"strategy": "delay", "delay": "50ms"},
        },
        # Only one may wait, so that who does not give up is noticed.
        {
            "name": "waiting",
            "match": {"tables": "waiting"},
            "limit": {"block": True},
            "then": {"strategy": "delay", "delay": "60s", "max_delayed": 1},
        },
        {"name": "single", "match": {"tables": "single"}, "limit": {"concurrency": {"max": 1}}},
        {
            "name": "weighed",
            "match": {"tables": "weighed", "kinds": "insert"},
            "limit": {"fixed_window": {"max": 2500, "window": "24h"}},
        },
    ]
}
"""What stands in no rule passes."""

EVERYTHING: dict[str, Any] = {"rules": [{"name": "everything", "limit": {"block": True}}]}


class Base(DeclarativeBase):
    """Of all tables."""


class Item:
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(40))


class Refused(Item, Base):
    __tablename__ = "refused"


class Ignored(Item, Base):
    __tablename__ = "ignored"


class Delayed(Item, Base):
    __tablename__ = "delayed"


class Waiting(Item, Base):
    __tablename__ = "waiting"


class Single(Item, Base):
    __tablename__ = "single"


class Weighed(Item, Base):
    __tablename__ = "weighed"


class Plain(Item, Base):
    __tablename__ = "plain"
    details: Mapped[list[Detail]] = relationship(lazy="select")


class Detail(Base):
    __tablename__ = "ignored_details"

    id: Mapped[int] = mapped_column(primary_key=True)
    plain_id: Mapped[int] = mapped_column(ForeignKey("plain.id"))


TABLES = (Refused, Ignored, Delayed, Waiting, Single, Weighed, Plain)
ROWS = 30
"""As many has each table, before a test."""
