"""What a query of peewee says of itself, before it is but a text: what may be made up of it, what it weighs, and who reads its rows."""

# pyright: reportMissingTypeStubs=false

from __future__ import annotations

from collections.abc import Mapping, Sized
from typing import Any, NamedTuple, cast

import peewee as _peewee

from .._callers import codes_above, codes_of
from .._names import Fakes

__all__ = ["RAW", "Asked", "asked_of"]

# Whatever it has, and not what can be read of its source.
peewee = cast(Any, _peewee)

_ROWS = (Fakes.ROWS, Fakes.ROWS_AND_COUNT)
_COUNT = (Fakes.COUNT, Fakes.ROWS_AND_COUNT)


class Asked(NamedTuple):
    """Of one query."""

    fakes: str | None
    """What may be made up of it; none for whatever its text allows."""
    weight: int
    is_streamed: bool
    is_count: bool
    """Whether its one row is a number of others, which is 0 where there are none."""


RAW = Asked(None, 1, False, False)
"""Of a text."""


# Objects keep the rows that these read, or take themselves for stored.
_KEEPERS = codes_of(
    peewee.prefetch,
    getattr(peewee, "_load_related", None),
    peewee.ForeignKeyAccessor.get_rel_instance,
    peewee.Model.save,
)
_STREAMS = codes_of(peewee.BaseQuery.iterator, peewee.BaseModelSelect.__dict__.get("iterator"))


def asked_of(query: Any, most: Fakes) -> Asked:
    """What a query says of itself, and of what has had it executed.

    :param most: the most that may be made up.
    """
    callers = codes_above(2)
    is_kept, is_streamed = not _KEEPERS.isdisjoint(callers), not _STREAMS.isdisjoint(callers)
    if isinstance(query, peewee._WriteQuery):
        is_counted = most in _COUNT and not is_kept and _is_only_counted(query)
        return Asked("count" if is_counted else "none", _rows_of(query), is_streamed, False)
    if isinstance(query, peewee.SelectBase):
        return Asked("rows" if most in _ROWS and not is_kept else "none", 1, is_streamed, _is_count(query))
    # Text with values in it, and definitions.
    return Asked("none" if is_kept else None, 1, is_streamed, False)


def _is_only_counted(query: Any) -> bool:
    if isinstance(query, peewee.Insert):
        # Else it returns a key.
        return bool(query._as_rowcount) and not query._return_cursor
    return not query._returning


def _rows_of(query: Any) -> int:
    rows = getattr(query, "_insert", None)
    if rows is None or isinstance(rows, (Mapping, peewee.SelectQuery)):
        return 1
    if not isinstance(rows, Sized):
        # They can be read but once, which peewee is going to do.
        rows = query._insert = list(rows)
    return max(1, len(rows))


def _is_count(query: Any) -> bool:
    columns: tuple[Any, ...] = tuple(getattr(query, "_returning", None) or ())
    if len(columns) != 1 or getattr(query, "_group_by", None):
        return False
    (column,) = columns
    return isinstance(column, peewee.Function) and column.name.upper() == "COUNT"
