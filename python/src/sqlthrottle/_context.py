"""The ambient context: who sends the statements beneath it, across tasks and threads where context variables go."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, Token

from . import _native

__all__ = ["context"]

_ambient: ContextVar[_native.Context | None] = ContextVar("sqlthrottle", default=None)
_native.set_ambient(_ambient.get)


@contextmanager
def context(
    *,
    user: str | bytes | None = None,
    client: str | bytes | None = None,
    database: str | bytes | None = None,
    tags: Mapping[str, str] | None = None,
) -> Generator[None, None, None]:
    """Says who sends the statements that are checked within it, and where to.

    What a check says itself goes before it, and an inner context before an outer one; tags of different names add up. It holds
    wherever ``contextvars`` go: in tasks that are started within it, and in threads by ``asyncio.to_thread``, or by
    ``contextvars.copy_context().run`` where a thread is started by hand.

    :raises TypeError: a value is neither text nor bytes.
    """
    token = enter(user, client, database, tags)
    try:
        yield
    finally:
        leave(token)


def enter(
    user: str | bytes | None,
    client: str | bytes | None,
    database: str | bytes | None,
    tags: Mapping[str, str] | None,
) -> Token[_native.Context | None]:
    """As :func:`context`, until :func:`leave`, or for all that runs in this copy of a context."""
    return _ambient.set(_native.Context(_ambient.get(), user, client, database, None if tags is None else dict(tags)))


def leave(token: Token[_native.Context | None]) -> None:
    """Ends what :func:`enter` began."""
    _ambient.reset(token)
