"""Middleware for WSGI: Flask, Django and all others.

::

    app.wsgi_app = sqlthrottle.wsgi.Middleware(app.wsgi_app, throttle)      # Flask
    application = sqlthrottle.wsgi.Middleware(get_wsgi_application(), throttle)
"""

from __future__ import annotations

import contextvars
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ._context import enter
from ._gate import PASSED
from ._web._http import Asked, AskingFront, Passage, Refusal
from ._settle import settle
from ._told import BENEATH
from ._web._uncaught import listen

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Union

    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

    from ._native import Decision
    from ._throttle import Throttle

    _ExcInfo = Union[tuple[type[BaseException], BaseException, TracebackType], tuple[None, None, None]]

__all__ = ["Middleware"]


def _user(environ: WSGIEnvironment) -> str | None:
    return environ.get("REMOTE_USER")


def _client(environ: WSGIEnvironment) -> str | None:
    return environ.get("REMOTE_ADDR")


def _tags(environ: WSGIEnvironment) -> dict[str, str]:
    path: str = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
    # WSGI has bytes as text of Latin-1.
    return {"method": environ["REQUEST_METHOD"], "path": path.encode("latin-1", "replace").decode("utf-8", "replace")}


class Middleware:
    """Asks a throttle before an application is called, says to it who sends the statements beneath, and answers for those it refuses.

    A request that a rule with ``on: request`` refuses never comes to the application; one that it delays waits by ``time.sleep``. Its
    place is held until the response was read to its end, or is closed. Where a statement beneath is refused and the application does
    not handle that, but raises or answers 500, the response is the same, unless it has begun before.

    :param status: of a refusal: 429, or 503 where the limit is not the client's own.
    :param rate_limit_headers: whether responses say what is left of a limit, which names the rule.
    :param user: who sends a request, from its environ: ``REMOTE_USER``, unless it is said.
    :param client: from which address: ``REMOTE_ADDR``, unless it is said.
    :param tags: what else rules match and count by: ``method`` and ``path``, unless it is said.
    """

    def __init__(
        self,
        app: WSGIApplication,
        throttle: Throttle,
        *,
        status: int = 429,
        rate_limit_headers: bool = False,
        user: Asked[WSGIEnvironment] = _user,
        client: Asked[WSGIEnvironment] = _client,
        tags: Callable[[WSGIEnvironment], Mapping[str, str]] = _tags,
    ) -> None:
        self._app = app
        self._front = AskingFront["WSGIEnvironment"](throttle, status, rate_limit_headers, user, client, tags)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        passage = self._front.passage(environ)
        if passage is None:
            return self._app(environ, start_response)
        listen()
        response = _Response(passage, environ, start_response)
        # What an application yields runs when nothing of this is on the stack any more, and yet beneath it.
        return response.context.run(self._begin, response, environ)

    def _begin(self, response: _Response, environ: WSGIEnvironment) -> Iterable[bytes]:
        passage = response.passage
        enter(*self._front.says(environ))
        BENEATH.set(passage)
        throttle = self._front.throttle
        refused = passage.enter(settle(throttle, throttle.check_request()))
        return response.refuse(refused) if refused is not None else response.of(self._app)


class _Response:
    """Of one request: what the application returns, unless a refusal comes first."""

    def __init__(self, passage: Passage, environ: WSGIEnvironment, start_response: StartResponse) -> None:
        self.context = contextvars.copy_context()
        self.passage = passage
        self._environ = environ
        self._start_response = start_response
        self._parts: Iterable[bytes] = ()
        self._iterator: Iterator[bytes] | None = None
        self._is_started = False
        self._is_sent = False
        self._refused: Decision | None = None

    def of(self, app: WSGIApplication) -> Iterable[bytes]:
        """What an application returns."""
        try:
            self._parts = app(self._environ, self._start)
        except BaseException as error:
            self.passage.permit.release()
            statement = None if self._is_sent else self.passage.cause(error)
            if statement is None:
                raise
            return self.refuse(self.passage.refused(statement))
        if self._refused is not None:
            self._end()
            return self.refuse(self.passage.refused(self._refused))
        if self.passage.permit is PASSED and self._is_at_hand():
            return self._parts
        return self

    def refuse(self, refused: Refusal) -> Iterable[bytes]:
        """Answers with a refusal. What was started is replaced, which a server only allows while nothing was sent."""
        headers = list(refused.headers)
        if self._is_started:
            self._start_response(refused.status_line, headers, sys.exc_info())
        else:
            self._start_response(refused.status_line, headers)
        return [b"" if self._environ["REQUEST_METHOD"] == "HEAD" else refused.body]

    def _is_at_hand(self) -> bool:
        """Whether nothing runs any more when it is read. A server has its own ways with such."""
        file_wrapper = self._environ.get("wsgi.file_wrapper")
        return isinstance(self._parts, (list, tuple)) or (
            isinstance(file_wrapper, type) and isinstance(self._parts, file_wrapper)
        )

    def _start(
        self, status: str, headers: list[tuple[str, str]], exc_info: _ExcInfo | None = None, /
    ) -> Callable[[bytes], object]:
        """What the application calls. A 500 for a statement that was refused stays here."""
        self._refused = None
        if status.startswith("500") and not self._is_sent:
            error = None if exc_info is None else exc_info[1]
            self._refused = self.passage.cause(error)
            if self._refused is not None:
                return _drop
        if self.passage.ignored:
            headers = [*(header for header in headers if header[0].lower() != "cache-control"), ("Cache-Control", "no-store")]
        headers = [*headers, *self.passage.headers]
        # Called with no more than it was, as servers may have two parameters.
        write = self._start_response(status, headers, *(() if exc_info is None else (exc_info,)))
        self._is_started = True

        def sent(data: bytes) -> object:
            self._is_sent = self._is_sent or bool(data)
            return write(data)

        return sent

    def __iter__(self) -> _Response:
        return self

    def __next__(self) -> bytes:
        return self.context.run(self._next)

    def _next(self) -> bytes:
        part = b""
        try:
            if self._iterator is None:
                self._iterator = iter(self._parts)
            part = next(self._iterator)
        except StopIteration:
            self.passage.permit.release()
            if self._refused is None:
                raise
        except BaseException as error:
            self.passage.permit.release()
            self._refused = None if self._is_sent else self.passage.cause(error)
            if self._refused is None:
                raise
            return self._replaced(self._refused)
        if self._refused is not None:
            return self._replaced(self._refused)
        self._is_sent = self._is_sent or bool(part)
        return part

    def _replaced(self, statement: Decision) -> bytes:
        """The refusal in place of what would have come."""
        self._refused = None
        self._iterator = iter(())
        self.passage.permit.release()
        return b"".join(self.refuse(self.passage.refused(statement)))

    def close(self) -> None:
        """Called by the server when it has all, or wants no more."""
        try:
            self.context.run(self._end)
        finally:
            # A server may close from another thread what still runs in this context, which is an error.
            self.passage.permit.release()

    def _end(self) -> None:
        parts, self._parts = self._parts, ()
        close: Any = getattr(parts, "close", None)
        try:
            if close is not None:
                close()
        finally:
            self.passage.permit.release()


def _drop(data: bytes) -> None:
    """Writes nothing of a response that is replaced."""
