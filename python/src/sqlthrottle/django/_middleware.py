"""The middleware: rules on requests before the view, who sends the statements beneath it, and what becomes of a refused one."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Iterator
from typing import Any

from asgiref.sync import async_to_sync, iscoroutinefunction, markcoroutinefunction, sync_to_async
from django.apps import apps
from django.conf import settings as django_settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import add_never_cache_headers

from .._context import _ambient
from .._errors import StatementAborted
from .._gate import PASSED, Permit
from .._web._http import Passage, Refusal, aborted_in
from .._native import Context, Decision
from .._settle import settle, settle_async
from .._told import BENEATH
from .._web._uncaught import listen
from . import _state
from ._beneath import Request
from ._waiting import waiter

__all__ = ["Middleware"]

_Ask = Callable[[HttpRequest], Any]

_STATE = "_sqlthrottle"


class Middleware:
    """Answers 429 where a statement beneath it was refused, and asks the rules that say ``on: request`` before the view.

    What stands before it in ``MIDDLEWARE`` is not covered, so it is best the first one. Where :mod:`sqlthrottle.asgi` or
    :mod:`sqlthrottle.wsgi` around Django has asked the same throttle already, the request is theirs: it is not asked about again.
    """

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        if not apps.is_installed("sqlthrottle.django"):
            # Without the app no statement is asked about, and nothing would say so.
            raise ImproperlyConfigured('sqlthrottle.django.Middleware needs "sqlthrottle.django" in INSTALLED_APPS')
        self.get_response = get_response
        self._is_async = iscoroutinefunction(get_response)
        if self._is_async:
            markcoroutinefunction(self)
        self.process_view: Callable[..., Any] = self._before_view_async if self._is_async else self._before_view
        # Of errors that Django answers for by a page before any middleware sees them.
        listen()

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if hasattr(request, _STATE):
            # Listed twice: the first one does it.
            response: HttpResponseBase | Awaitable[HttpResponseBase] = self.get_response(request)
            return response
        return self._answer_async(request) if self._is_async else self._answer(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Of the view, and of what renders its response."""
        return _refused(_beneath(request).passage, exception)

    def _answer(self, request: HttpRequest) -> HttpResponseBase:
        with _Beneath(request) as beneath:
            try:
                beneath.comes_from(_run(_client(), request))
                response = self.get_response(request)
            except Exception as error:
                # Of what says who asks, or of the page that the site has for its errors.
                refused = _refused(beneath.passage, error)
                if refused is None:
                    raise
                response = refused
            return _ended(response, beneath)

    async def _answer_async(self, request: HttpRequest) -> HttpResponseBase:
        with _Beneath(request) as beneath:
            try:
                beneath.comes_from(await _run_async(_client(), request))
                response = await self.get_response(request)
            except Exception as error:
                refused = _refused(beneath.passage, error)
                if refused is None:
                    raise
                response = refused
            return _ended(response, beneath)

    def _before_view(self, request: HttpRequest, view: Any, *_: Any) -> HttpResponse | None:
        passage = _beneath(request).passage
        try:
            _enter(request, _run(_user(view), request))
        except StatementAborted as aborted:
            return _refused(passage, aborted)
        if passage.decision is not None:
            return None
        run = waiter()
        asked = passage.throttle.check_request() if run is None else passage.throttle._check_request_unsettled()
        decision = settle(passage.throttle, asked) if run is None else run(_settle(request, asked))
        return _or_none(passage.enter(decision))

    async def _before_view_async(self, request: HttpRequest, view: Any, *_: Any) -> HttpResponse | None:
        passage = _beneath(request).passage
        try:
            _enter(request, await _run_async(_user(view), request))
        except StatementAborted as aborted:
            return _refused(passage, aborted)
        if passage.decision is not None:
            return None
        return _or_none(passage.enter(await _settle(request, passage.throttle._check_request_unsettled())))


async def _settle(request: HttpRequest, decision: Decision) -> Decision:
    throttle = _beneath(request).passage.throttle
    return await settle_async(throttle, decision, throttle.check_request)


def _beneath(request: HttpRequest) -> Request:
    beneath: Request = getattr(request, _STATE)
    return beneath


def _response(refused: Refusal) -> HttpResponse:
    response = HttpResponse(refused.body, status=refused.status, reason=refused.reason, headers=dict(refused.headers))
    # A burst is not to be a flood of the log, where Django says each 429, and mails each 503 to the site's administrators.
    response._has_been_logged = True
    return response


def _refused(passage: Passage, error: Exception) -> HttpResponse | None:
    """The response where an error has come of a statement that was refused; none where it has come of something else."""
    aborted = aborted_in(error)
    return None if aborted is None else _response(passage.refused(aborted.decision))


def _or_none(refused: Refusal | None) -> HttpResponse | None:
    return None if refused is None else _response(refused)


class _Beneath:
    """What is so while a request is answered: who sends statements, and to whom is told what becomes of them."""

    def __init__(self, request: HttpRequest) -> None:
        self._request = Request(request, _state.current().front)
        setattr(request, _STATE, self._request)

    def __enter__(self) -> Request:
        # Not by their tokens: middleware in between may have made copies of the context.
        self._before = _ambient.get(), BENEATH.get()
        BENEATH.set(self._request)
        return self._request

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        _ambient.set(self._before[0])
        BENEATH.set(self._before[1])
        if kind is not None and self._request.is_ours:
            self._request.passage.permit.release()


def _enter(request: HttpRequest, user: str | None) -> None:
    """Says who sends the statements of a view. The middleware ends it, as it ends all that is said beneath it."""
    match = request.resolver_match
    route = None if match is None else match.route
    _ambient.set(Context(_ambient.get(), user, None, None, None if route is None else {"endpoint": route}))


def _ended(response: HttpResponseBase, beneath: Request) -> HttpResponseBase:
    """Ends a request. One whose response is streamed holds its place until that is closed."""
    passage = beneath.passage
    if passage.aborted is not None and response.status_code == 500:
        # Of middleware in between, Django makes a page of errors before anybody can tell it better.
        answer = _response(passage.refused(passage.aborted))
        answer._resource_closers.extend(response._resource_closers)
        response = answer
    if beneath.ignored:
        add_never_cache_headers(response)
    permit: Permit = PASSED
    if beneath.is_ours:
        permit = passage.permit
        for name, value in passage.headers:
            response[name] = value
    if not response.streaming:
        permit.release()
        return response
    response._resource_closers.append(permit.release)
    # WSGI has servers send files by themselves.
    if beneath.is_asgi or getattr(response, "file_to_stream", None) is None:
        # By its public name it would refer to the response, which would wait for the collector where nobody closes it.
        parts, said = response._iterator, _ambient.get()
        response._iterator = (_parts_async if hasattr(parts, "__aiter__") else _parts)(parts, said, permit)
    return response


def _parts(parts: Iterable[bytes], said: Context | None, permit: Permit) -> Iterator[bytes]:
    """A stream, whose statements are sent by whom the request is, though it is read when that is answered.

    Where it fails, its place is given back: Django over ASGI closes no response then.
    """
    try:
        iterator = iter(parts)
        while True:
            before = _ambient.get()
            _ambient.set(said)
            try:
                part = next(iterator)
            except StopIteration:
                return
            finally:
                _ambient.set(before)
            yield part
    finally:
        permit.release()


async def _parts_async(parts: AsyncIterable[bytes], said: Context | None, permit: Permit) -> AsyncIterator[bytes]:
    """As :func:`_parts`."""
    try:
        iterator = parts.__aiter__()
        while True:
            before = _ambient.get()
            _ambient.set(said)
            try:
                part = await iterator.__anext__()
            except StopAsyncIteration:
                return
            finally:
                _ambient.set(before)
            yield part
    finally:
        permit.release()


def _client() -> _Ask | None:
    """What says from where a request comes."""
    client = _state.current().client
    return _address if client is None else client


def _address(request: HttpRequest) -> str | None:
    # It is empty where a socket of Unix is listened at.
    return request.META.get("REMOTE_ADDR") or None


def _user(view: Any) -> _Ask | None:
    """What says who has sent a request to a view."""
    settings = _state.current()
    if settings.user is not None or not settings.names_user:
        return settings.user
    return _name_async if iscoroutinefunction(view) else _name


def _run(ask: _Ask | None, request: HttpRequest) -> Any:
    if ask is None:
        return None
    return async_to_sync(ask)(request) if iscoroutinefunction(ask) else ask(request)


async def _run_async(ask: _Ask | None, request: HttpRequest) -> Any:
    if ask is None or ask is _address:
        return ask and ask(request)
    return await (ask if iscoroutinefunction(ask) else sync_to_async(ask))(request)


def _name(request: HttpRequest) -> str | None:
    """The name of the user who is logged in. Of a request that has no session, nobody is asked."""
    return _name_of(request.user) if _may_have_user(request) else None


async def _name_async(request: Any) -> str | None:
    """As :func:`_name`, by what an asynchronous view asks as well, so that it is looked up once."""
    if not hasattr(request, "auser"):
        return await sync_to_async(_name)(request)
    return _name_of(await request.auser()) if _may_have_user(request) else None


def _may_have_user(request: Any) -> bool:
    return hasattr(request, "user") and (
        django_settings.SESSION_COOKIE_NAME in request.COOKIES or hasattr(request, "_cached_user")
    )


def _name_of(user: Any) -> str | None:
    return str(user.get_username()) if user.is_authenticated else None
