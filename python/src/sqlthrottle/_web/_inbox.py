"""What the client of an ASGI request sends, which is looked at early where the request waits, as its client may go."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from typing import Any, TypeVar

__all__ = ["Inbox"]

_T = TypeVar("_T")
_Message = MutableMapping[str, Any]

_GONE = ("http.disconnect", "websocket.disconnect")


class Inbox:
    """Of one request. The application receives all of it, in order, whatever was looked at."""

    def __init__(self, receive: Callable[[], Awaitable[_Message]]) -> None:
        self._receive = receive
        self._early: deque[_Message] = deque()
        self._next: asyncio.Future[_Message] | None = None
        self._received: set[str] = set()

    async def receive(self) -> _Message:
        """The next message."""
        if self._early:
            message = self._early.popleft()
        elif self._next is None:
            message = await self._receive()
        else:
            coming, self._next = self._next, None
            message = await coming
        self._received.add(message["type"])
        return message

    def has_received(self, kind: str) -> bool:
        """Whether the application knows of a message of that type."""
        return kind in self._received

    async def while_there(self, waiting: Coroutine[Any, Any, _T]) -> _T | None:
        """What a wait comes to; none where the client goes first, which ends the wait.

        What a client sends meanwhile stays where it is, but for one message: a large body is not to be read for a request that waits.
        """
        wait: asyncio.Future[_T] = asyncio.ensure_future(waiting)
        try:
            while not wait.done():
                coming = self._coming()
                both: set[asyncio.Future[Any]] = {wait} if coming is None else {wait, coming}
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
                if not wait.done() and coming is not None and self._took_last(coming.result()):
                    return None
            return wait.result()
        finally:
            if not wait.done():
                wait.cancel()
                # It gives up what it holds.
                await asyncio.wait({wait})

    def _coming(self) -> asyncio.Future[_Message] | None:
        """The next message, unless one that is looked at says that more is to come."""
        if self._next is None and not any(message.get("more_body") for message in self._early):
            self._next = asyncio.ensure_future(self._receive())
        return self._next

    def _took_last(self, message: _Message) -> bool:
        """Keeps a message for the application, and says whether it is that the client has gone."""
        self._next = None
        self._early.append(message)
        return message["type"] in _GONE

    def end(self) -> None:
        """Nobody is going to receive any more."""
        if self._next is not None:
            self._next.cancel()
