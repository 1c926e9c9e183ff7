"""The same few pages in each framework, over the tables of the tests, and the rules on requests for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import engines
import pytest
from shop import RULES, Delayed, Ignored, Plain, Refused, Weighed
from sqlalchemy import Engine, func, insert, select
from watch import held

import sqlthrottle

Page = Callable[[], str]

WEB_RULES: dict[str, Any] = {
    "rules": [
        *RULES["rules"],
        {"name": "closed", "on": "request", "match": {"tags": {"path": "/closed"}}, "limit": {"block": True}},
        {
            "name": "left-out",
            "on": "request",
            "match": {"tags": {"path": "/left-out"}},
            "limit": {"block": True},
            "then": {"strategy": "ignore"},
        },
        {
            "name": "slow",
            "on": "request",
            "match": {"tags": {"path": "/slow"}},
            "limit": {"block": True},
            "then": {"strategy": "delay", "delay": "50ms"},
        },
        # Only one may wait, so that who does not give up is noticed.
        {
            "name": "queue",
            "on": "request",
            "match": {"tags": {"path": "/queue"}},
            "limit": {"block": True},
            "then": {"strategy": "delay", "delay": "60s", "max_delayed": 1},
        },
        {
            "name": "seat",
            "on": "request",
            "match": {"tags": {"path": ["/stream", "/failing-stream", "/failed", "/plain"]}},
            "limit": {"concurrency": {"max": 1}},
        },
        {
            "name": "twice",
            "on": "request",
            "per": ["client"],
            "match": {"tags": {"path": "/twice"}},
            "limit": {"sliding_window": {"max": 2, "window": "60s"}},
        },
        {"name": "ann", "match": {"user": "ann"}, "limit": {"unlimited": True}},
        {"name": "endpoint", "match": {"tags": {"endpoint": "report"}}, "limit": {"unlimited": True}},
    ]
}


@pytest.fixture
def web_throttle(clock: sqlthrottle.ManualClock) -> Iterator[sqlthrottle.Throttle]:
    """Rules by table and by page. However a test ends, no place is held."""
    with sqlthrottle.Throttle(WEB_RULES, clock=clock, refresh=False) as throttle:
        yield throttle
        assert held(throttle) == 0, "a place is still held"


@pytest.fixture
def engine(tmp_path: Path, web_throttle: sqlthrottle.Throttle) -> Iterator[Engine]:
    with engines.guarded("sqlite", tmp_path, web_throttle) as engine:
        yield engine


class Failed(Exception):
    """Of an application, and of nothing else."""


class Pages:
    """What the pages do, each by its name. None knows of a framework."""

    def __init__(self, engine: Engine, throttle: sqlthrottle.Throttle) -> None:
        self.engine = engine
        self.throttle = throttle
        self.shown: list[str] = []
        named = (
            (self.plain, self.closed, self.slow, self.queue, self.twice, self.who, self.refused, self.wrapped, self.handled)
            + (self.later, self.failed, self.ignored, self.delayed, self.batch, self.transaction)
        )
        self.by_path = {f"/{page.__name__.replace('_', '-')}": page for page in (*named, self.left_out)}

    def stored(self, table: type[Any]) -> int:
        """The rows of a table."""
        with self.engine.connect() as connection:
            return connection.scalar(select(func.count()).select_from(table)) or 0

    def plain(self) -> str:
        return str(self.stored(Plain))

    def closed(self) -> str:
        return self._shows("closed")

    def left_out(self) -> str:
        return self._shows("left-out")

    def slow(self) -> str:
        return self._shows("slow")

    def queue(self) -> str:
        return self._shows("queue")

    def twice(self) -> str:
        return self._shows("twice")

    def who(self) -> str:
        """The rule that knows who sends what is sent here."""
        return str(self.throttle.check("select 1").rule)

    def refused(self) -> str:
        return str(self.stored(Refused))

    def wrapped(self) -> str:
        try:
            return self.refused()
        except sqlthrottle.StatementAborted as error:
            raise Failed from error

    def handled(self) -> str:
        try:
            return self.refused()
        except sqlthrottle.StatementAborted:
            return "handled"

    def later(self) -> str:
        self.handled()
        return self.failed()

    def failed(self) -> str:
        raise Failed

    def ignored(self) -> str:
        with self.engine.connect() as connection:
            return str(len(connection.execute(select(Ignored)).all()))

    def delayed(self) -> str:
        with self.engine.connect() as connection:
            return str(len(connection.execute(select(Delayed)).all()))

    def batch(self) -> str:
        with self.engine.begin() as connection:
            connection.execute(insert(Weighed), [{"name": "x"} for _ in range(2501)])
        return "stored"

    def transaction(self) -> str:
        with self.engine.begin() as connection:
            connection.execute(insert(Plain).values(name="before"))
            connection.execute(select(Refused))
        return "stored"

    def stream(self) -> Iterator[bytes]:
        """Parts of a response, of which each sends a statement."""
        for _ in range(3):
            yield f"{self.who()};".encode()

    def failing_stream(self) -> Iterator[bytes]:
        yield b"begun;"
        yield self.refused().encode()

    def _shows(self, page: str) -> str:
        self.shown.append(page)
        return page


def flask(pages: Pages) -> Any:
    from flask import Flask, Response

    app = Flask("shop")
    for path, page in pages.by_path.items():
        app.add_url_rule(path, path, page)
    app.add_url_rule("/stream", "stream", lambda: Response(pages.stream()))
    app.add_url_rule("/failing-stream", "failing-stream", lambda: Response(pages.failing_stream()))
    return app


def starlette(pages: Pages) -> Any:
    """Asynchronous endpoints, which have threads do what blocks."""
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import PlainTextResponse, StreamingResponse
    from starlette.routing import Route

    def endpoint(page: Page) -> Any:
        async def answer(request: Request) -> PlainTextResponse:
            return PlainTextResponse(await asyncio.to_thread(page))

        return answer

    async def stream(request: Request) -> StreamingResponse:
        return StreamingResponse(pages.stream())

    async def failing_stream(request: Request) -> StreamingResponse:
        return StreamingResponse(pages.failing_stream())

    routes = [Route(path, endpoint(page)) for path, page in pages.by_path.items()]
    return Starlette(routes=[*routes, Route("/stream", stream), Route("/failing-stream", failing_stream)])


def fastapi(pages: Pages) -> Any:
    """Plain functions, which the framework calls in threads."""
    from fastapi import FastAPI
    from fastapi.responses import PlainTextResponse, StreamingResponse

    app = FastAPI()
    for path, page in pages.by_path.items():
        app.get(path, response_class=PlainTextResponse)(page)
    app.get("/stream")(lambda: StreamingResponse(pages.stream()))
    app.get("/failing-stream")(lambda: StreamingResponse(pages.failing_stream()))
    return app


@contextmanager
def django(pages: Pages, *, is_async: bool) -> Iterator[Any]:
    """The handler of Django for WSGI, or for ASGI with asynchronous views."""
    import django
    from asgiref.sync import sync_to_async
    from django.conf import settings
    from django.core.handlers.asgi import ASGIHandler
    from django.core.handlers.wsgi import WSGIHandler
    from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
    from django.test import override_settings
    from django.urls import path as pattern

    def view(page: Page) -> Any:
        def answer(request: HttpRequest) -> HttpResponse:
            return HttpResponse(page())

        async def answer_async(request: HttpRequest) -> HttpResponse:
            return HttpResponse(await sync_to_async(page)())

        return answer_async if is_async else answer

    def streaming(parts: Callable[[], Iterator[bytes]]) -> Any:
        async def parts_async() -> Any:
            for part in parts():
                yield part

        return lambda request: StreamingHttpResponse(parts_async() if is_async else parts())

    class Urls:
        urlpatterns = [pattern(path[1:], view(page)) for path, page in pages.by_path.items()]

    Urls.urlpatterns += [pattern("stream", streaming(pages.stream)), pattern("failing-stream", streaming(pages.failing_stream))]
    if not settings.configured:
        settings.configure(SECRET_KEY="of tests")
        django.setup()
    with override_settings(ROOT_URLCONF=Urls, ALLOWED_HOSTS=["*"], LOGGING_CONFIG=None, MIDDLEWARE=[]):
        yield ASGIHandler() if is_async else WSGIHandler()
