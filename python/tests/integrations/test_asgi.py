"""Middleware for ASGI over what frameworks make of it."""

from __future__ import annotations

import asyncio
import gc
import json
import time
from collections.abc import Iterator, MutableMapping
from typing import Any

import django
import httpx
import pytest
import web
from django.core.handlers.asgi import ASGIHandler
from shop import ROWS, WAIT, Plain, Weighed
from shows import shows
from sqlalchemy import Engine
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from watch import counted, held
from web import Pages, engine, web_throttle  # noqa: F401

import sqlthrottle
from sqlthrottle._web._http import aborted_in
from sqlthrottle.asgi import Middleware

Message = MutableMapping[str, Any]

pytestmark = pytest.mark.filterwarnings("ignore:Unclosed file:ResourceWarning")


class Exchange:
    """What a server makes of an application: here a test says when a client sends, and reads, and goes."""

    def __init__(self, app: Any, path: str, **scope: Any) -> None:
        self.scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [(b"host", b"shop")],
            "client": ("192.0.2.7", 50_000),
            "server": ("192.0.2.1", 80),
            **scope,
        }
        self._to_app: asyncio.Queue[Message] = asyncio.Queue()
        # One part at a time: an application goes on when it was read.
        self._from_app: asyncio.Queue[Message] = asyncio.Queue(1)
        self.task = asyncio.create_task(app(self.scope, self._to_app.get, self._from_app.put))

    def says(self, kind: str, **said: Any) -> None:
        self._to_app.put_nowait({"type": kind, **said})

    def waiting_for_app(self) -> int:
        """How many messages the application has not received."""
        return self._to_app.qsize()

    async def read(self) -> Message:
        """The next message; that of a task which failed instead is its error."""
        reading = asyncio.create_task(self._from_app.get())
        await asyncio.wait({reading, self.task}, return_when=asyncio.FIRST_COMPLETED, timeout=20)
        if not reading.done():
            await asyncio.sleep(0)
        if not reading.done():
            reading.cancel()
            await self.task
            raise AssertionError("nothing came")
        return reading.result()


def notices_clients(app: Middleware) -> bool:
    """Whether what streams is told that its client is gone, which Django does since 5.0."""
    return not isinstance(app._app, ASGIHandler) or django.VERSION >= (5,)


async def get(app: Any, path: str, **headers: str) -> httpx.Response:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False, client=("192.0.2.7", 50_000))
    async with httpx.AsyncClient(transport=transport, base_url="http://shop") as client:
        return await client.get(path, headers={name.replace("_", "-"): value for name, value in headers.items()})


@pytest.fixture
def pages(engine: Engine, web_throttle: sqlthrottle.Throttle) -> Pages:  # noqa: F811
    return Pages(engine, web_throttle)


def user(scope: MutableMapping[str, Any]) -> str | None:
    name = dict(scope["headers"]).get(b"x-user")
    return None if name is None else str(name, "ascii")


def added(framework: str, pages: Pages) -> Iterator[Any]:
    """An application with the middleware in, as its framework has that."""
    said: dict[str, Any] = {"throttle": pages.throttle, "user": user}
    if framework == "django":
        with web.django(pages, is_async=True) as handler:
            yield Middleware(handler, **said)
        return
    application = web.fastapi(pages) if framework == "fastapi" else web.starlette(pages)
    if framework == "starlette-wrapped":
        # Around all of it, so that the framework answers for errors before the middleware knows of them.
        yield Middleware(application, **said)
    else:
        application.add_middleware(Middleware, **said)
        yield application


@pytest.fixture(params=["starlette", "starlette-wrapped", "fastapi", "django"])
def app(request: pytest.FixtureRequest, pages: Pages) -> Iterator[Any]:
    yield from added(request.param, pages)
    # Django leaves the body of a request that is cancelled, or fails when its response has begun, to the collector.
    if request.param == "django":
        gc.collect()


@shows("ASGI middleware: Starlette, FastAPI, Django")
class TestAsgi:
    @shows("429 of a request, and of a statement that the application does not handle; its own answers stay")
    def test_abort(self, app: Any, pages: Pages) -> None:
        async def test() -> None:
            for path in ("/refused", "/wrapped", "/closed"):
                answer = await get(app, path)
                assert answer.status_code == 429, path
                assert json.loads(answer.content)["status"] == 429
                assert b"refused" not in answer.content.lower() and b"select" not in answer.content.lower()
            assert pages.shown == []
            assert (await get(app, "/handled")).text == "handled"
            for path in ("/later", "/failed"):
                assert (await get(app, path)).status_code == 500, path
            assert (await get(app, "/plain")).text == str(ROWS)

        asyncio.run(test())

    @shows("what the integration beneath makes up, and no other status; a request cannot be ignored: 429")
    def test_ignore(self, app: Any, pages: Pages) -> None:
        async def test() -> None:
            assert (await get(app, "/ignored")).text == "0"
            assert (await get(app, "/left-out")).status_code == 429
            assert pages.shown == []

        asyncio.run(test())

    @shows("by the loop, which goes on")
    def test_delay(self, app: Any, pages: Pages, monkeypatch: pytest.MonkeyPatch, clock: sqlthrottle.ManualClock) -> None:
        async def test() -> None:
            slow = [asyncio.create_task(get(app, "/slow")) for _ in range(3)]
            while pages.throttle.snapshot()["waiting"] < 3:
                await asyncio.sleep(0)
            # All wait, and others do not.
            assert (await get(app, "/plain")).text == str(ROWS)
            assert pages.shown == []
            clock.advance(WAIT)
            assert [answer.text for answer in await asyncio.gather(*slow)] == ["slow"] * 3

        def stalled(seconds: float) -> None:
            raise AssertionError("the loop is stalled")

        monkeypatch.setattr(time, "sleep", stalled)
        asyncio.run(test())

    @shows("a cancelled task, or a client that goes, waits no longer, and the application is not called")
    def test_cancel(self, app: Any, pages: Pages) -> None:
        async def test() -> None:
            # Each one finds the place of the one before, as that has given up.
            for times, ends in enumerate((asyncio.Task.cancel, "gone", asyncio.Task.cancel, "gone"), 1):
                exchange = Exchange(app, "/queue")
                exchange.says("http.request", body=b"", more_body=False)
                while counted(pages.throttle, "queue")["delayed"] < times:
                    assert not exchange.task.done(), exchange.task
                    await asyncio.sleep(0)
                if ends == "gone":
                    exchange.says("http.disconnect")
                    await asyncio.wait({exchange.task}, timeout=20)
                    assert exchange.task.done()
                else:
                    exchange.task.cancel()
                    with pytest.raises(asyncio.CancelledError):
                        await exchange.task
                assert pages.throttle.snapshot()["waiting"] == 0
            assert pages.shown == []

        asyncio.run(test())

    @shows("its place is held until the last byte, or until its client goes, or it is cancelled")
    def test_stream(self, app: Any, pages: Pages) -> None:
        async def test() -> None:
            for ends in ("read", "gone", "cancelled"):
                if ends == "gone" and isinstance(app, Middleware) and not notices_clients(app):
                    continue
                exchange = Exchange(app, "/stream", headers=[(b"host", b"shop"), (b"x-user", b"ann")])
                exchange.says("http.request", body=b"", more_body=False)
                assert (await exchange.read())["status"] == 200
                assert (await exchange.read())["body"] == b"ann;"
                assert held(pages.throttle) == 1
                assert (await get(app, "/stream")).status_code == 429
                if ends == "read":
                    while (await exchange.read()).get("more_body"):
                        pass
                    await exchange.task
                elif ends == "gone":
                    exchange.says("http.disconnect")
                    await asyncio.wait({exchange.task}, timeout=20)
                    assert exchange.task.done()
                else:
                    exchange.task.cancel()
                    await asyncio.wait({exchange.task}, timeout=20)
                    assert exchange.task.cancelled()
                assert held(pages.throttle) == 0

        asyncio.run(test())

    @shows("a batch that is refused is one 429, and nothing of it is sent")
    def test_batch(self, app: Any, pages: Pages) -> None:
        assert asyncio.run(get(app, "/batch")).status_code == 429
        assert pages.stored(Weighed) == ROWS
        assert pages.throttle.snapshot()["requests"] == {"total": 1, "refused": {"request": 0, "statement": 1}}

    @shows("the application rolls its own back, as by any error")
    def test_transaction(self, app: Any, pages: Pages) -> None:
        assert asyncio.run(get(app, "/transaction")).status_code == 429
        assert pages.stored(Plain) == ROWS

    @shows("back when the response has ended, also by an error of the application")
    def test_permits(self, app: Any, pages: Pages) -> None:
        async def test() -> None:
            for path, status in (("/plain", 200), ("/failed", 500), ("/plain", 200)):
                assert (await get(app, path)).status_code == status
                assert held(pages.throttle) == 0
            exchange = Exchange(app, "/failing-stream")
            exchange.says("http.request", body=b"", more_body=False)
            assert (await exchange.read())["status"] == 200
            assert (await exchange.read())["body"] == b"begun;"
            await asyncio.wait({exchange.task}, timeout=20)
            error = exchange.task.exception()
            assert aborted_in(error) is not None
            assert held(pages.throttle) == 0

        asyncio.run(test())


def test_who_sends_a_request_is_known_beneath_it_and_nowhere_else(app: Any) -> None:
    async def test() -> None:
        both = await asyncio.gather(get(app, "/who", x_user="ann"), get(app, "/who", x_user="bob"))
        assert [answer.text for answer in both] == ["ann", "None"]

    asyncio.run(test())


def test_handlers_of_the_application_go_first(pages: Pages) -> None:
    """Those of FastAPI miss what is wrapped, and middleware of its own kind runs the rest in another task."""

    async def own(request: Request, error: Exception) -> PlainTextResponse:
        return PlainTextResponse("own", 418)

    async def passing(request: Request, call_next: Any) -> Any:
        return await call_next(request)

    application = web.fastapi(pages)
    application.add_exception_handler(sqlthrottle.StatementAborted, own)
    application.add_middleware(BaseHTTPMiddleware, dispatch=passing)
    application.add_middleware(Middleware, throttle=pages.throttle)
    application.add_middleware(BaseHTTPMiddleware, dispatch=passing)

    async def test() -> None:
        assert (await get(application, "/refused")).status_code == 418
        assert (await get(application, "/wrapped")).status_code == 429
        assert (await get(application, "/failed")).status_code == 500

    asyncio.run(test())
