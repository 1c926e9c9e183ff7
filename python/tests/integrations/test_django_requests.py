"""What the middleware of Django counts, and whose a request is beneath the middleware for ASGI and WSGI, or once its stream fails."""

from __future__ import annotations

import asyncio
import gc
import warnings
from collections.abc import Callable
from typing import Any
from wsgiref.util import setup_testing_defaults

import pytest
from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.wsgi import WSGIHandler
from django.db import connections
from django.test import RequestFactory
from django.test.utils import override_settings
from djangos import ROWS, throttle, throttled  # noqa: F401
from shop import RULES
from test_django_middleware import OURS, Get, get, site  # noqa: F401
from watch import counted, held

import sqlthrottle
import sqlthrottle.asgi
import sqlthrottle.wsgi

Within = Callable[[sqlthrottle.Throttle, str], tuple[int, list[tuple[str, str]], bytes]]
ONE_REQUEST = {"name": "one", "on": "request", "limit": {"sliding_window": {"max": 5, "window": "60s"}}}


def asgi(path: str, sent: list[Any]) -> tuple[Any, Any, Any]:
    """A request over ASGI, and what is sent."""
    asked = asyncio.Event()

    async def receive() -> dict[str, Any]:
        if asked.is_set():
            await asyncio.Event().wait()
        asked.set()
        return {"type": "http.request"}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "headers": [], "query_string": b"", "client": ("192.0.2.7", 1)}
    return scope, receive, send


@pytest.fixture(params=("WSGI", "ASGI"))
def within(request: pytest.FixtureRequest) -> Within:
    """Gets a page of Django within the middleware of either kind."""

    def get_wsgi(throttle: sqlthrottle.Throttle, path: str) -> tuple[int, list[tuple[str, str]], bytes]:
        seen: list[Any] = []

        def start(status: str, headers: list[tuple[str, str]], *_: Any) -> Callable[[bytes], object]:
            seen[:] = int(status[:3]), headers
            return seen.append

        environ: dict[str, Any] = {"PATH_INFO": path, "REMOTE_ADDR": "192.0.2.7"}
        setup_testing_defaults(environ)
        app = sqlthrottle.wsgi.Middleware(WSGIHandler(), throttle, rate_limit_headers=True)
        parts: Any = app(environ, start)
        body = b"".join(parts)
        if hasattr(parts, "close"):
            parts.close()
        return seen[0], seen[1], body

    async def get_asgi(throttle: sqlthrottle.Throttle, path: str) -> tuple[int, list[tuple[str, str]], bytes]:
        sent: list[Any] = []
        await sqlthrottle.asgi.Middleware(ASGIHandler(), throttle, rate_limit_headers=True)(*asgi(path, sent))
        await sync_to_async(connections.close_all)()
        headers = [(name.decode().title(), value.decode()) for name, value in sent[0]["headers"]]
        return sent[0]["status"], headers, b"".join(message["body"] for message in sent[1:])

    if request.param == "WSGI":
        return get_wsgi
    return lambda throttle, path: asyncio.run(get_asgi(throttle, path))


def test_a_request_that_middleware_around_django_has_asked_about_is_not_asked_about_again(within: Within) -> None:
    rules = {"rules": [ONE_REQUEST, *RULES["rules"]]}
    with sqlthrottle.Throttle(rules, refresh=False, clock=sqlthrottle.ManualClock()) as asked, throttled(asked, STATUS=503):
        for left in (4, 3):
            status, headers, body = within(asked, "/plain/")
            assert (status, body) == (200, str(ROWS).encode())
            assert [value for name, value in headers if name.lower() == "ratelimit"] == [f'"one";r={left}']
        status, headers, body = within(asked, "/refused/1/")
        assert status == 429, "the outer one answers"
        assert [value for name, value in headers if name.lower() == "ratelimit"] == ['"refused";r=0']
        assert asked.snapshot()["requests"] == {"total": 3, "refused": {"request": 0, "statement": 1}}
        assert counted(asked, "one")["matched"] == 3


@pytest.mark.parametrize("status", (429, 503))
def test_refusals_do_not_fill_the_log_of_django_which_mails_its_errors(
    get: Get, throttle: sqlthrottle.Throttle, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    with throttled(throttle, STATUS=status):
        for path in ("/refused/1/", "/caused/", "/rendered/"):
            assert get(path).status_code == status
    assert [record.name for record in caplog.records if record.name.startswith("django")] == []


def test_requests_and_refusals_are_counted_once(get: Get, throttle: sqlthrottle.Throttle) -> None:
    get("/plain/"), get("/refused/1/"), get("/caused/"), get("/missing/")
    assert throttle.snapshot()["requests"] == {"total": 4, "refused": {"request": 0, "statement": 2}}
    with override_settings(MIDDLEWARE=[OURS, "django_site.save_late"]):
        # The view is refused, and then what comes after it.
        assert get("/refused/1/").status_code == 429
    assert throttle.snapshot()["requests"] == {"total": 5, "refused": {"request": 0, "statement": 3}}
    assert 'sql_throttle_requests_refused_total{by="statement"} 3' in throttle.metrics()


def test_a_middleware_that_is_listed_twice_asks_once(get: Get) -> None:
    rules = {"rules": [{"name": "one", "on": "request", "limit": {"concurrency": {"max": 1}}}]}
    with sqlthrottle.Throttle(rules, refresh=False) as asked, throttled(asked), override_settings(MIDDLEWARE=[OURS, OURS]):
        for _ in range(2):
            assert get("/plain/").status_code == 200
        assert held(asked) == 0
        assert asked.snapshot()["requests"]["total"] == 2


def test_headers_say_what_is_left_where_that_is_wished(get: Get) -> None:
    rules = {"rules": [{**ONE_REQUEST, "limit": {"sliding_window": {"max": 1, "window": "60s"}}}]}
    with sqlthrottle.Throttle(rules, refresh=False, clock=sqlthrottle.ManualClock()) as asked:
        with throttled(asked, RATE_LIMIT_HEADERS=True):
            assert get("/plain/")["RateLimit"] == '"one";r=0'
            refused = get("/plain/")
            assert refused["RateLimit"].startswith('"one";r=0;t=') and refused["RateLimit-Policy"] == '"one";q=1'
            assert refused["Content-Type"] == "application/problem+json"
            assert refused.json()["violated-policies"] == ["one"]
        with throttled(asked):
            refused = get("/plain/")
            assert refused.status_code == 429 and "RateLimit" not in refused and "violated-policies" not in refused.json()


@pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume")
@pytest.mark.parametrize("path", ("/failing/", "/failing-async/"))
def test_a_stream_that_fails_gives_its_place_back_though_django_closes_it_not(path: str) -> None:
    rules = {"rules": [{"name": "one", "on": "request", "limit": {"concurrency": {"max": 1}}}]}
    with sqlthrottle.Throttle(rules, refresh=False) as asked, throttled(asked):
        kept: list[Exception] = []

        async def ask() -> None:
            sent: list[Any] = []
            try:
                await ASGIHandler()(*asgi(path, sent))
            except ValueError as error:
                # As a traceback keeps all that was on the stack.
                kept.append(error)
            assert sent[0]["status"] == 200

        asyncio.run(ask())
        assert len(kept) == 1 and held(asked) == 0
        with warnings.catch_warnings():
            # Django does not close the body of such a request either.
            warnings.simplefilter("ignore")
            kept.clear()
            gc.collect()


def test_a_stream_that_nobody_reads_waits_for_no_collector() -> None:
    rules = {"rules": [{"name": "one", "on": "request", "limit": {"concurrency": {"max": 1}}}]}
    with sqlthrottle.Throttle(rules, refresh=False) as asked, throttled(asked):
        gc.disable()
        try:
            # As a thread answers whose task was cancelled.
            handler = WSGIHandler()
            response: Any = handler.get_response(RequestFactory().get("/streamed/"))
            assert held(asked) == 1
            del response
            assert held(asked) == 0
        finally:
            gc.enable()
