"""Keeps the place of a statement that goes on after its execution: one whose result is streamed, or one that is sent in parts."""

from __future__ import annotations

import functools
from typing import Any, NoReturn, cast
from weakref import WeakSet

from sqlalchemy import event
from sqlalchemy.engine import Connection
from sqlalchemy.engine.cursor import BufferedRowCursorFetchStrategy

from .._gate import Permit

__all__ = ["hold", "hold_parts", "is_streamed", "part_of", "parts_ended"]

_ENDS = ("commit", "rollback", "commit_twophase", "rollback_twophase")
_STREAMS = "_sqlthrottle_streams"
_PARTS = "_sqlthrottle_parts"


def is_streamed(context: Any) -> bool:
    """Whether rows are still to come when the execution has ended."""
    return not context.is_crud and bool(context._is_server_side or context.execution_options.get("stream_results"))


def hold(permit: Permit, cursor: Any, context: Any) -> None:
    """Has a permit released when the result is closed, read to its end or lost, or its transaction has ended."""
    try:
        context.cursor_fetch_strategy = _Held(permit, cursor, context.execution_options)
        if cursor.description is None:
            # A write after all: there is no result to wait for.
            permit.release()
        else:
            _release_with_transaction(permit, context.root_connection)
    except BaseException:
        permit.release()
        raise


def part_of(context: Any) -> Permit | None:
    """The permit of an execution that is sent in parts, of which one was sent before."""
    return cast("Permit | None", context.__dict__.get(_PARTS))


def hold_parts(permit: Permit, context: Any) -> None:
    """Has a permit held until all parts of an execution are sent. Of one that fails, :func:`parts_ended` is to be told."""
    setattr(context, _PARTS, permit)
    context.post_exec = functools.partial(_all_sent, context)


def parts_ended(context: Any) -> None:
    """Releases what parts of an execution hold."""
    context.__dict__.pop("post_exec", None)
    permit = context.__dict__.pop(_PARTS, None)
    if permit is not None:
        permit.release()


def _all_sent(context: Any) -> None:
    parts_ended(context)
    context.post_exec()


def _release_with_transaction(permit: Permit, connection: Connection) -> None:
    streams: WeakSet[Permit] | None = connection.__dict__.get(_STREAMS)
    if streams is None:
        streams = WeakSet()
        setattr(connection, _STREAMS, streams)
        for name in _ENDS:
            event.listen(connection, name, functools.partial(_release_all, streams))
    streams.add(permit)


def _release_all(streams: WeakSet[Permit], *_: object) -> None:
    for permit in list(streams):
        permit.release()
    streams.clear()


class _Held(BufferedRowCursorFetchStrategy):
    """Reads a stream as SQLAlchemy does, and knows when it ends."""

    __slots__ = ("_permit",)

    def __init__(self, permit: Permit, cursor: Any, options: Any) -> None:
        self._permit = permit
        super().__init__(cursor, options)

    def soft_close(self, result: Any, dbapi_cursor: Any) -> None:
        self._permit.release()
        super().soft_close(result, dbapi_cursor)

    def hard_close(self, result: Any, dbapi_cursor: Any) -> None:
        self._permit.release()
        super().hard_close(result, dbapi_cursor)

    def handle_exception(self, result: Any, dbapi_cursor: Any, err: BaseException) -> NoReturn:
        self._permit.release()
        super().handle_exception(result, dbapi_cursor, err)
