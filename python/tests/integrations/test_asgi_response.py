"""What becomes of a request, its response and a websocket beneath the middleware for ASGI, message by message."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import uvicorn
from test_asgi import Exchange, Message, get
from watch import held
from web import web_throttle  # noqa: F401

import sqlthrottle
from sqlthrottle.asgi import Middleware

Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

REFUSED = "select * from refused"


@pytest.fixture
def throttle(web_throttle: sqlthrottle.Throttle) -> sqlthrottle.Throttle:  # noqa: F811
    return web_throttle


async def answer(send: Send, status: int, *parts: bytes) -> None:
    await send({"type": "http.response.start", "status": status, "headers": [(b"x-own", b"1")]})
    for part in parts:
        await send({"type": "http.response.body", "body": part, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


class TestResponse:
    def test_what_is_made_up_is_kept_in_no_cache(self, throttle: sqlthrottle.Throttle) -> None:
        async def app(scope: Any, receive: Receive, send: Send) -> None:
            async with throttle.guard("select * from ignored", fakes="rows") as guard:
                assert guard.ignored
            headers = [(b"Cache-Control", b"public, max-age=3600"), (b"x-own", b"1")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": b""})

        async def test() -> None:
            response = await get(Middleware(app, throttle), "/")
            assert response.headers.get_list("cache-control") == ["no-store"] and response.headers["x-own"] == "1"

        asyncio.run(test())

    def test_a_500_that_never_ends_is_not_held_for_ever(self, throttle: sqlthrottle.Throttle) -> None:
        sent: list[Message] = []

        async def app(scope: Any, receive: Receive, send: Send) -> None:
            try:
                async with throttle.guard(REFUSED):
                    pass
            except sqlthrottle.StatementAborted:
                pass
            await send({"type": "http.response.start", "status": 500, "headers": []})
            for _ in range(1_000):
                await send({"type": "http.response.body", "body": b"", "more_body": True})
            assert sent, "of empty parts there may be many"

        async def send(message: Message) -> None:
            sent.append(message)

        async def receive() -> Message:
            return {"type": "http.request"}

        asyncio.run(Middleware(app, throttle)({"type": "http", "method": "GET", "path": "/"}, receive, send))

    def test_an_error_that_a_framework_answers_for_and_raises_is_not_mistaken(self, throttle: sqlthrottle.Throttle) -> None:
        async def app(scope: Any, receive: Receive, send: Send) -> None:
            try:
                async with throttle.guard(REFUSED):
                    pass
            except sqlthrottle.StatementAborted:
                pass
            await answer(send, 500, b"of another")
            raise LookupError

        async def test() -> None:
            response = await get(Middleware(app, throttle), "/")
            assert (response.status_code, response.text, response.headers["x-own"]) == (500, "of another", "1")

        asyncio.run(test())
        assert throttle.snapshot()["requests"]["refused"] == {"request": 0, "statement": 0}

    def test_one_that_comes_of_a_refusal_however_it_is_wrapped_is_replaced(self, throttle: sqlthrottle.Throttle) -> None:
        class Group(Exception):
            """As ExceptionGroup, which is younger than Python 3.10."""

            exceptions: tuple[Exception, ...]

        def as_it_is(error: Exception) -> Exception:
            return error

        def in_group(error: Exception) -> Exception:
            group = Group("of tasks")
            group.exceptions = (ValueError(), error)
            return group

        for wrapped in (as_it_is, in_group):
            for is_answered in (True, False):

                async def app(scope: Any, receive: Receive, send: Send) -> None:
                    try:
                        async with throttle.guard(REFUSED):
                            pass
                    except sqlthrottle.StatementAborted as error:
                        kept = wrapped(error)
                    if is_answered:
                        await answer(send, 500, b"refused")
                    raise kept

                assert asyncio.run(get(Middleware(app, throttle), "/")).status_code == 429

    def test_a_long_500_is_the_applications_own(self, throttle: sqlthrottle.Throttle) -> None:
        parts = [b"x" * 40_000] * 3

        async def app(scope: Any, receive: Receive, send: Send) -> None:
            try:
                async with throttle.guard(REFUSED):
                    pass
            except sqlthrottle.StatementAborted:
                await answer(send, 500, *parts)

        response = asyncio.run(get(Middleware(app, throttle), "/"))
        assert (response.status_code, len(response.content)) == (500, 120_000)

    def test_other_answers_for_a_refusal_stay(self, throttle: sqlthrottle.Throttle) -> None:
        for status in (200, 403, 503):

            async def app(scope: Any, receive: Receive, send: Send) -> None:
                try:
                    async with throttle.guard(REFUSED):
                        pass
                except sqlthrottle.StatementAborted:
                    await answer(send, status, b"own")

            assert asyncio.run(get(Middleware(app, throttle), "/")).status_code == status

    def test_503_and_rate_limit_headers_come_where_they_are_asked_for(
        self, throttle: sqlthrottle.Throttle, clock: sqlthrottle.ManualClock
    ) -> None:
        async def app(scope: Any, receive: Receive, send: Send) -> None:
            await answer(send, 200, b"served")

        async def test() -> None:
            guarded = Middleware(app, throttle, status=503, rate_limit_headers=True)
            for left in (1, 0):
                served = await get(guarded, "/twice")
                assert (served.status_code, served.headers["x-own"]) == (200, "1")
                assert served.headers["ratelimit"] == f'"twice";r={left}'
                assert served.headers["ratelimit-policy"] == '"twice";q=2'
            refused = await get(guarded, "/twice")
            assert refused.status_code == 503
            after = int(refused.headers["retry-after"])
            assert refused.headers["ratelimit"] == f'"twice";r=0;t={after}'
            assert refused.json()["violated-policies"] == ["twice"]
            clock.advance(after)
            assert (await get(guarded, "/twice")).status_code == 200
            assert "ratelimit" not in (await get(Middleware(app, throttle), "/twice")).headers

        asyncio.run(test())
        with pytest.raises(sqlthrottle.ArgumentError, match="429 or 503"):
            Middleware(app, throttle, status=500)

    def test_head_has_no_body(self, throttle: sqlthrottle.Throttle) -> None:
        async def test() -> None:
            exchange = Exchange(Middleware(_never, throttle), "/closed", method="HEAD")
            assert (await exchange.read())["status"] == 429
            assert (await exchange.read())["body"] == b""

        asyncio.run(test())

    def test_a_task_after_the_response_holds_no_place(self, throttle: sqlthrottle.Throttle) -> None:
        async def test() -> None:
            go = asyncio.Event()

            async def app(scope: Any, receive: Receive, send: Send) -> None:
                assert held(throttle) == 1
                await answer(send, 200)
                await go.wait()

            exchange = Exchange(Middleware(app, throttle), "/plain")
            assert (await exchange.read())["status"] == 200
            assert (await exchange.read())["body"] == b""
            await asyncio.sleep(0)
            assert held(throttle) == 0 and not exchange.task.done()
            go.set()
            await exchange.task

        asyncio.run(test())


class TestRequest:
    def test_what_says_who_sends_it_reaches_statements_in_threads_and_tasks(self, throttle: sqlthrottle.Throttle) -> None:
        async def app(scope: Any, receive: Receive, send: Send) -> None:
            found = {
                throttle.check("select 1").rule,
                (await asyncio.to_thread(throttle.check, "select 1")).rule,
                await asyncio.create_task(_rule(throttle)),
            }
            await answer(send, 200, str(found).encode())

        async def test() -> None:
            assert (await get(Middleware(app, throttle), "/")).text == "{None}"
            assert (await get(Middleware(app, throttle, user=lambda scope: "ann"), "/")).text == "{'ann'}"
            tagged = Middleware(app, throttle, tags=lambda scope: {"endpoint": scope["path"][1:]})
            assert (await get(tagged, "/report")).text == "{'endpoint'}"
            assert throttle.check("select 1").rule is None

        asyncio.run(test())

    def test_two_of_one_throttle_ask_once(self, throttle: sqlthrottle.Throttle) -> None:
        async def app(scope: Any, receive: Receive, send: Send) -> None:
            await answer(send, 200, b"served")

        assert asyncio.run(get(Middleware(Middleware(app, throttle), throttle), "/plain")).status_code == 200
        assert throttle.snapshot()["requests"]["total"] == 1

    def test_a_body_is_received_whole_after_a_wait(
        self, throttle: sqlthrottle.Throttle, clock: sqlthrottle.ManualClock
    ) -> None:
        async def app(scope: Any, receive: Receive, send: Send) -> None:
            received = b""
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    break
                received += message["body"]
                if not message["more_body"]:
                    await answer(send, 200, received)

        async def test(early: list[str], late: list[str]) -> None:
            exchange = Exchange(Middleware(app, throttle), "/slow")
            texts = early + late
            for text in early:
                exchange.says("http.request", body=text.encode(), more_body=text != texts[-1])
            while not throttle.snapshot()["waiting"]:
                await asyncio.sleep(0)
            for _ in range(5):
                await asyncio.sleep(0)
            # Of what comes while it waits, all but one message stays with the server.
            assert exchange.waiting_for_app() == max(len(early) - 1, 0)
            clock.advance(1)
            assert (await exchange.read())["status"] == 200
            for text in late:
                exchange.says("http.request", body=text.encode(), more_body=text != texts[-1])
            assert (await exchange.read())["body"] == "".join(texts).encode()
            exchange.says("http.disconnect")
            await exchange.read()
            await exchange.task

        for early, late in ((["a"], []), (["a", "b", "c"], [])):
            asyncio.run(test(early, late))

    def test_one_that_is_refused_at_once_receives_nothing(self, throttle: sqlthrottle.Throttle) -> None:
        async def test() -> None:
            sent: list[Message] = []

            async def send(message: Message) -> None:
                sent.append(message)

            tasks = asyncio.all_tasks()
            await Middleware(_never, throttle)({"type": "http", "method": "GET", "path": "/closed"}, _nothing, send)
            assert sent[0]["status"] == 429 and asyncio.all_tasks() == tasks

        asyncio.run(test())

    def test_lifespan_and_what_is_not_known_pass(self, throttle: sqlthrottle.Throttle) -> None:
        seen: list[str] = []

        async def app(scope: Any, receive: Receive, send: Send) -> None:
            seen.append(scope["type"])

        for kind in ("lifespan", "other"):
            asyncio.run(Middleware(app, throttle)({"type": kind}, _nothing, _never_sent))
        assert seen == ["lifespan", "other"] and throttle.snapshot()["requests"]["total"] == 0


class TestWebsocket:
    def test_one_that_is_refused_is_not_accepted(self, throttle: sqlthrottle.Throttle) -> None:
        async def test() -> None:
            plain = Exchange(Middleware(_never, throttle), "/closed", type="websocket")
            plain.says("websocket.connect")
            closed = await plain.read()
            assert (closed["type"], closed["code"]) == ("websocket.close", 1013)
            await plain.task
            able = Exchange(
                Middleware(_never, throttle), "/closed", type="websocket", extensions={"websocket.http.response": {}}
            )
            able.says("websocket.connect")
            start, body = await able.read(), await able.read()
            assert (start["type"], start["status"]) == ("websocket.http.response.start", 429)
            assert body["type"] == "websocket.http.response.body" and body["body"]
            await able.task

        asyncio.run(test())

    def test_one_that_waits_may_go(self, throttle: sqlthrottle.Throttle) -> None:
        async def test() -> None:
            exchange = Exchange(Middleware(_never, throttle), "/queue", type="websocket")
            exchange.says("websocket.connect")
            while not throttle.snapshot()["waiting"]:
                assert not exchange.task.done(), exchange.task
                await asyncio.sleep(0)
            exchange.says("websocket.disconnect", code=1001)
            await asyncio.wait({exchange.task}, timeout=20)
            assert exchange.task.done() and throttle.snapshot()["waiting"] == 0

        asyncio.run(test())

    def test_its_place_is_held_while_it_is_open(self, throttle: sqlthrottle.Throttle) -> None:
        async def app(scope: Any, receive: Receive, send: Send) -> None:
            assert (await receive())["type"] == "websocket.connect"
            await send({"type": "websocket.accept"})
            await receive()

        async def test() -> None:
            exchange = Exchange(Middleware(app, throttle), "/plain", type="websocket")
            exchange.says("websocket.connect")
            assert (await exchange.read())["type"] == "websocket.accept"
            assert held(throttle) == 1
            exchange.says("websocket.disconnect", code=1001)
            await exchange.task
            assert held(throttle) == 0

        asyncio.run(test())

    @pytest.mark.parametrize("is_accepted", [True, False])
    def test_a_statement_that_is_refused_ends_it(self, throttle: sqlthrottle.Throttle, is_accepted: bool) -> None:
        async def app(scope: Any, receive: Receive, send: Send) -> None:
            assert (await receive())["type"] == "websocket.connect"
            if is_accepted:
                await send({"type": "websocket.accept"})
            async with throttle.guard(REFUSED):
                pass

        async def test() -> None:
            exchange = Exchange(Middleware(app, throttle), "/", type="websocket")
            exchange.says("websocket.connect")
            if is_accepted:
                assert (await exchange.read())["type"] == "websocket.accept"
            closed = await exchange.read()
            assert (closed["type"], closed["code"]) == ("websocket.close", 1013)
            await exchange.task

        asyncio.run(test())

    def test_nobody_is_told_who_has_gone(self, throttle: sqlthrottle.Throttle) -> None:
        async def app(scope: Any, receive: Receive, send: Send) -> None:
            while (await receive())["type"] != "websocket.disconnect":
                await send({"type": "websocket.accept"})
            async with throttle.guard(REFUSED):
                pass

        async def test() -> None:
            exchange = Exchange(Middleware(app, throttle), "/", type="websocket")
            exchange.says("websocket.connect")
            assert (await exchange.read())["type"] == "websocket.accept"
            exchange.says("websocket.disconnect", code=1001)
            with pytest.raises(sqlthrottle.StatementAborted):
                await exchange.read()

        asyncio.run(test())


class TestServer:
    """Under uvicorn, whose clients go by closing their connection."""

    @contextmanager
    def served(self, app: Any) -> Iterator[tuple[str, int]]:
        begun = threading.Event()

        class Server(uvicorn.Server):
            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets)
                begun.set()

        server = Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="critical", lifespan="off"))
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            assert begun.wait(20)
            yield server.servers[0].sockets[0].getsockname()[:2]
        finally:
            server.should_exit = True
            thread.join(20)

    @pytest.mark.parametrize("path", ["/queue", "/stream"])
    def test_a_client_that_goes_leaves_nothing_behind(self, throttle: sqlthrottle.Throttle, path: str) -> None:
        from starlette.applications import Starlette
        from starlette.requests import Request
        from starlette.responses import StreamingResponse
        from starlette.routing import Route

        ended = threading.Event()

        async def forever() -> Any:
            yield b"begun"
            await asyncio.Event().wait()

        async def stream(request: Request) -> StreamingResponse:
            return StreamingResponse(forever())

        guarded = Middleware(Starlette(routes=[Route("/stream", stream)]), throttle)

        async def app(scope: Any, receive: Receive, send: Send) -> None:
            try:
                await guarded(scope, receive, send)
            finally:
                ended.set()

        with self.served(app) as address, socket.create_connection(address, timeout=20) as client:
            client.sendall(f"GET {path} HTTP/1.1\r\nHost: shop\r\n\r\n".encode())
            if path == "/stream":
                assert client.recv(4096).startswith(b"HTTP/1.1 200")
                assert held(throttle) == 1
            else:
                while not throttle.snapshot()["waiting"]:
                    assert not ended.is_set()
            client.close()
            assert ended.wait(20)
            assert held(throttle) == 0 and throttle.snapshot()["waiting"] == 0


async def _rule(throttle: sqlthrottle.Throttle) -> str | None:
    return throttle.check("select 1").rule


async def _never(scope: Any, receive: Receive, send: Send) -> None:
    raise AssertionError("the application is called")


async def _nothing() -> Message:
    raise AssertionError("nothing is received")


async def _never_sent(message: Message) -> None:
    raise AssertionError("nothing is sent")
