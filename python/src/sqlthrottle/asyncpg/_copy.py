"""What a COPY reads from and writes to. It is a caller's, who may have other statements sent in the middle of the COPY: these ask."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from typing import Any

from .._gate import undecided

__all__ = ["of_callers"]


def of_callers(options: dict[str, Any]) -> dict[str, Any]:
    """The options of a COPY, with what it runs of a caller's as no part of it."""
    return {name: _of_caller(value) if name in ("source", "records", "output") else value for name, value in options.items()}


def _of_caller(value: Any) -> Any:
    if hasattr(value, "__aiter__"):
        return _rows_async(value)
    if hasattr(value, "__next__") and not hasattr(value, "read"):
        return _rows(value)
    return _writer(value) if callable(value) else value


def _rows(rows: Iterable[Any]) -> Iterator[Any]:
    given = iter(rows)
    while True:
        with undecided():
            row = next(given, _END)
        if row is _END:
            return
        yield row


async def _rows_async(rows: AsyncIterable[Any]) -> AsyncIterator[Any]:
    given = aiter(rows)
    while True:
        with undecided():
            row = await anext(given, _END)
        if row is _END:
            return
        yield row


def _writer(write: Callable[[Any], Any]) -> Callable[[Any], Any]:
    async def written(data: Any) -> None:
        with undecided():
            await write(data)

    return written


_END: Any = object()
