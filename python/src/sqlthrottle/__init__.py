"""Stops bursts of SQL before they reach a database.

::

    throttle = sqlthrottle.open("sqlthrottle.yml")

    with throttle.guard(sql, user="dev"):   # waits where a rule delays, raises StatementAborted where one refuses
        run(sql)

    decision = throttle.check(sql)          # does not wait

``docs/python.md`` leads through all of it.
"""

from ._context import context
from ._errors import ArgumentError, RuleError, SqlThrottleError, StatementAborted, ThrottleClosedError
from ._guard import Guard
from ._names import Dialect, Fakes, InTransaction, Reason, Strategy, Verdict
from ._native import VERSION as __version__
from ._native import Decision, ManualClock, SlidingWindow
from ._threshold import Threshold, ThresholdAnswer, ThresholdProvider
from ._throttle import PreparedStatement, Throttle, open

__all__ = [
    "ArgumentError",
    "Decision",
    "Dialect",
    "Fakes",
    "Guard",
    "InTransaction",
    "ManualClock",
    "PreparedStatement",
    "Reason",
    "RuleError",
    "SlidingWindow",
    "SqlThrottleError",
    "StatementAborted",
    "Strategy",
    "Threshold",
    "ThresholdAnswer",
    "ThresholdProvider",
    "Throttle",
    "ThrottleClosedError",
    "Verdict",
    "__version__",
    "context",
    "open",
]
