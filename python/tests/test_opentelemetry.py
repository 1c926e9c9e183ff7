"""Spans say what was not simply sent, and instruments what is counted."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import sqlthrottle
import sqlthrottle.opentelemetry

RULES = """
rules:
  - {name: refused, match: {tables: refused}, limit: {token_bucket: {capacity: 1, rate: 1/m}}}
  - {name: ignored, match: {tables: ignored}, limit: {block: true}, then: {strategy: ignore}}
  - {name: delayed, match: {tables: delayed}, limit: {block: true}, then: {strategy: delay, delay: 50ms}}
"""


@pytest.fixture
def throttle(monkeypatch: pytest.MonkeyPatch) -> sqlthrottle.Throttle:
    clock = sqlthrottle.ManualClock()
    monkeypatch.setattr(time, "sleep", clock.advance)
    return sqlthrottle.Throttle(RULES, clock=clock, refresh=False)


def span_of(work: Callable[[], Any]) -> ReadableSpan:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with provider.get_tracer("test").start_as_current_span("request"):
        work()
    return exporter.get_finished_spans()[0]


def said(span: ReadableSpan) -> dict[str, Any]:
    return {name: value for name, value in (span.attributes or {}).items() if name.startswith("sqlthrottle.")}


def test_a_refused_statement_is_in_its_span(throttle: sqlthrottle.Throttle) -> None:
    sql = "select secret from refused"
    throttle.check(sql)

    def work() -> None:
        with pytest.raises(sqlthrottle.StatementAborted), throttle.guard(sql):
            pass

    attributes = said(span_of(work))
    assert attributes.pop("sqlthrottle.retry_after") == pytest.approx(60, abs=1)
    assert attributes == {
        "sqlthrottle.verdict": "abort",
        "sqlthrottle.reason": "over_limit",
        "sqlthrottle.rule": "refused",
        "sqlthrottle.fingerprint": throttle.fingerprint(sql),
    }


def test_so_are_one_that_is_ignored_and_one_that_is_delayed(throttle: sqlthrottle.Throttle) -> None:
    def ignored() -> None:
        with throttle.guard("select 1 from ignored", fakes="rows") as guard:
            assert guard.ignored

    def delayed() -> None:
        with throttle.guard("select 1 from delayed"):
            pass

    assert said(span_of(ignored))["sqlthrottle.verdict"] == "ignore"
    attributes = said(span_of(delayed))
    assert attributes["sqlthrottle.verdict"] == "delay" and attributes["sqlthrottle.delay"] == pytest.approx(0.05)


def test_one_that_passes_leaves_nothing_and_looks_for_no_span(
    throttle: sqlthrottle.Throttle, monkeypatch: pytest.MonkeyPatch
) -> None:
    def looked() -> Any:
        raise AssertionError("it costs what nobody has asked for")

    def work() -> None:
        with monkeypatch.context() as patched:
            patched.setattr("opentelemetry.trace.get_current_span", looked)
            with throttle.guard("select 1"):
                pass

    assert said(span_of(work)) == {}


def test_no_span_is_no_error(throttle: sqlthrottle.Throttle) -> None:
    with throttle.guard("select 1 from ignored", fakes="rows") as guard:
        assert guard.ignored


def test_it_is_never_imported_for_a_program_without_it(run: Callable[..., str]) -> None:
    program = """
        import sys, sqlthrottle
        throttle = sqlthrottle.Throttle("rules: [{name: r, limit: {block: true}}]")
        try:
            with throttle.guard("select 1"): pass
        except sqlthrottle.StatementAborted:
            print([name for name in sys.modules if "telemetry" in name or "prometheus" in name])
    """
    assert run(program) == "[]\n"


def test_instruments_observe_the_throttle_and_keep_it_not_alive(throttle: sqlthrottle.Throttle) -> None:
    reader = InMemoryMetricReader()
    provider = MeterProvider([reader])
    sqlthrottle.opentelemetry.observe(throttle, provider.get_meter("test"))
    for _ in range(3):
        throttle.check("select 1 from refused")
    throttle.check("select 1 from delayed")
    throttle._count_requests().came()

    def observed(name: str, **attributes: str) -> Any:
        data = reader.get_metrics_data()
        for resource in data.resource_metrics if data else ():
            for metric in resource.scope_metrics[0].metrics:
                if metric.name == name:
                    return [point.value for point in metric.data.data_points if dict(point.attributes or {}) == attributes]
        return []

    assert observed("sqlthrottle.decisions", rule="refused", verdict="abort") == [2]
    assert observed("sqlthrottle.decisions", rule="refused", verdict="allow") == [1]
    assert observed("sqlthrottle.waiting") == [1]
    assert observed("sqlthrottle.requests") == [1]
    assert observed("sqlthrottle.requests_refused", by="statement") == [0]
    assert observed("sqlthrottle.would", rule="refused", verdict="abort") == [0]
    assert observed("sqlthrottle.permits_in_use", rule="refused") == [0]
    assert observed("sqlthrottle.wait_time") == [0]
    throttle.close()


def test_a_throttle_that_is_gone_is_not_observed() -> None:
    reader = InMemoryMetricReader()
    throttle = sqlthrottle.Throttle(RULES, refresh=False)
    sqlthrottle.opentelemetry.observe(throttle, MeterProvider([reader]).get_meter("test"))
    del throttle
    gc.collect()
    assert reader.get_metrics_data() is None


def test_a_closed_throttle_is_not_observed_and_no_error(caplog: pytest.LogCaptureFixture) -> None:
    reader = InMemoryMetricReader()
    throttle = sqlthrottle.Throttle(RULES, refresh=False)
    sqlthrottle.opentelemetry.observe(throttle, MeterProvider([reader]).get_meter("test"))
    throttle.close()
    assert reader.get_metrics_data() is None
    assert caplog.records == []
