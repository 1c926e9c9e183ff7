"""The middleware: rules on requests before the view, who sends the statements beneath it, and what becomes of a refused one."""

from __future__ import annotations

import math
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import async_to_sync, iscoroutinefunction, markcoroutinefunction, sync_to_async
from django.apps import apps
from django.conf import settings as django_settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import got_request_exception
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import add_never_cache_headers

from .._context import _ambient
from .._errors import StatementAborted
from .._gate import Permit
from .._guard import Guard
from .._native import Context
from . import _state
from ._beneath import BENEATH, Request, aborted_in

__all__ = ["Middleware"]

_STATE = "_sqlthrottle"


class Middleware:
    """Answers 429 where a statement beneath it was refused, and asks the rules that say ``on: request`` before the view.

    What stands before it in ``MIDDLEWARE`` is not covered, so it is best the first one.
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
        got_request_exception.connect(_on_page_of_errors, dispatch_uid="sqlthrottle")

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        return self._answer_async(request) if self._is_async else self._answer(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Of the view, and of what renders its response."""
        aborted = aborted_in(exception)
        return None if aborted is None else answer(aborted, _state.current().status)

    def _answer(self, request: HttpRequest) -> HttpResponseBase:
        with _Beneath(request) as state:
            return _ended(self.get_response(request), state)

    async def _answer_async(self, request: HttpRequest) -> HttpResponseBase:
        with _Beneath(request) as state:
            return _ended(await self.get_response(request), state)

    def _before_view(self, request: HttpRequest, view: Any, *_: Any) -> HttpResponse | None:
        try:
            user = _user(view)
            _enter(request, None if user is None else _run(user, request))
            guard = _state.throttle().guard_request()
            guard.__enter__()
        except StatementAborted as aborted:
            return answer(aborted, _state.current().status)
        _hold(request, guard)
        return None

    async def _before_view_async(self, request: HttpRequest, view: Any, *_: Any) -> HttpResponse | None:
        try:
            user = _user(view)
            _enter(request, None if user is None else await _run_async(user, request))
            guard = _state.throttle().guard_request()
            await guard.__aenter__()
        except StatementAborted as aborted:
            return answer(aborted, _state.current().status)
        _hold(request, guard)
        return None


def answer(aborted: StatementAborted, status: int) -> HttpResponse:
    """The answer to a request that was refused, or beneath which a statement was."""
    response = HttpResponse("Too many requests; try again later.\n", status=status, content_type="text/plain; charset=utf-8")
    if aborted.retry_after is not None:
        response["Retry-After"] = str(max(1, math.ceil(aborted.retry_after)))
    response["Cache-Control"] = "no-store"
    return response


class _Beneath:
    """What is so while a request is answered: who sends statements, and to whom is told what becomes of them."""

    def __init__(self, request: HttpRequest) -> None:
        self._state = Request(request)
        setattr(request, _STATE, self._state)
        client = _state.current().client
        self._client = request.META.get("REMOTE_ADDR") if client is None else client(request)

    def __enter__(self) -> Request:
        # Not by their tokens: middleware in between may have made copies of the context.
        self._before = _ambient.get(), BENEATH.get()
        _ambient.set(Context(self._before[0], None, self._client or None, None, None))
        BENEATH.set(self._state)
        return self._state

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        _ambient.set(self._before[0])
        BENEATH.set(self._before[1])
        if kind is not None:
            self._state.permit.release()


def _enter(request: HttpRequest, user: str | None) -> None:
    """Says who sends the statements of a view. The middleware ends it, as it ends all that is said beneath it."""
    match = request.resolver_match
    route = None if match is None else match.route
    _ambient.set(Context(_ambient.get(), user, None, None, None if route is None else {"endpoint": route}))


def _hold(request: HttpRequest, guard: Guard) -> None:
    """Keeps what a request holds until it is answered."""
    decision = guard.decision
    if decision.has_permit:
        getattr(request, _STATE).permit = Permit(_state.throttle(), decision)


def _ended(response: HttpResponseBase, state: Request) -> HttpResponseBase:
    """Ends a request. One whose response is streamed holds its place until that is closed."""
    if state.aborted is not None and response.status_code == 500:
        # Of middleware in between, Django makes a page of errors before anybody can tell it better.
        response.close()
        response = answer(state.aborted, _state.current().status)
    if state.ignored:
        add_never_cache_headers(response)
    if response.streaming:
        response._resource_closers.append(state.permit.release)
    else:
        state.permit.release()
    return response


def _on_page_of_errors(request: Any = None, **_: object) -> None:
    state: Request | None = getattr(request, _STATE, None)
    if state is not None:
        state.aborted = aborted_in(sys.exc_info()[1])


def _user(view: Any) -> Callable[..., Any] | None:
    """What says who has sent a request to a view."""
    settings = _state.current()
    if settings.user is not None or not settings.names_user:
        return settings.user
    return _name_async if iscoroutinefunction(view) else _name


def _run(call: Callable[[HttpRequest], Any], request: HttpRequest) -> Any:
    return async_to_sync(call)(request) if iscoroutinefunction(call) else call(request)


async def _run_async(call: Callable[[HttpRequest], Any], request: HttpRequest) -> Any:
    return await (call if iscoroutinefunction(call) else sync_to_async(call))(request)


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
