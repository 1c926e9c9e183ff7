"""A queryset keeps the rows that it was evaluated to. An empty list that was made up it must not keep, and asks again.

Templates, forms and class attributes hold querysets for long, and what was ignored once would be missing as long.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from django.db.models.query import QuerySet, RawQuerySet

__all__ = ["note_ignored", "put_in"]

_READERS = ("__getitem__", "count", "exists", "contains")
"""Those methods that look first whether a queryset is evaluated."""
_MARK = "_sqlthrottle_is_in"


class _MadeUp(list[Any]):
    """The rows of an ignored query. It is good for the one who asked."""

    __slots__ = ("_asked_at",)

    def __init__(self, asked: FrameType | None) -> None:
        super().__init__()
        self._asked_at = _place(asked) if asked is not None and asked.f_code.co_name == "__iter__" else None

    def is_for(self, asked: FrameType | None) -> bool:
        """Whether it is the same one who asks: ``list`` begins to iterate, and then asks for the length."""
        at, self._asked_at = self._asked_at, None
        return at is not None and asked is not None and asked.f_code.co_name == "__len__" and _place(asked) == at


def _place(asked: FrameType) -> tuple[int, int] | None:
    """Where a method was called."""
    caller = asked.f_back
    return None if caller is None else (id(caller), caller.f_lasti)


class _Noted(threading.local):
    times = 0


_noted = _Noted()


def note_ignored() -> None:
    """That a statement of this thread was ignored."""
    _noted.times += 1


def put_in() -> None:
    """Has all querysets forget what was made up. Harmless again."""
    if hasattr(QuerySet._fetch_all, _MARK):
        return
    for owner in (QuerySet, RawQuerySet):
        owner._fetch_all = _fetching(owner._fetch_all)
    for name in _READERS:
        setattr(QuerySet, name, _reading(getattr(QuerySet, name)))


def _fetching(method: Callable[[Any], None]) -> Callable[[Any], None]:
    @functools.wraps(method)
    def fetch(queryset: Any) -> None:
        if type(queryset._result_cache) is _MadeUp:
            if queryset._result_cache.is_for(sys._getframe(1)):
                return
            _forget(queryset)
        before = _noted.times
        method(queryset)
        if _noted.times != before and not queryset._result_cache:
            queryset._result_cache = _MadeUp(sys._getframe(1))

    setattr(fetch, _MARK, True)
    return fetch


def _reading(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def read(queryset: Any, *arguments: Any, **options: Any) -> Any:
        _forget(queryset)
        return method(queryset, *arguments, **options)

    return read


def _forget(queryset: Any) -> None:
    if type(queryset._result_cache) is _MadeUp:
        queryset._result_cache = None
        queryset._prefetch_done = False
