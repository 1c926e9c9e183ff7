"""Middleware for WSGI over what frameworks make of it, under the validator of wsgiref."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from wsgiref.util import setup_testing_defaults
from wsgiref.validate import validator

import pytest
import web
from shop import ROWS, WAIT, Plain, Weighed
from shows import shows
from sqlalchemy import Engine
from watch import counted, held
from web import Pages, engine, web_throttle  # noqa: F401

import sqlthrottle
from sqlthrottle.wsgi import Middleware


class Answer:
    """What a server makes of an application: it reads part by part, and closes."""

    def __init__(self, app: Any, path: str, **environ: str) -> None:
        environ = {"SCRIPT_NAME": "", "PATH_INFO": path, "QUERY_STRING": "", "REMOTE_ADDR": "192.0.2.7", **environ}
        setup_testing_defaults(environ)
        self.sent = b""
        self._parts: Iterable[bytes] = validator(app)(environ, self._start)
        self._iterator = iter(self._parts)

    def _start(self, status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Callable[[bytes], object]:
        if exc_info is not None and self.sent:
            raise exc_info[1]
        self.status = int(status[:3])
        self.headers = dict(headers)
        return self._write

    def _write(self, data: bytes) -> None:
        self.sent += data

    def read(self) -> bytes:
        """The next part."""
        part = next(self._iterator, b"")
        self.sent += part
        return part

    def close(self) -> None:
        self._parts.close()  # type: ignore[attr-defined]


def get(app: Any, path: str, **environ: str) -> Answer:
    """A response, as it is once a client has all of it."""
    answer = Answer(app, path, **environ)
    try:
        while answer.read():
            pass
    finally:
        answer.close()
    return answer


@pytest.fixture
def pages(engine: Engine, web_throttle: sqlthrottle.Throttle) -> Pages:  # noqa: F811
    return Pages(engine, web_throttle)


@pytest.fixture(params=["flask", "django"])
def app(request: pytest.FixtureRequest, pages: Pages) -> Iterator[Middleware]:
    if request.param == "flask":
        application = web.flask(pages)
        application.wsgi_app = Middleware(application.wsgi_app, pages.throttle)
        yield application
    else:
        with web.django(pages, is_async=False) as handler:
            yield Middleware(handler, pages.throttle)


@shows("WSGI middleware: Flask, Django")
class TestWsgi:
    @shows("429 of a request, and of a statement that the application does not handle; its own answers stay")
    def test_abort(self, app: Any, pages: Pages) -> None:
        for path in ("/refused", "/wrapped", "/closed"):
            answer = get(app, path)
            assert answer.status == 429, path
            assert json.loads(answer.sent)["status"] == 429
            assert b"refused" not in answer.sent.lower() and b"select" not in answer.sent.lower()
        assert pages.shown == []
        assert get(app, "/handled").sent == b"handled"
        for path in ("/later", "/failed"):
            assert get(app, path).status == 500
        assert get(app, "/plain").sent == str(ROWS).encode()

    @shows("what the integration beneath makes up, and no other status; a request cannot be ignored: 429")
    def test_ignore(self, app: Any, pages: Pages) -> None:
        assert get(app, "/ignored").sent == b"0"
        assert get(app, "/left-out").status == 429
        assert pages.shown == []

    @shows("`time.sleep`, then as ever")
    def test_delay(self, app: Any, pages: Pages, monkeypatch: pytest.MonkeyPatch, clock: sqlthrottle.ManualClock) -> None:
        slept: list[float] = []

        def sleep(seconds: float) -> None:
            slept.append(seconds)
            clock.advance(seconds)

        monkeypatch.setattr(time, "sleep", sleep)
        assert get(app, "/slow").sent == b"slow"
        assert slept == [pytest.approx(WAIT)]
        assert get(app, "/delayed").sent == str(ROWS).encode()
        assert len(slept) == 2

    @shows("an interrupt ends a wait, and the application is not called")
    def test_cancel(self, app: Any, pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupted(seconds: float) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(time, "sleep", interrupted)
        # The second one finds the place of the first, as that has given up.
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                get(app, "/queue")
        assert counted(pages.throttle, "queue")["delayed"] == 2
        assert pages.throttle.snapshot()["waiting"] == 0 and pages.shown == []

    @shows("its place is held until the last byte, or until the server closes it")
    def test_stream(self, app: Any, pages: Pages) -> None:
        for is_read in (True, False):
            answer = Answer(app, "/stream", REMOTE_USER="ann")
            assert answer.read() == b"ann;"
            assert held(pages.throttle) == 1
            assert get(app, "/stream").status == 429
            if is_read:
                assert answer.read() == answer.read() == b"ann;" and answer.read() == b""
                assert held(pages.throttle) == 0
            answer.close()
            assert held(pages.throttle) == 0

    @shows("a batch that is refused is one 429, and nothing of it is sent")
    def test_batch(self, app: Any, pages: Pages) -> None:
        assert get(app, "/batch").status == 429
        assert pages.stored(Weighed) == ROWS
        assert pages.throttle.snapshot()["requests"] == {"total": 1, "refused": {"request": 0, "statement": 1}}

    @shows("the application rolls its own back, as by any error")
    def test_transaction(self, app: Any, pages: Pages) -> None:
        assert get(app, "/transaction").status == 429
        assert pages.stored(Plain) == ROWS

    @shows("back when the response has ended, also by an error of the application")
    def test_permits(self, app: Any, pages: Pages) -> None:
        for path, status in (("/plain", 200), ("/failed", 500), ("/plain", 200)):
            assert get(app, path).status == status
            assert held(pages.throttle) == 0
        answer = Answer(app, "/failing-stream")
        assert answer.read() == b"begun;"
        with pytest.raises(sqlthrottle.StatementAborted):
            answer.read()
        assert held(pages.throttle) == 0
        answer.close()


def test_who_sends_a_request_is_known_beneath_it_and_nowhere_else(app: Any, pages: Pages) -> None:
    assert get(app, "/who", REMOTE_USER="ann").sent == b"ann"
    assert get(app, "/who").sent == b"None"
    assert pages.who() == "None"


def test_handlers_of_the_application_go_first(pages: Pages) -> None:
    application = web.flask(pages)
    application.register_error_handler(sqlthrottle.StatementAborted, lambda error: ("own", 418))
    application.wsgi_app = Middleware(application.wsgi_app, pages.throttle)
    assert get(application, "/refused").status == 418
    assert get(application, "/wrapped").status == 429


def test_what_flask_raises_itself_is_the_same(pages: Pages) -> None:
    """As it does in tests and with its debugger."""
    application = web.flask(pages)
    application.config["PROPAGATE_EXCEPTIONS"] = True
    application.wsgi_app = Middleware(application.wsgi_app, pages.throttle)
    assert get(application, "/wrapped").status == 429
    with pytest.raises(web.Failed):
        get(application, "/later")
