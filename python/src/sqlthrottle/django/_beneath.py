"""The request beneath which statements are sent, and what has become of them."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, cast

from .._errors import StatementAborted
from .._gate import PASSED, Permit

__all__ = ["BENEATH", "Request", "aborted_in"]


class Request:
    """What the middleware knows of a request while it is answered."""

    __slots__ = ("_request", "aborted", "ignored", "permit")

    def __init__(self, request: Any) -> None:
        self._request = request
        self.permit: Permit = PASSED
        """What the request holds by rules of its own."""
        self.aborted: StatementAborted | None = None
        """What has ended it, where Django has made a page of errors of it."""
        self.ignored = False
        """Whether something is missing on the page."""

    def note_ignored(self) -> None:
        """That a statement was ignored: what the view makes of it is to be kept in no cache."""
        self.ignored = True
        # By this the cache of pages asks whether it is to store one.
        self._request._cache_update_cache = False


BENEATH: ContextVar[Request | None] = ContextVar("sqlthrottle-django-beneath", default=None)
"""None where no middleware is in."""


def aborted_in(error: BaseException | None) -> StatementAborted | None:
    """The refused statement that an error is, was raised from or while, or has in its group."""
    left: list[BaseException | None] = [error]
    seen: set[int] = set()
    while left:
        error = left.pop()
        if error is None or id(error) in seen:
            continue
        if isinstance(error, StatementAborted):
            return error
        seen.add(id(error))
        left += (None if error.__suppress_context__ else error.__context__, error.__cause__)
        # Groups are younger than Python 3.10.
        members: object = getattr(error, "exceptions", ())
        if isinstance(members, tuple):
            left.extend(cast("tuple[BaseException, ...]", members))
    return None
