"""What becomes of a response beneath the middleware for WSGI, call by call."""

from __future__ import annotations

import contextvars
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from wsgiref.util import FileWrapper, setup_testing_defaults

import pytest
from test_wsgi import Answer, get
from watch import held
from web import web_throttle  # noqa: F401

import sqlthrottle
from sqlthrottle.wsgi import Middleware

Start = Callable[..., Callable[[bytes], object]]

REFUSED = "select * from refused"
TEXT = [("Content-Type", "text/plain")]


@pytest.fixture
def throttle(web_throttle: sqlthrottle.Throttle) -> sqlthrottle.Throttle:  # noqa: F811
    return web_throttle


class TestResponse:
    def test_what_is_made_up_is_kept_in_no_cache(self, throttle: sqlthrottle.Throttle) -> None:
        def app(environ: Any, start: Start) -> Iterable[bytes]:
            with throttle.guard("select * from ignored", fakes="rows") as guard:
                assert guard.ignored
            start("200 OK", [*TEXT, ("cache-control", "public, max-age=3600")])
            return [b""]

        headers = get(Middleware(app, throttle), "/").headers
        assert headers["Cache-Control"] == "no-store" and "cache-control" not in headers

    def test_a_server_that_closes_while_another_thread_reads_has_its_place_back(self, throttle: sqlthrottle.Throttle) -> None:
        reading, closed = threading.Event(), threading.Event()

        def app(environ: Any, start: Start) -> Iterator[bytes]:
            start("200 OK", TEXT)
            reading.set()
            closed.wait(30)
            yield b"late"

        environ: dict[str, Any] = {"PATH_INFO": "/stream"}
        setup_testing_defaults(environ)
        parts: Any = Middleware(app, throttle)(environ, lambda *_: [].append)
        reader = threading.Thread(target=lambda: next(parts))
        reader.start()
        assert reading.wait(30) and held(throttle) == 1
        with pytest.raises(RuntimeError):
            parts.close()
        assert held(throttle) == 0
        closed.set()
        reader.join(30)

    def test_one_of_which_nothing_was_sent_is_replaced(self, throttle: sqlthrottle.Throttle) -> None:
        def at_once(environ: Any, start: Start) -> Iterable[bytes]:
            start("200 OK", TEXT)
            with throttle.guard(REFUSED):
                return [b""]

        def at_the_first_part(environ: Any, start: Start) -> Iterator[bytes]:
            start("200 OK", TEXT)
            with throttle.guard(REFUSED):
                yield b"never"

        def before_it_is_started(environ: Any, start: Start) -> Iterator[bytes]:
            with throttle.guard(REFUSED):
                start("200 OK", TEXT)
                yield b"never"

        def by_a_500_of_its_own(environ: Any, start: Start) -> Iterator[bytes]:
            try:
                with throttle.guard(REFUSED):
                    pass
            except sqlthrottle.StatementAborted:
                start("500 Internal Server Error", TEXT)
            yield b"of another"

        def by_a_500_with_its_error(environ: Any, start: Start) -> Iterable[bytes]:
            start("200 OK", TEXT)
            try:
                with throttle.guard(REFUSED):
                    pass
            except sqlthrottle.StatementAborted:
                start("500 Internal Server Error", TEXT, sys.exc_info())(b"written")
            return [b"of another"]

        for app in (at_once, at_the_first_part, before_it_is_started, by_a_500_of_its_own, by_a_500_with_its_error):
            answer = get(Middleware(app, throttle), "/")
            assert answer.status == 429, app.__name__
            assert b"quota-exceeded" in answer.sent and b"of another" not in answer.sent
            assert answer.headers["Content-Length"] == str(len(answer.sent))
        assert throttle.snapshot()["requests"] == {"total": 5, "refused": {"request": 0, "statement": 5}}

    def test_one_of_another_error_stays(self, throttle: sqlthrottle.Throttle) -> None:
        def app(environ: Any, start: Start) -> Iterable[bytes]:
            try:
                with throttle.guard(REFUSED):
                    pass
            except sqlthrottle.StatementAborted:
                pass
            try:
                raise LookupError
            except LookupError:
                start("500 Internal Server Error", TEXT, sys.exc_info())
            return [b"of another"]

        answer = get(Middleware(app, throttle), "/")
        assert (answer.status, answer.sent) == (500, b"of another")

    def test_what_was_written_cannot_be_replaced(self, throttle: sqlthrottle.Throttle) -> None:
        def app(environ: Any, start: Start) -> Iterable[bytes]:
            start("200 OK", TEXT)(b"begun")
            with throttle.guard(REFUSED):
                return [b"never"]

        with pytest.raises(sqlthrottle.StatementAborted):
            get(Middleware(app, throttle), "/plain")
        assert held(throttle) == 0 and throttle.snapshot()["requests"]["refused"]["statement"] == 0

    def test_503_and_rate_limit_headers_come_where_they_are_asked_for(
        self, throttle: sqlthrottle.Throttle, clock: sqlthrottle.ManualClock
    ) -> None:
        guarded = Middleware(_served, throttle, status=503, rate_limit_headers=True)
        assert get(guarded, "/twice").headers["RateLimit"] == '"twice";r=1'
        assert get(guarded, "/twice").headers["RateLimit-Policy"] == '"twice";q=2'
        refused = get(guarded, "/twice")
        assert refused.status == 503
        after = refused.headers["Retry-After"]
        assert refused.headers["RateLimit"] == f'"twice";r=0;t={after}'
        assert get(guarded, "/twice", REMOTE_ADDR="192.0.2.8").status == 200
        clock.advance(int(after))
        assert get(guarded, "/twice").status == 200
        assert "RateLimit" not in get(Middleware(_served, throttle), "/twice").headers
        with pytest.raises(sqlthrottle.ArgumentError, match="429 or 503"):
            Middleware(_served, throttle, status=500)

    def test_head_has_no_body(self, throttle: sqlthrottle.Throttle) -> None:
        answer = get(Middleware(_served, throttle), "/closed", REQUEST_METHOD="HEAD")
        assert (answer.status, answer.sent) == (429, b"")

    def test_lists_and_files_are_the_servers_own_where_nothing_is_held(self, throttle: sqlthrottle.Throttle) -> None:
        with open(__file__, "rb") as file:
            for made in ([b"a"], (b"a",), FileWrapper(file)):

                def app(environ: Any, start: Start) -> Iterable[bytes]:
                    start("200 OK", TEXT)
                    return made

                guarded = Middleware(app, throttle)
                environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/", "wsgi.file_wrapper": FileWrapper}
                assert guarded(dict(environ), _started) is made
                seated = guarded({**environ, "PATH_INFO": "/plain"}, _started)
                assert seated is not made and held(throttle) == 1
                seated.close()  # type: ignore[attr-defined]
                assert held(throttle) == 0

    def test_it_is_closed_once_it_is_replaced_or_read(self, throttle: sqlthrottle.Throttle) -> None:
        class Parts:
            closed = 0

            def __iter__(self) -> Iterator[bytes]:
                return iter([b"a"])

            def close(self) -> None:
                self.closed += 1

        for status in (200, 500):
            parts = Parts()

            def app(environ: Any, start: Start) -> Iterable[bytes]:
                try:
                    with throttle.guard(REFUSED):
                        pass
                except sqlthrottle.StatementAborted:
                    start(f"{status} x", TEXT)
                return parts

            assert get(Middleware(app, throttle), "/plain").status == (200 if status == 200 else 429)
            assert parts.closed == 1 and held(throttle) == 0

    def test_one_that_is_lost_holds_nothing(self, throttle: sqlthrottle.Throttle) -> None:
        guarded = Middleware(_served, throttle)
        assert guarded({"REQUEST_METHOD": "GET", "PATH_INFO": "/plain"}, _started) is not None
        assert held(throttle) == 0


class TestRequest:
    def test_what_says_who_sends_it_reaches_what_is_yielded_and_goes_no_further(self, throttle: sqlthrottle.Throttle) -> None:
        left = contextvars.ContextVar("left", default="nothing")

        def app(environ: Any, start: Start) -> Iterator[bytes]:
            start("200 OK", TEXT)
            left.set("something")
            for _ in range(2):
                yield f"{throttle.check('select 1').rule};{left.get()};".encode()

        guarded = Middleware(app, throttle, tags=lambda environ: {"endpoint": environ["PATH_INFO"][1:]})
        first, second = Answer(guarded, "/report"), Answer(guarded, "/other", REMOTE_USER="ann")
        # Two at a time, as in a server of one thread.
        for _ in range(2):
            first.read()
            assert throttle.check("select 1").rule is None
            second.read()
        assert first.sent == b"endpoint;something;" * 2 and second.sent == b"ann;something;" * 2
        assert left.get() == "nothing"
        first.close()
        second.close()

    def test_a_path_is_read_as_text(self, throttle: sqlthrottle.Throttle) -> None:
        throttle.reload({"rules": [{"name": "café", "on": "request", "match": {"tags": {"path": "/shop/café"}}, "limit": {"block": True}}]})
        path = "/café".encode().decode("latin-1")
        assert get(Middleware(_served, throttle), path, SCRIPT_NAME="/shop").status == 429
        answer = get(Middleware(_served, throttle, rate_limit_headers=True), path, SCRIPT_NAME="/shop")
        assert answer.headers["RateLimit"] == '"caf?";r=0'

    def test_two_of_one_throttle_ask_once(self, throttle: sqlthrottle.Throttle) -> None:
        assert get(Middleware(Middleware(_served, throttle), throttle), "/plain").status == 200
        assert throttle.snapshot()["requests"]["total"] == 1


def _served(environ: Any, start: Start) -> Iterable[bytes]:
    start("200 OK", TEXT)
    return [b"served"]


def _started(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Callable[[bytes], object]:
    return lambda data: None
