"""The collector says what the page of the throttle says."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, generate_latest

import sqlthrottle
from sqlthrottle.prometheus import Collector

RULES = """
rules:
  - {name: 'a "b" \\ ü', match: {tables: a}, limit: {block: true}}
  - {name: one, match: {tables: b}, limit: {concurrency: {max: 1}}}
"""


def samples(page: str) -> list[str]:
    """The lines of a page that have values, in the form in which numbers compare."""
    found = []
    for line in page.splitlines():
        if line and not line.startswith("#"):
            name, _, value = line.rpartition(" ")
            found.append(f"{name} {float(value)}")
    return sorted(found)


def kinds(page: str) -> set[str]:
    return {line for line in page.splitlines() if line.startswith("# TYPE")}


def test_all_samples_and_kinds_are_those_of_the_page() -> None:
    throttle = sqlthrottle.Throttle(RULES, refresh=False)
    registry = CollectorRegistry()
    registry.register(Collector(throttle))
    for sql in ("select 1 from a", "select 2 from b", "select 3 from c"):
        throttle.check(sql)
    page = throttle.metrics()
    collected = generate_latest(registry).decode()
    assert samples(collected) == samples(page) and len(samples(page)) > 20
    assert kinds(collected) == kinds(page)
    assert registry.get_sample_value("sql_throttle_permits_in_use", {"rule": "one"}) == 1
    assert registry.get_sample_value("sql_throttle_decisions_total", {"rule": 'a "b" \\ ü', "verdict": "abort"}) == 1


def test_a_closed_throttle_has_no_samples_and_breaks_no_page() -> None:
    throttle = sqlthrottle.Throttle(RULES, refresh=False)
    registry = CollectorRegistry()
    registry.register(Collector(throttle))
    Counter("others", "Of the program.", registry=registry).inc()
    throttle.close()
    assert samples(generate_latest(registry).decode())[-1] == "others_total 1.0"
    assert registry.get_sample_value("sql_throttle_waiting") is None


def test_requests_are_there_once_a_middleware_is() -> None:
    throttle = sqlthrottle.Throttle(RULES, refresh=False)
    registry = CollectorRegistry()
    registry.register(Collector(throttle))
    assert registry.get_sample_value("sql_throttle_requests_total") is None and "requests" not in throttle.snapshot()
    requests = throttle._count_requests()
    assert throttle._count_requests() is requests
    for _ in range(4):
        requests.came()
    requests.refused(by_statement=True)
    requests.refused(by_statement=True)
    requests.refused(by_statement=False)
    assert registry.get_sample_value("sql_throttle_requests_total") == 4
    assert registry.get_sample_value("sql_throttle_requests_refused_total", {"by": "statement"}) == 2
    assert registry.get_sample_value("sql_throttle_requests_refused_total", {"by": "request"}) == 1
    assert samples(generate_latest(registry).decode()) == samples(throttle.metrics())
