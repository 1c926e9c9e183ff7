"""The throttle: rules, what they have counted, and what a program asks of them."""

from __future__ import annotations

import functools
import json
import os
import threading
import time
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any, cast

from . import _native, _refresh
from ._guard import Guard
from ._log import LOGGER
from ._requests import Requests
from ._threshold import ThresholdProvider, threshold

__all__ = ["PreparedStatement", "Throttle", "open"]

_MAX_RENEWED = 1_000
"""Most thresholds that are renewed at one look. What is left is due at the next."""
_TIME_TO_LIVE = 60.0
_QUIET = 60.0
"""Seconds between two warnings that a provider fails."""

_asking = threading.local()


class PreparedStatement(_native.Prepared):
    """A statement that was read once, to be checked again and again; from :meth:`Throttle.prepare`. Threads may share it."""

    def guard(self, *, weight: int | None = None, fakes: str | None = None) -> Guard:
        """As :meth:`Throttle.guard`."""
        asked: dict[str, Any] = {"weight": weight, "fakes": fakes}
        return Guard(
            self.throttle, functools.partial(self.check, **asked), functools.partial(self._check_unsettled, **asked)
        )


class Throttle(_native.Engine):
    """Rules, and what they have counted. Any number of threads and tasks may share one; a fork has its own counts from then on.

    :param rules: the text of a rule file (YAML), or the same as a mapping. ``${NAME}`` stands for a variable of the environment.
    :param provider: where thresholds come from beside the rules.
    :param clock: another clock than the machine's, for tests. Guards sleep by the machine's all the same.
    :param refresh: whether threads look after the rule file and the provider; without them, :meth:`refresh` does.
    :raises RuleError: the rules have faults; the message names all of them.
    """

    path: str | None
    """The rule file that it was opened with."""
    provider: ThresholdProvider | None
    """Where thresholds come from."""

    def __new__(
        cls,
        rules: Mapping[str, Any] | str | bytes = "",
        *,
        provider: ThresholdProvider | None = None,
        clock: _native.ManualClock | None = None,
        refresh: bool = True,
    ) -> Throttle:
        return cls._made(_text(rules), None, provider, clock, refresh)

    @classmethod
    def _made(
        cls,
        rules: str | bytes,
        path: str | None,
        provider: ThresholdProvider | None,
        clock: _native.ManualClock | None,
        refresh: bool,
    ) -> Throttle:
        if provider is not None and not callable(provider):
            raise TypeError(f"provider is called with a fingerprint, and {type(provider).__name__} is not callable")
        source = rules if path is None else path
        throttle = _native.Engine.__new__(cls, source, path is not None, provider is not None, clock)
        throttle.path = path
        throttle.provider = provider
        throttle._looked_after = refresh
        throttle._last_failure = None
        throttle._quiet_until = 0.0
        throttle._requests = Requests()
        _refresh.made(throttle)
        return throttle

    _looked_after: bool
    _last_failure: str | None
    _quiet_until: float
    _requests: Requests

    def __enter__(self) -> Throttle:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Throttle of {'rules' if self.path is None else self.path}{', closed' if self.closed else ''}>"

    def close(self) -> None:
        """Ends it: checks raise :class:`ThrottleClosedError` from now on. What is held may still be released. Harmless again."""
        self._close()
        _refresh.closed(self)

    def guard(
        self,
        sql: str | bytes,
        *,
        user: str | bytes | None = None,
        client: str | bytes | None = None,
        database: str | bytes | None = None,
        tags: Mapping[str, str | bytes] | None = None,
        params: Iterable[object] | None = None,
        dialect: str | None = None,
        weight: int = 1,
        fakes: str | None = None,
    ) -> Guard:
        """A guard of a statement: ``with``, ``async with``, or a decorator of the function that runs it.

        It waits where a rule delays, by ``time.sleep`` or ``asyncio.sleep``, and gives back what the statement held, however it ends.
        What is said of the statement is as for :meth:`check`. With ``fakes``, one that is to be ignored is not refused, and
        :attr:`Guard.ignored` says so.

        Entering raises :class:`StatementAborted` where the statement is not to be sent.
        """
        asked: dict[str, Any] = {}
        # Mostly there is no more to say, and a call takes as long as it has arguments.
        if (
            weight != 1
            or user is not None
            or client is not None
            or database is not None
            or tags is not None
            or params is not None
            or dialect is not None
            or fakes is not None
        ):
            # Asked anew each time: parameters that can be read once are kept.
            asked = {
                "user": user,
                "client": client,
                "database": database,
                "tags": tags,
                "params": _kept(params),
                "dialect": dialect,
                "weight": weight,
                "fakes": fakes,
            }
        return Guard(
            self, functools.partial(self.check, sql, **asked), functools.partial(self._check_unsettled, sql, **asked)
        )

    def guard_request(
        self,
        *,
        user: str | bytes | None = None,
        client: str | bytes | None = None,
        database: str | bytes | None = None,
        tags: Mapping[str, str | bytes] | None = None,
    ) -> Guard:
        """A guard of a request, by the rules that say ``on: request``. Otherwise as :meth:`guard`."""
        asked: dict[str, Any] = {"user": user, "client": client, "database": database, "tags": tags}
        return Guard(
            self,
            functools.partial(self.check_request, **asked),
            functools.partial(self._check_request_unsettled, **asked),
        )

    def prepare(
        self,
        sql: str | bytes,
        *,
        user: str | bytes | None = None,
        client: str | bytes | None = None,
        database: str | bytes | None = None,
        tags: Mapping[str, str | bytes] | None = None,
        params: Iterable[object] | None = None,
        dialect: str | None = None,
        weight: int = 1,
        fakes: str | None = None,
    ) -> PreparedStatement:
        """Reads a statement once that is going to be checked many times, with all that every check of it is to go by."""
        return PreparedStatement(
            self,
            sql,
            user=user,
            client=client,
            database=database,
            tags=tags,
            params=_kept(params),
            dialect=dialect,
            weight=weight,
            fakes=fakes,
        )

    def reload(
        self, rules: Mapping[str, Any] | str | bytes | None = None, *, path: str | os.PathLike[str] | None = None
    ) -> int:
        """Puts other rules in force, all of them at once: their text, a mapping, or those of a file.

        What has been counted follows a rule's name, kind of limit and ``per``. The file that is watched stays the one that the throttle
        was opened with.

        :returns: the version of the set in force, which grows with every change.
        :raises RuleError: the rules have faults, or the file cannot be read; the rules before stay in force.
        """
        if (rules is None) == (path is None):
            raise TypeError("reload takes either rules or a path")
        return self._reload(_text(rules), False) if rules is not None else self._reload(os.fspath(cast(str, path)), True)

    def refresh(self) -> bool:
        """Looks at once whether the rule file has changed, and which thresholds of the provider are due.

        :returns: whether other rules are in force.
        :raises RuleError: the file is refused; the rules before stay in force.
        """
        changed = self._refresh() is not None
        self._renew_thresholds()
        return changed

    def admin(self, statement: str | bytes) -> dict[str, Any]:
        """Carries out an admin statement: ``SET GLOBAL sql_throttle_add_rule = '…'``, ``SET GLOBAL sql_throttle_remove_rule = '…'`` or
        ``SHOW GLOBAL sql_throttle_rules``. For an administrator alone, never with what an application sends.

        :returns: ``added`` or ``removed`` with the name of the rule, or ``version``, ``rules`` and ``removed``.
        :raises RuleError: it is none of these, or the rule has faults; nothing has changed then.
        """
        return cast("dict[str, Any]", json.loads(self._admin(statement)))

    def snapshot(self) -> dict[str, Any]:
        """The counters of each rule, and of the throttle; with a web middleware, of ``requests`` too. Times are in seconds."""
        snapshot = cast("dict[str, Any]", json.loads(self._snapshot()))
        if self._requests.is_counted:
            snapshot["requests"] = self._requests.snapshot()
        return snapshot

    def metrics(self) -> str:
        """All counters, as a page for Prometheus."""
        page = super().metrics()
        return page + self._requests.metrics() if self._requests.is_counted else page

    def top(self, most: int = 10) -> dict[str, Any]:
        """The statements that are sent most often, ``by_count``, and those that take most of the time that is recorded, ``by_time``."""
        return cast("dict[str, Any]", json.loads(self._top(most)))

    def _count_requests(self) -> Requests:
        """Called by web middleware: requests are counted from now on."""
        # Two threads that come first are to count with the same.
        self._requests.is_counted = True
        return self._requests

    def _start(self) -> None:
        """Called at the first check in a process."""
        if self._looked_after:
            _refresh.started(self)

    def _ask_provider(self, fingerprint: str) -> None:
        """Asks for the threshold of a fingerprint. However that ends, the engine knows what to go by afterwards."""
        provider = self.provider
        if provider is None or getattr(_asking, "is_asking", False):
            # One that sends SQL which it throttles itself would ask for ever.
            self._threshold_failed(fingerprint)
            return
        _asking.is_asking = True
        try:
            answer = threshold(provider(fingerprint))
            self._set_threshold(fingerprint, answer, getattr(provider, "time_to_live", _TIME_TO_LIVE))
        except Exception:
            self._threshold_failed(fingerprint)
            self._say_failure(fingerprint)
        except BaseException:
            # An interrupt is the program's.
            self._threshold_failed(fingerprint)
            raise
        finally:
            _asking.is_asking = False

    def _say_failure(self, fingerprint: str) -> None:
        now = time.monotonic()
        if now >= self._quiet_until:
            self._quiet_until = now + _QUIET
            LOGGER.warning(
                "the provider of thresholds could not be asked for %s; what it said before holds", fingerprint, exc_info=True
            )

    def _renew_thresholds(self) -> None:
        if self.provider is not None:
            for fingerprint in self._thresholds_due(_MAX_RENEWED):
                if self.closed:
                    return
                self._ask_provider(fingerprint)


def open(
    path: str | os.PathLike[str],
    *,
    provider: ThresholdProvider | None = None,
    clock: _native.ManualClock | None = None,
    refresh: bool = True,
) -> Throttle:
    """A throttle with the rules of a file, which is watched: changed rules are in force by themselves, as soon as ``watch`` says.

    The parameters are those of :class:`Throttle`. A thread that looks after the file is started at the first check of a process.

    :raises RuleError: the file cannot be read, or has faults; the message names all of them.
    """
    # As it is called from here: a program may go to another directory.
    return Throttle._made("", os.path.abspath(os.fspath(path)), provider, clock, refresh)


def _text(rules: Mapping[str, Any] | str | bytes) -> str | bytes:
    if isinstance(rules, os.PathLike) or isinstance(rules, str) and rules.endswith((".yml", ".yaml")) and len(rules.split()) == 1:
        raise TypeError("rules are text or a mapping, and not a path: sqlthrottle.open(path) reads a file")
    # JSON is YAML.
    return rules if isinstance(rules, (str, bytes)) else json.dumps(rules, ensure_ascii=False, allow_nan=False)


def _kept(params: Iterable[object] | None) -> Iterable[object] | None:
    """Bound values, to be read as often as is needed. What has none by place is for the check to refuse."""
    if params is None or isinstance(params, (str, bytes)):
        return params
    return params if isinstance(cast(object, params), Mapping) else list(params)
