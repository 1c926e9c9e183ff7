"""The site of the tests: views that send a statement each."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.template import engines
from django.template.response import TemplateResponse
from django.urls import path
from django.views.decorators.cache import cache_page
from djangos import Delayed, Ignored, Plain, Refused, Single


def refused(request: HttpRequest, number: int) -> HttpResponse:
    return HttpResponse(str(Refused.objects.filter(pk=number).count()))


async def refused_async(request: HttpRequest, number: int) -> HttpResponse:
    return HttpResponse(str(await Refused.objects.filter(pk=number).acount()))


def caused(request: HttpRequest) -> HttpResponse:
    try:
        return HttpResponse(str(Refused.objects.count()))
    except Exception as error:
        raise ValueError("the report could not be made") from error


def rendered(request: HttpRequest) -> HttpResponse:
    template = engines["django"].from_string("{% for row in rows %}{{ row.name }}{% endfor %}")
    return TemplateResponse(request, template, {"rows": Refused.objects.all()})


def plain(request: HttpRequest) -> HttpResponse:
    return HttpResponse(str(Plain.objects.count()))


async def plain_async(request: HttpRequest) -> HttpResponse:
    return HttpResponse(str(await Plain.objects.acount()))


def ignored(request: HttpRequest) -> HttpResponse:
    return HttpResponse(str(Ignored.objects.count()))


async def delayed(request: HttpRequest) -> HttpResponse:
    return HttpResponse(str(await Delayed.objects.acount()))


def streamed(request: HttpRequest) -> StreamingHttpResponse:
    return StreamingHttpResponse(f"{row.name}\n" for row in Single.objects.iterator())


async def streamed_async(request: HttpRequest) -> StreamingHttpResponse:
    async def parts() -> Any:
        async for row in Single.objects.aiterator():
            yield f"{row.name}\n"

    return StreamingHttpResponse(parts())


def failing(request: HttpRequest) -> StreamingHttpResponse:
    def parts() -> Any:
        yield "begun"
        broken(request)

    return StreamingHttpResponse(parts())


async def failing_async(request: HttpRequest) -> StreamingHttpResponse:
    async def parts() -> Any:
        yield "begun"
        broken(request)

    return StreamingHttpResponse(parts())


def written(request: HttpRequest) -> HttpResponse:
    Plain.objects.create(name="gone")
    return HttpResponse(str(Refused.objects.count()))


def broken(request: HttpRequest) -> HttpResponse:
    raise ValueError("a fault of the site")


def between(get_response: Any) -> Any:
    """Middleware that is not asynchronous."""

    def answer(request: HttpRequest) -> HttpResponse:
        response: HttpResponse = get_response(request)
        return response

    return answer


def save_late(get_response: Any) -> Any:
    """Middleware that sends a statement itself, after the view."""

    def answer(request: HttpRequest) -> HttpResponse:
        response: HttpResponse = get_response(request)
        Refused.objects.update(name="x")
        return response

    return answer


urlpatterns = [
    path("refused/<int:number>/", refused),
    path("refused-async/<int:number>/", refused_async),
    path("caused/", caused),
    path("rendered/", rendered),
    path("plain/", plain),
    path("plain-async/", plain_async),
    path("ignored/", ignored),
    path("cached/", cache_page(60)(ignored)),
    path("delayed/", delayed),
    path("streamed/", streamed),
    path("failing/", failing),
    path("failing-async/", failing_async),
    path("streamed-async/", streamed_async),
    path("written/", written),
    path("broken/", broken),
]
