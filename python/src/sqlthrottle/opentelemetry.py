"""What a throttle does, for OpenTelemetry: attributes of spans, which come by themselves, and instruments, which :func:`observe` makes.

Both need ``opentelemetry-api``, and nothing else of it.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Union

from opentelemetry import metrics, trace
from opentelemetry.metrics import CallbackOptions, Meter, Observation

from ._errors import ThrottleClosedError
from ._gate import must_be_throttle

if TYPE_CHECKING:
    from ._names import Verdict
    from ._native import Decision
    from ._throttle import Throttle

__all__ = ["mark", "observe"]

_Observed = Iterable[tuple[float, dict[str, str]]]
_Snapshot = dict[str, Any]
_Value = Union[str, float]


def mark(verdict: Verdict, decision: Decision, delay: float | None = None) -> None:
    """Sets attributes of the current span, where it is recorded: ``sqlthrottle.verdict``, ``.reason``, ``.rule``, ``.fingerprint``,
    ``.delay`` and ``.retry_after`` (seconds). Of several statements in a span, the last one that was not simply sent stays.

    The package calls it by itself, in programs that have imported ``opentelemetry.trace``, for all that is delayed, ignored or aborted.
    """
    span = trace.get_current_span()
    if span.is_recording():
        said: dict[str, _Value | None] = {
            "verdict": verdict.value,
            "reason": decision.reason.value,
            "rule": decision.rule,
            "fingerprint": decision.fingerprint,
            "delay": delay,
            "retry_after": decision.retry_after,
        }
        span.set_attributes({f"sqlthrottle.{name}": value for name, value in said.items() if value is not None})


def observe(throttle: Throttle, meter: Meter | None = None) -> None:
    """Makes instruments of what a throttle counts, which are read whenever metrics are collected. To be called once for a throttle.

    :param meter: whose instruments they are; that of the global provider, unless it is said.
    """
    from . import __version__

    must_be_throttle(throttle)
    meter = metrics.get_meter("sqlthrottle", __version__) if meter is None else meter
    counter, gauge = meter.create_observable_counter, meter.create_observable_up_down_counter
    seen = weakref.ref(throttle)
    for create, name, unit, description, values in (
        (counter, "decisions", "{check}", "Checks that a rule took part in, by what it said.", _decisions),
        (counter, "would", "{check}", "What rules that are only observed would have done.", _would),
        (gauge, "permits_in_use", "{place}", "Places held of a concurrency limit.", _in_use),
        (gauge, "waiting", "{statement}", "Statements that wait to be resumed.", _waiting),
        (counter, "wait_time", "s", "How long delayed statements have waited.", _wait_time),
        (counter, "requests", "{request}", "Requests that came to a web middleware.", _requests),
        (counter, "requests_refused", "{request}", "Requests that were refused, by what.", _requests_refused),
    ):
        create(f"sqlthrottle.{name}", [_callback(seen, values)], unit=unit, description=description)


def _callback(
    seen: weakref.ref[Throttle], values: Callable[[_Snapshot], _Observed]
) -> Callable[[CallbackOptions], Iterable[Observation]]:
    def observed(options: CallbackOptions) -> list[Observation]:
        throttle = seen()
        if throttle is None:
            return []
        try:
            snapshot = throttle.snapshot()
        except ThrottleClosedError:
            return []
        return [Observation(value, said) for value, said in values(snapshot)]

    return observed


def _decisions(snapshot: _Snapshot) -> _Observed:
    for rule in snapshot["rules"]:
        for verdict, counter in (("allow", "passed"), ("abort", "aborted"), ("ignore", "ignored"), ("delay", "delayed")):
            yield rule[counter], {"rule": rule["name"], "verdict": verdict}


def _would(snapshot: _Snapshot) -> _Observed:
    for rule in snapshot["rules"]:
        for verdict in ("abort", "ignore", "delay"):
            yield rule[f"would_{verdict}"], {"rule": rule["name"], "verdict": verdict}


def _in_use(snapshot: _Snapshot) -> _Observed:
    return [(rule["in_use"], {"rule": rule["name"]}) for rule in snapshot["rules"]]


def _waiting(snapshot: _Snapshot) -> _Observed:
    return [(snapshot["waiting"], {})]


def _wait_time(snapshot: _Snapshot) -> _Observed:
    return [(snapshot["wait_seconds"], {})]


def _requests(snapshot: _Snapshot) -> _Observed:
    return [(snapshot["requests"]["total"], {})] if "requests" in snapshot else []


def _requests_refused(snapshot: _Snapshot) -> _Observed:
    if "requests" in snapshot:
        for by, count in snapshot["requests"]["refused"].items():
            yield count, {"by": by}
