"""What stands in for the driver's cursor: of an ignored statement an empty one, and of a streamed one that which knows when it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple
from weakref import WeakSet

from .._gate import Permit

__all__ = ["hold", "ignored", "is_streamed", "put_back"]

_READ_AT_ONCE = ("postgresql", "mysql")
"""Vendors whose usual cursors have all rows once a statement is executed. Those of others read on from the database."""
_SENDS = frozenset(("execute", "executemany", "callproc", "copy", "copy_from", "copy_to", "copy_expert", "stream"))
_STREAMS = "_sqlthrottle_streams"


class Column(NamedTuple):
    """As drivers describe a column."""

    name: str
    type_code: object = None
    display_size: int | None = None
    internal_size: int | None = None
    precision: int | None = None
    scale: int | None = None
    null_ok: bool | None = None


class Ignored:
    """The cursor of a statement that was not sent: it has no rows, and has changed none."""

    rowcount = 0
    lastrowid = None
    rownumber = 0

    def __init__(self, cursor: Any, columns: Sequence[str] | None) -> None:
        self._owner = cursor
        self.beneath = cursor.cursor
        # Of the driver's own kind, by which Django knows that there are no more.
        self._none: Sequence[Any] = cursor.db.features.empty_fetchmany_value
        self.description = None if columns is None else tuple(map(Column, columns))

    def end(self) -> None:
        pass

    def fetchone(self) -> None:
        return None

    def fetchmany(self, size: int = 0) -> Sequence[Any]:
        return self._none

    def fetchall(self) -> Sequence[Any]:
        return self._none

    def nextset(self) -> None:
        return None

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def close(self) -> None:
        self.beneath.close()

    def __getattr__(self, name: str) -> Any:
        if name in _SENDS:
            # What is sent past Django has results of its own.
            put_back(self._owner)
        return getattr(self.beneath, name)


class Held:
    """The cursor of a statement that holds a place until it is read to its end, closed or lost."""

    def __init__(self, beneath: Any, permit: Permit) -> None:
        self.beneath = beneath
        self._permit = permit

    def end(self) -> None:
        self._permit.release()

    def fetchone(self) -> Any:
        return self._read(self.beneath.fetchone)

    def fetchmany(self, *size: Any) -> Any:
        return self._read(self.beneath.fetchmany, *size)

    def fetchall(self) -> Any:
        try:
            return self.beneath.fetchall()
        finally:
            self.end()

    def __iter__(self) -> Iterator[Any]:
        try:
            yield from self.beneath
        finally:
            self.end()

    def close(self) -> None:
        try:
            self.beneath.close()
        finally:
            self.end()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.beneath, name)

    def _read(self, fetch: Callable[..., Any], *size: Any) -> Any:
        try:
            rows = fetch(*size)
        except BaseException:
            self.end()
            raise
        if not rows:
            self.end()
        return rows


def put_back(cursor: Any) -> None:
    """Has a cursor of Django's as it was: what it was executed with before is over."""
    if isinstance(cursor.cursor, (Ignored, Held)):
        before, cursor.cursor = cursor.cursor, cursor.cursor.beneath
        before.end()


def ignored(cursor: Any, columns: Sequence[str] | None) -> None:
    """Has a cursor of Django's look as if its statement had been sent and had found nothing.

    :param columns: the names of those that a query has; none where it is no query.
    """
    cursor.cursor = Ignored(cursor, columns)


def is_streamed(connection: Any, beneath: Any) -> bool:
    """Whether rows are still to come from the database."""
    if connection.vendor in _READ_AT_ONCE:
        # A cursor of the server has a name.
        return getattr(beneath, "name", None) is not None
    return beneath.description is not None


def hold(permit: Permit, connection: Any, cursor: Any) -> None:
    """Has a permit released when the rows are read to their end, or the cursor, its transaction or its connection has ended."""
    beneath = cursor.cursor
    held = cursor.cursor = Held(beneath, permit)
    streams: _Streams | None = connection.__dict__.get(_STREAMS)
    if streams is None:
        streams = _Streams(connection)
        setattr(connection, _STREAMS, streams)
    # What is declared within a transaction ends with it, unless it is declared to be kept.
    (streams.of_connection if getattr(beneath, "withhold", True) else streams.of_transaction).add(held)


class _Streams:
    """The cursors of a connection that hold a place."""

    def __init__(self, connection: Any) -> None:
        self.of_transaction: WeakSet[Held] = WeakSet()
        self.of_connection: WeakSet[Held] = WeakSet()
        for name in ("_commit", "_rollback"):
            setattr(connection, name, _then(getattr(connection, name), self.of_transaction))
        connection._close = _then(connection._close, self.of_transaction, self.of_connection)


def _then(end: Callable[[], Any], *ended: WeakSet[Held]) -> Callable[[], Any]:
    def end_all() -> Any:
        try:
            return end()
        finally:
            for streams in ended:
                for held in list(streams):
                    held.end()
                streams.clear()

    return end_all
