"""What ASGI, WSGI and web frameworks share: a decision becomes a response, and what went wrong beneath is told from all else.

:func:`refusal` is the response to a request that is refused, and :func:`aborted_in` says whether an error has come of that.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, cast

from .. import _told
from .._errors import ArgumentError, StatementAborted
from .._gate import PASSED, Permit, must_be_throttle
from .._names import Verdict

if TYPE_CHECKING:
    from .._native import Decision
    from .._throttle import Throttle

__all__ = ["ASKED", "Asked", "AskingFront", "Front", "Headers", "Passage", "Refusal", "aborted_in", "rate_limit", "refusal"]

_S = TypeVar("_S")

Headers = list[tuple[str, str]]
Asked = Callable[[_S], "str | None"]

_REASONS = {429: "Too Many Requests", 503: "Service Unavailable"}
# Registered with the fields of `rate_limit`, by the same draft.
_TYPES = {429: "quota-exceeded", 503: "temporary-reduced-capacity"}
_TITLES = {429: "Too many requests like this one.", 503: "There is no capacity for requests like this one."}

ASKED = "sqlthrottle.asked"
"""Where a request notes its passages, of the throttles that were asked about it: in the scope of ASGI, or the environ of WSGI."""

_MOST = 999_999_999_999_999
"""The largest integer of a structured field."""


class Refusal(NamedTuple):
    """A response to a request that is refused."""

    status: int
    reason: str
    headers: Headers
    body: bytes

    @property
    def status_line(self) -> str:
        """The status and its reason."""
        return f"{self.status} {self.reason}"


def refusal(decision: Decision, *, status: int = 429, rate_limit_headers: bool = False) -> Refusal:
    """The response to a request that a rule refuses, or that needed a statement that one has refused.

    It says when to try again, where a wait helps. It names the rule only with ``rate_limit_headers``, and no statement ever.

    :param status: 429, or 503 where the limit is not the client's own.
    """
    problem: dict[str, Any] = {
        "type": f"https://iana.org/assignments/http-problem-types#{_TYPES[status]}",
        "title": _TITLES[status],
        "status": status,
    }
    headers: Headers = [("Content-Type", "application/problem+json"), ("Cache-Control", "no-store")]
    if decision.retry_after is not None:
        headers.append(("Retry-After", str(_whole_seconds(decision.retry_after))))
    if rate_limit_headers:
        headers += rate_limit(decision)
        if decision.rule is not None:
            problem["violated-policies"] = [decision.rule]
    body = json.dumps(problem).encode()
    headers.append(("Content-Length", str(len(body))))
    return Refusal(status, _REASONS[status], headers, body)


def rate_limit(decision: Decision) -> Headers:
    """``RateLimit`` and ``RateLimit-Policy``, as draft-ietf-httpapi-ratelimit-headers-11 has them; none where no rule took part.

    Of a statement that is refused there is no policy, as its quota is one of statements and not of requests. The window of a policy is not
    said, which is optional.
    """
    if decision.rule is None:
        return []
    name = _string(decision.rule)
    if decision.verdict is Verdict.ALLOW:
        if decision.limit == 0:
            return []
        limit = f"{name};r={min(max(decision.limit - decision.count, 0), _MOST)}"
    elif decision.retry_after is None:
        limit = f"{name};r=0"
    else:
        limit = f"{name};r=0;t={_whole_seconds(decision.retry_after)}"
    headers = [("RateLimit", limit)]
    if decision.fingerprint is None:
        headers.append(("RateLimit-Policy", f"{name};q={min(decision.limit, _MOST)}"))
    return headers


def aborted_in(error: BaseException | None) -> StatementAborted | None:
    """The refusal that an error is, was raised from or while, or that is in its group; none where it has come of something else."""
    left: list[Any] = [error]
    seen = set[int]()
    while left:
        error = left.pop()
        if not isinstance(error, BaseException) or id(error) in seen:
            continue
        if isinstance(error, StatementAborted):
            return error
        seen.add(id(error))
        # Those of a group come first, in its order: what is last is taken first.
        left += (None if error.__suppress_context__ else error.__context__, error.__cause__)
        left += reversed(_parts(error))
    return None


class Front:
    """What a middleware is told: whom to ask, and how to refuse.

    :param status: of a refusal, 429 or 503.
    """

    def __init__(self, throttle: Throttle, status: int, rate_limit_headers: bool) -> None:
        must_be_throttle(throttle)
        if status not in _REASONS:
            raise ArgumentError(f"status is 429 or 503, and not {status!r}")
        self.throttle = throttle
        self.requests = throttle._count_requests()
        self.rate_limit_headers = rate_limit_headers
        self._status = status

    def refusal(self, decision: Decision) -> Refusal:
        """The response to a request that is refused."""
        return refusal(decision, status=self._status, rate_limit_headers=self.rate_limit_headers)

    def passage(self, request: MutableMapping[str, Any]) -> Passage | None:
        """Of a request that has come; none where this throttle was asked about it already, which the request notes."""
        if self.above(request) is not None:
            return None
        passage = Passage(self)
        request[ASKED] = (*request.get(ASKED, ()), passage)
        self.requests.came()
        return passage

    def above(self, request: Mapping[str, Any]) -> Passage | None:
        """The passage of a request about which a middleware further out has asked this throttle."""
        passages: tuple[Passage, ...] = request.get(ASKED, ())
        return next((passage for passage in passages if passage.throttle is self.throttle), None)


class AskingFront(Front, Generic[_S]):
    """The same, and how requests say who sends them.

    :param user: who sends a request, and ``client`` from which address, and ``tags`` what else.
    """

    def __init__(
        self,
        throttle: Throttle,
        status: int,
        rate_limit_headers: bool,
        user: Asked[_S],
        client: Asked[_S],
        tags: Callable[[_S], Mapping[str, str]],
    ) -> None:
        super().__init__(throttle, status, rate_limit_headers)
        for name, says in (("user", user), ("client", client), ("tags", tags)):
            if not callable(says):
                raise TypeError(f"{name} is a function of a request, and not {type(says).__name__}")
        self._user = user
        self._client = client
        self._tags = tags

    def says(self, request: _S) -> tuple[str | None, str | None, None, Mapping[str, str]]:
        """User, client, database and tags of a request, in the order of a context."""
        return self._user(request), self._client(request), None, self._tags(request)


class Passage:
    """A request on its way: its place, and what was refused beneath it."""

    __slots__ = ("_front", "_is_refused", "aborted", "decision", "headers", "ignored", "permit", "throttle")

    def __init__(self, front: Front) -> None:
        self._front = front
        self._is_refused = False
        self.throttle = front.throttle
        self.decision: Decision | None = None
        """What was decided on the request, once it is."""
        self.permit: Permit = PASSED
        self.ignored = False
        """Whether something is missing in its response, which is then to be kept nowhere."""
        self.aborted: Decision | None = None
        """The statement beneath it that was refused last."""
        self.headers: Headers = []
        """What its response has beside its own."""

    def tell(self, decision: Decision | None) -> None:
        """A statement is refused beneath it; or, with none, the request has failed and that was not why."""
        self.aborted = decision

    def tell_ignored(self) -> None:
        """A statement beneath it is ignored."""
        self.ignored = True

    def enter(self, decision: Decision) -> Refusal | None:
        """Takes its place, or is refused."""
        self.decision = decision
        if decision.verdict is not Verdict.ALLOW:
            _told.aborted(decision)
            return self._refusal(decision, by_statement=False)
        if decision.has_permit:
            self.permit = Permit(self.throttle, decision)
        if self._front.rate_limit_headers:
            self.headers = rate_limit(decision)
        return None

    def cause(self, error: BaseException | None) -> Decision | None:
        """Which statement was refused, where that is why an application has failed.

        :param error: what was raised; none where a framework has answered for it by a 500, and kept it to itself.
        """
        if error is None:
            return self.aborted
        aborted = aborted_in(error)
        return None if aborted is None else aborted.decision

    def refused(self, statement: Decision) -> Refusal:
        """The response to a request that has failed as a statement was refused."""
        self.headers = []
        return self._refusal(statement, by_statement=True)

    def _refusal(self, decision: Decision, *, by_statement: bool) -> Refusal:
        # Middleware may have something refused after the application was answered for. It is still one request.
        if not self._is_refused:
            self._is_refused = True
            self._front.requests.refused(by_statement=by_statement)
        return self._front.refusal(decision)


def _parts(error: BaseException) -> tuple[Any, ...]:
    """Of an exception group, which are younger than Python 3.10: there may be others of that kind."""
    parts = cast("tuple[Any, ...] | None", getattr(error, "exceptions", None))
    return parts if isinstance(parts, tuple) else ()


def _whole_seconds(seconds: float) -> int:
    return max(1, math.ceil(seconds))


def _string(name: str) -> str:
    """A String of a structured field, which has printable ASCII alone."""
    plain = "".join(c if " " <= c <= "~" else "?" for c in name)
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'
