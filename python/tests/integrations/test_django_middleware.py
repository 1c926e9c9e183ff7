"""The middleware of Django, below which statements are refused, and before whose views rules on requests are asked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import Any

import django_site
import djangos
import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.cache import caches
from django.core.exceptions import ImproperlyConfigured
from django.db import connections
from django.test import AsyncClient, Client
from django.test.utils import override_settings
from djangos import ROWS, Plain, Refused, throttle, throttled  # noqa: F401
from shop import RULES
from watch import counted, held

import sqlthrottle

Get = Callable[..., Any]
SLOW = {"rules": [{"name": "slow", "match": {"tables": "refused"}, "limit": {"token_bucket": {"capacity": 1, "rate": "1/m"}}}]}
OURS = "sqlthrottle.django.Middleware"


@pytest.fixture(autouse=True)
def site(throttle: sqlthrottle.Throttle) -> Iterator[None]:
    djangos.fill("default")
    with throttled(throttle):
        yield
        connections.close_all()


@pytest.fixture(params=("WSGI", "ASGI"))
def get(request: pytest.FixtureRequest) -> Get:
    """Gets a page, as a server of either kind has it answered."""

    def get(path: str, cookies: Any = (), **options: Any) -> Any:
        client: Any = (Client if request.param == "WSGI" else AsyncClient)(raise_request_exception=False)
        client.cookies.update(cookies)
        if request.param == "WSGI":
            return client.get(path, **options)

        async def ask() -> Any:
            response = await client.get(path, **options)
            await sync_to_async(connections.close_all)()
            return response

        return asyncio.run(ask())

    return get


@pytest.mark.parametrize("path", ("/refused/1/", "/refused-async/1/", "/caused/", "/rendered/"))
def test_a_refused_statement_beneath_a_view_is_429(get: Get, path: str) -> None:
    response = get(path)
    assert response.status_code == 429
    assert "Retry-After" not in response, "no wait is known to help"
    assert response["Cache-Control"] == "no-store"
    assert b"select" not in response.content.lower() and b"refused" not in response.content
    assert get("/plain/").content == str(ROWS).encode()


def test_retry_after_is_in_whole_seconds_rounded_up_and_the_status_is_said(get: Get) -> None:
    with sqlthrottle.Throttle(SLOW, refresh=False, clock=sqlthrottle.ManualClock()) as slow, throttled(slow, STATUS=503):
        assert get("/refused/1/").status_code == 200
        response = get("/refused/2/")
        assert (response.status_code, response["Retry-After"]) == (503, "60")
    clock = sqlthrottle.ManualClock()
    with sqlthrottle.Throttle(SLOW, refresh=False, clock=clock) as slow, throttled(slow):
        get("/refused/1/")
        for passed, after in ((0.5, "60"), (59.4, "1")):
            clock.advance(passed)
            assert get("/refused/2/")["Retry-After"] == after


def test_middleware_in_between_that_is_refused_is_429_as_well(get: Get) -> None:
    with override_settings(MIDDLEWARE=[OURS, "django_site.save_late"]):
        assert get("/plain/").status_code == 429
        assert get("/broken/").status_code == 429


@pytest.mark.parametrize("propagate", (False, True))
def test_a_page_for_errors_that_is_refused_itself_is_429(get: Get, propagate: bool, throttle: sqlthrottle.Throttle) -> None:
    with override_settings(ROOT_URLCONF=WithPage, DEBUG_PROPAGATE_EXCEPTIONS=propagate):
        assert get("/refused/1/").status_code == 429
        with override_settings(MIDDLEWARE=[OURS, "django_site.save_late"]):
            assert get("/plain/").status_code == 429
        if not propagate:
            assert get("/broken/").status_code == 429
    assert throttle.snapshot()["requests"]["refused"]["statement"] == 2 + (not propagate)


def test_a_request_that_is_delayed_by_middleware_in_a_thread_waits_by_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    from test_django_async import Sleeps

    rule = {"name": "slow", "on": "request", "limit": {"block": True}, "then": {"strategy": "delay", "delay": "20ms"}}
    with sqlthrottle.Throttle({"rules": [rule]}, refresh=False) as slow, throttled(slow):

        async def ask() -> None:
            sleeps = Sleeps(monkeypatch)
            answering = asyncio.ensure_future(AsyncClient().get("/plain-async/"))
            await sleeps.until(1)
            sleeps.wake()
            assert (await answering).status_code == 200
            await sync_to_async(connections.close_all)()

        monkeypatch.setattr(time, "sleep", None)
        # What is between is not asynchronous, so that the middleware is not, either.
        with override_settings(MIDDLEWARE=[OURS, "django_site.between"]):
            asyncio.run(ask())


def test_other_errors_stay_what_they_are(get: Get) -> None:
    assert get("/broken/").status_code == 500
    assert get("/missing/").status_code == 404


def test_a_transaction_of_a_request_is_rolled_back_and_the_connection_serves_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(connections.settings["default"], "ATOMIC_REQUESTS", True)
    client = Client()
    assert client.get("/written/").status_code == 429
    assert client.get("/plain/").content == str(ROWS).encode()
    assert Plain.objects.filter(name="gone").count() == 0


def test_what_is_ignored_beneath_a_page_keeps_it_out_of_caches(get: Get, throttle: sqlthrottle.Throttle) -> None:
    caches["default"].clear()
    response = get("/ignored/")
    assert response.content == b"0" and "no-store" in response["Cache-Control"]
    assert "Cache-Control" not in get("/plain/")
    assert get("/cached/").content == b"0"
    throttle.reload({})
    assert get("/cached/").content == str(ROWS).encode(), "the page was not kept"
    throttle.reload({"rules": [{"name": "all", "limit": {"block": True}}]})
    assert get("/cached/").content == str(ROWS).encode(), "and is, once it is whole"


def test_rules_on_requests_are_asked_before_the_view(get: Get) -> None:
    rules = {
        "rules": [
            {"name": "route", "on": "request", "match": {"tags": {"endpoint": "plain/"}}, "limit": {"block": True}},
            {"name": "client", "on": "request", "per": ["client"], "limit": {"fixed_window": {"max": 1, "window": "24h"}}},
            {"name": "none", "limit": {"concurrency": {"max": 100}}},
        ]
    }
    with sqlthrottle.Throttle(rules, refresh=False) as asked, throttled(asked):
        assert get("/plain/").status_code == 429
        assert counted(asked, "none")["matched"] == 0, "the view was not called"
        assert get("/plain-async/").status_code == 200
        assert get("/plain-async/").status_code == 429
        assert Client(REMOTE_ADDR="192.0.2.7").get("/plain-async/").status_code == 200, "another client"
        with throttled(asked, CLIENT=lambda request: request.headers.get("X-Client")):
            assert get("/plain-async/", headers={"X-Client": "192.0.2.8"}).status_code == 200


def test_a_request_holds_its_place_until_it_is_answered(get: Get) -> None:
    rules = {"rules": [{"name": "one", "on": "request", "limit": {"concurrency": {"max": 1}}}]}
    with sqlthrottle.Throttle(rules, refresh=False) as asked, throttled(asked):
        for path, status in (("/plain/", 200), ("/broken/", 500), ("/missing/", 404), ("/plain/", 200)):
            assert get(path).status_code == status
            assert held(asked) == 0
        response = Client().get("/streamed/")
        assert held(asked) == 1, "a stream goes on"
        assert len(list(response.streaming_content)) == ROWS
        response.close()
        assert held(asked) == 0


def test_statements_beneath_a_view_know_who_sends_them(get: Get) -> None:
    rules = {
        "rules": [
            {
                "name": "who",
                "match": {"user": "ann", "tags": {"endpoint": "plain/"}},
                "limit": {"block": True},
            }
        ]
    }
    with sqlthrottle.Throttle(rules, refresh=False) as asked, throttled(asked, USER=lambda request: "ann"):
        assert get("/plain/").status_code == 429
        assert Plain.objects.count() == ROWS, "and those beside it do not"
        assert get("/plain-async/").status_code == 200
    with sqlthrottle.Throttle(rules, refresh=False) as asked, throttled(asked, USER=_bob):
        assert get("/plain/").status_code == 200


def test_the_user_is_the_one_who_is_logged_in_and_nobody_is_asked_without_a_session(get: Get) -> None:
    from django.contrib.auth.models import User
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    rules = {"rules": [{"name": "ann", "on": "request", "match": {"user": "ann"}, "limit": {"block": True}}]}
    middleware = [
        OURS,
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ]
    with override_settings(MIDDLEWARE=middleware), sqlthrottle.Throttle(rules, refresh=False) as asked, throttled(asked):
        User.objects.filter(username="ann").delete()
        client = Client()
        client.force_login(User.objects.create_user("ann"))
        for path in ("/plain/", "/plain-async/"):
            assert get(path, cookies=client.cookies).status_code == 429
            response = get(path)
            assert response.status_code == 200 and "Cookie" not in response.get("Vary", "")
            with throttled(asked, USER=None):
                assert get(path, cookies=client.cookies).status_code == 200


def test_who_sends_a_request_may_be_found_out_by_statements_and_asynchronously(get: Get) -> None:
    """Where one of them is refused, so is the request, and that is no error of the site."""

    async def ann(request: Any) -> str:
        return "ann"

    async def looked_up(request: Any) -> str:
        return str(await Refused.objects.acount())

    rules: Any = {
        "rules": [
            {"name": "ann", "on": "request", "per": ["client"], "match": {"user": "ann"}, "limit": {"fixed_window": {"max": 1, "window": "24h"}}},
            *RULES["rules"],
        ]
    }
    for user, client in ((ann, ann), (lambda _: "ann", lambda _: "192.0.2.7")):
        with sqlthrottle.Throttle(rules, refresh=False) as asked, throttled(asked, USER=user, CLIENT=client):
            for path, status in (("/plain/", 200), ("/plain-async/", 429)):
                assert get(path).status_code == status
    with sqlthrottle.Throttle(rules, refresh=False) as asked:
        for option in ("USER", "CLIENT"):
            for ask in (looked_up, lambda _: str(Refused.objects.count())):
                with throttled(asked, **{option: ask}):
                    assert get("/plain/").status_code == 429
        assert asked.snapshot()["requests"] == {"total": 4, "refused": {"request": 0, "statement": 4}}


def test_the_statements_of_a_stream_are_sent_by_whom_the_request_is(get: Get) -> None:
    rules = {"rules": [{"name": "who", "match": {"user": "ann", "tags": {"endpoint": "streamed/"}}, "limit": {"unlimited": True}}]}
    with sqlthrottle.Throttle(rules, refresh=False) as asked, throttled(asked, USER=lambda _: "ann"):
        response = Client().get("/streamed/")
        assert len(list(response.streaming_content)) == ROWS
        response.close()
        assert counted(asked, "who")["matched"] == 1
        Plain.objects.count()
        assert counted(asked, "who")["matched"] == 1, "and what is sent beside it is not"

        async def read() -> int:
            response: Any = await AsyncClient().get("/streamed-async/")
            rows = len([part async for part in response.streaming_content])
            await Plain.objects.acount()
            await sync_to_async(connections.close_all)()
            return rows

        with sqlthrottle.Throttle({"rules": [{**rules["rules"][0], "match": {"user": "ann", "tags": {"endpoint": "streamed-async/"}}}]}, refresh=False) as asked:
            with throttled(asked, USER=lambda _: "ann"):
                assert asyncio.run(read()) == ROWS
                assert counted(asked, "who")["matched"] == 1


def test_an_asynchronous_view_waits_without_stalling_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    from test_django_async import Sleeps

    async def get() -> bytes:
        response = await AsyncClient().get("/delayed/")
        content: bytes = response.content
        return content

    async def both() -> list[bytes]:
        sleeps = Sleeps(monkeypatch)
        one = asyncio.create_task(get())
        await sleeps.until(1)
        sleeps.wake()
        answers = [await one]
        await sync_to_async(connections.close_all)()
        return answers

    assert asyncio.run(both()) == [str(ROWS).encode()]


def test_a_request_that_is_delayed_waits_as_its_server_does(monkeypatch: pytest.MonkeyPatch) -> None:
    from test_django_async import Sleeps

    rule = {"name": "slow", "on": "request", "limit": {"block": True}, "then": {"strategy": "delay", "delay": "20ms"}}
    with sqlthrottle.Throttle({"rules": [rule]}, refresh=False) as slow, throttled(slow):
        assert Client().get("/plain/").status_code == 200

        async def ask() -> None:
            sleeps = Sleeps(monkeypatch)
            answering = asyncio.ensure_future(AsyncClient().get("/plain-async/"))
            await sleeps.until(1)
            sleeps.wake()
            assert (await answering).status_code == 200
            await sync_to_async(connections.close_all)()

        asyncio.run(ask())
        assert counted(slow, "slow")["resumed"] == 2


def test_it_does_not_serve_without_the_app() -> None:
    others = [app for app in settings.INSTALLED_APPS if app != "sqlthrottle.django"]
    with override_settings(INSTALLED_APPS=others), pytest.raises(ImproperlyConfigured, match="INSTALLED_APPS"):
        Client().get("/plain/")


def refused_page(request: Any) -> None:
    Refused.objects.count()


class WithPage:
    urlpatterns = django_site.urlpatterns
    handler500 = staticmethod(refused_page)


async def _bob(request: Any) -> str:
    return "bob"
