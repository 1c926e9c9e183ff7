"""A collector for ``prometheus_client``: what the page of a throttle says, among the metrics of the program."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector as _Collector

from ._errors import ThrottleClosedError
from ._gate import must_be_throttle

if TYPE_CHECKING:
    from ._throttle import Throttle

__all__ = ["Collector"]


class Collector(_Collector):
    """Of one throttle: ``REGISTRY.register(Collector(throttle))``.

    Metrics, names, labels and values are those of :meth:`Throttle.metrics`, as they are when they are asked for. Two throttles have
    two registries, as their metrics have the same names.
    """

    def __init__(self, throttle: Throttle) -> None:
        must_be_throttle(throttle)
        self._throttle = throttle

    def collect(self) -> Iterable[Metric]:
        """The metrics as they are now; none of a throttle that is closed, as those of others are on the same page."""
        try:
            page = self._throttle.metrics()
        except ThrottleClosedError:
            return []
        return list(text_string_to_metric_families(page))
