"""Middleware for ASGI: Starlette, FastAPI, Django and all others.

::

    app.add_middleware(sqlthrottle.asgi.Middleware, throttle=throttle)      # Starlette, FastAPI
    application = sqlthrottle.asgi.Middleware(get_asgi_application(), throttle)
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any

from ._context import enter, leave
from ._web._http import Asked, AskingFront, Passage, Refusal
from ._web._inbox import Inbox
from ._names import Verdict
from ._settle import settle_async
from ._told import BENEATH
from ._web._uncaught import listen

if TYPE_CHECKING:
    from ._native import Decision
    from ._throttle import Throttle

__all__ = ["Middleware"]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_AT_ONCE = (Verdict.ALLOW, Verdict.ABORT)
_OVERHEAD = 256
"""Bytes that a message takes beside its body, at most."""
_TRY_AGAIN_LATER = 1013
"""The code that a websocket is closed with."""


def _user(scope: Scope) -> str | None:
    return None


def _client(scope: Scope) -> str | None:
    client = scope.get("client")
    return str(client[0]) if client else None


def _tags(scope: Scope) -> dict[str, str]:
    return {"method": scope.get("method", "GET"), "path": scope["path"]}


class Middleware:
    """Asks a throttle before an application is called, says to it who sends the statements beneath, and answers for those it refuses.

    A request that a rule with ``on: request`` refuses never comes to the application; one that it delays waits by the loop's sleep, and
    no longer than its client. Its place is held until the last byte was sent, or the application has returned or was cancelled. Where a
    statement beneath is refused and the application does not handle that, but raises or answers 500, the response is the same, unless it
    has begun before.

    A websocket is a request for as long as it is open. Refused, it is not accepted, or closed with code 1013. Other scopes pass.

    :param status: of a refusal: 429, or 503 where the limit is not the client's own.
    :param rate_limit_headers: whether responses say what is left of a limit, which names the rule.
    :param user: who sends a request, from its scope: nobody, unless it is said.
    :param client: from which address: that of the connection, unless it is said.
    :param tags: what else rules match and count by: ``method`` and ``path``, unless it is said.
    """

    def __init__(
        self,
        app: App,
        throttle: Throttle,
        *,
        status: int = 429,
        rate_limit_headers: bool = False,
        user: Asked[Scope] = _user,
        client: Asked[Scope] = _client,
        tags: Callable[[Scope], Mapping[str, str]] = _tags,
    ) -> None:
        self._app = app
        self._front = AskingFront[Scope](throttle, status, rate_limit_headers, user, client, tags)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        of = _RESPONSES.get(scope["type"])
        passage = None if of is None else self._front.passage(scope)
        if of is None or passage is None:
            await self._app(scope, receive, send)
            return
        listen()
        inbox = Inbox(receive)
        response = of(passage, scope, inbox, send)
        said = enter(*self._front.says(scope))
        beneath = BENEATH.set(passage)
        try:
            refused = await self._enter(passage, inbox)
            if refused is not None:
                await response.refuse(refused)
            elif passage.decision is not None:
                await response.of(self._app)
        finally:
            passage.permit.release()
            inbox.end()
            BENEATH.reset(beneath)
            leave(said)

    async def _enter(self, passage: Passage, inbox: Inbox) -> Refusal | None:
        """Whether a request is refused. Nothing is decided on it where its client has gone while it waited."""
        decision = self._front.throttle._check_request_unsettled()
        if decision.verdict in _AT_ONCE:
            return passage.enter(decision)
        return await inbox.while_there(self._settle(passage, decision))

    async def _settle(self, passage: Passage, decision: Decision) -> Refusal | None:
        # What it is given is the passage's at once: whoever has it wait may be cancelled by then.
        throttle = self._front.throttle
        return passage.enter(await settle_async(throttle, decision, throttle.check_request))


class _Response:
    """Of one request: what the application sends, unless a refusal takes its place."""

    MOST_HELD = 65_536
    """Bytes of a 500 that are held back. One that is longer is the application's own."""

    def __init__(self, passage: Passage, scope: Scope, inbox: Inbox, send: Send) -> None:
        self._passage = passage
        self._scope = scope
        self._inbox = inbox
        self._send = send
        self._is_begun = False
        self._held: list[Message] = []
        self._bytes_held = 0

    async def of(self, app: App) -> None:
        """What an application sends."""
        try:
            await app(self._scope, self._inbox.receive, self.send)
        except Exception as error:
            statement = None if self._is_begun else self._passage.cause(error)
            if statement is None:
                # Of something else, as frameworks raise what they have answered for.
                await self._let_go()
                raise
            await self.refuse(self._passage.refused(statement))
        else:
            statement = self._passage.cause(None) if self._held else None
            if statement is None:
                await self._let_go()
            else:
                await self.refuse(self._passage.refused(statement))

    async def send(self, message: Message) -> None:
        """Called by the application. A 500 is held back until it is known whether it stands for a statement that was refused."""
        kind = message["type"]
        if kind == "http.response.start":
            if message["status"] == 500 and self._passage.aborted is not None:
                self._held.append(message)
                return
            self._is_begun = True
            if self._passage.headers or self._passage.ignored:
                message = {**message, "headers": self._headers(message.get("headers", ()))}
        elif self._held:
            self._held.append(message)
            # Of empty ones there may be many.
            self._bytes_held += len(message.get("body", b"")) + _OVERHEAD
            if self._bytes_held > self.MOST_HELD:
                await self._let_go()
            return
        await self._send(message)
        if kind == "http.response.body" and not message.get("more_body", False):
            self._passage.permit.release()

    def _headers(self, own: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        """Those of a response, with what is said beside its own."""
        if self._passage.ignored:
            own = [*(header for header in own if header[0].lower() != b"cache-control"), (b"cache-control", b"no-store")]
        return [*own, *_encoded(self._passage.headers)]

    async def refuse(self, refused: Refusal) -> None:
        """Answers with a refusal."""
        body = b"" if self._scope.get("method") == "HEAD" else refused.body
        await self._send({"type": "http.response.start", "status": refused.status, "headers": _encoded(refused.headers)})
        await self._send({"type": "http.response.body", "body": body})

    async def _let_go(self) -> None:
        held, self._held = self._held, []
        self._is_begun = self._is_begun or bool(held)
        for message in held:
            await self._send(message)


class _Socket(_Response):
    """The same of a websocket."""

    _is_closed = False

    async def of(self, app: App) -> None:
        try:
            await app(self._scope, self._inbox.receive, self.send)
        except Exception as error:
            is_over = self._is_closed or self._inbox.has_received("websocket.disconnect")
            statement = None if is_over else self._passage.cause(error)
            if statement is None:
                raise
            refused = self._passage.refused(statement)
            if self._is_begun:
                await self._send({"type": "websocket.close", "code": _TRY_AGAIN_LATER, "reason": refused.reason})
            else:
                await self.refuse(refused)

    async def send(self, message: Message) -> None:
        kind = message["type"]
        self._is_begun = True
        self._is_closed = self._is_closed or kind == "websocket.close" or kind.startswith("websocket.http.response")
        await self._send(message)

    async def refuse(self, refused: Refusal) -> None:
        """Does not accept it, by a response where the server can send one, and else as the server does."""
        if not self._inbox.has_received("websocket.connect"):
            await self._inbox.receive()
        if "websocket.http.response" not in (self._scope.get("extensions") or {}):
            await self._send({"type": "websocket.close", "code": _TRY_AGAIN_LATER, "reason": refused.reason})
            return
        start = {"type": "websocket.http.response.start", "status": refused.status, "headers": _encoded(refused.headers)}
        await self._send(start)
        await self._send({"type": "websocket.http.response.body", "body": refused.body})


_RESPONSES: dict[str, type[_Response]] = {"http": _Response, "websocket": _Socket}


def _encoded(headers: list[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
