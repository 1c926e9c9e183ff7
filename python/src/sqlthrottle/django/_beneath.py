"""The request beneath which statements are sent, as the middleware of Django knows it."""

from __future__ import annotations

import weakref
from collections.abc import MutableMapping
from typing import Any, cast

from .._context import _ambient
from .._web._http import Front, Passage
from .._native import Context, Decision

__all__ = ["Request"]


class Request:
    """A request while it is answered."""

    __slots__ = ("_request", "ignored", "is_asgi", "is_ours", "passage")

    def __init__(self, request: Any, front: Front) -> None:
        # The request has this one, and is not to wait for the collector with what it holds.
        self._request = weakref.ref(request)
        self.is_asgi = hasattr(request, "scope")
        # That of ASGI, or the environ of WSGI: middleware around Django notes there what it has asked.
        scope = cast("MutableMapping[str, Any]", getattr(request, "scope", request.META))
        ours = front.passage(scope)
        self.is_ours = ours is not None
        """Whether no middleware around Django has asked the throttle about it."""
        self.passage: Passage = ours or cast(Passage, front.above(scope))
        self.ignored = False
        """Whether something is missing on the page."""

    def comes_from(self, client: str | None) -> None:
        """Says from where it comes, to all that is sent beneath it."""
        _ambient.set(Context(_ambient.get(), None, client, None, None))

    def tell(self, decision: Decision | None) -> None:
        """A statement is refused; or, with none, the request has failed and that was not why."""
        self.passage.tell(decision)

    def tell_ignored(self) -> None:
        """A statement is ignored: what the view makes of it is to be kept in no cache."""
        self.ignored = True
        # By this the cache of pages asks whether it is to store one.
        request = self._request()
        if request is not None:
            request._cache_update_cache = False
        self.passage.tell_ignored()
