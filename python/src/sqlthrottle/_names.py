"""The names that verdicts, reasons and what statements say of themselves have in every language."""

from __future__ import annotations

from enum import Enum

__all__ = ["Dialect", "Fakes", "InTransaction", "Reason", "Strategy", "Verdict"]


class _Name(str, Enum):
    """A member is its name: it compares with it, and is printed so. (``enum.StrEnum`` is younger than Python 3.10.)"""

    def __str__(self) -> str:
        return str.__str__(self.value)

    def __format__(self, spec: str) -> str:
        return str.__format__(self.value, spec)


class Verdict(_Name):
    """What is to be done with a statement."""

    ALLOW = "allow"
    """Send it, and release what it holds once it has ended."""
    ABORT = "abort"
    """Do not send it; raise an error."""
    IGNORE = "ignore"
    """Do not send it; give the caller an empty result. Only where the caller has said what it can fake."""
    DELAY = "delay"
    """Wait for ``delay`` seconds, then ask :meth:`Throttle.resume`."""
    REFILL_NEEDED = "refill_needed"
    """Nothing is decided: a cluster is to be asked. No method of the public API answers so."""
    THRESHOLD_NEEDED = "threshold_needed"
    """Nothing is decided: a provider of thresholds is to be asked. No method of the public API answers so."""


class Reason(_Name):
    """Why the verdict is what it is."""

    ALLOWED = "allowed"
    """Within every limit, or over one of a rule that is only observed."""
    EXEMPT = "exempt"
    """A rule with ``unlimited`` exempts it from every other."""
    NOT_CHECKED = "not_checked"
    """The kind of statement is never checked: BEGIN, COMMIT, SET and the like."""
    PASSED_OVER = "passed_over"
    """Over a limit, and outside the share that the strategy is applied to."""
    OVER_LIMIT = "over_limit"
    """Over a limit."""
    BLOCKED = "blocked"
    """A rule with ``block`` lets nothing pass."""
    MAX_DELAYED = "max_delayed"
    """Over a limit, and as many statements are waiting as the rule allows."""
    MAX_DELAY = "max_delay"
    """Still over the limit after the longest wait that the rule allows, or the wait has lapsed."""
    IGNORE_UNAVAILABLE = "ignore_unavailable"
    """To be ignored, but what can be faked is no honest result of it."""
    NEVER = "never"
    """Its weight is above the limit, so no wait will help."""
    CLUSTER_DOWN = "cluster_down"
    """The cluster does not answer, and the rule says ``on_failure: closed``."""
    GUARD_ERROR = "guard_error"
    """The library itself has failed; the verdict is what the rule file's ``on_error`` says."""
    UNDECIDED = "undecided"
    """Nothing is decided yet: the verdict says what is needed."""
    OFF = "off"
    """The rule file says ``mode: off``."""


class Dialect(_Name):
    """How a statement is read."""

    GENERIC = "generic"
    MYSQL = "mysql"
    POSTGRESQL = "postgresql"
    SQLITE = "sqlite"
    MSSQL = "mssql"
    ORACLE = "oracle"


class Fakes(_Name):
    """What a caller can stand in for when a statement is ignored."""

    NONE = "none"
    """Nothing: a statement that is to be ignored is aborted."""
    ROWS = "rows"
    """An empty result set."""
    COUNT = "count"
    """A count of 0 affected rows."""
    ROWS_AND_COUNT = "rows_and_count"
    """Both."""


class Strategy(_Name):
    """What is done to a statement over the limit. A strategy of the host is the text ``custom:NAME``."""

    ABORT = "abort"
    IGNORE = "ignore"
    DELAY = "delay"


class InTransaction(_Name):
    """What rules may do to statements of an open transaction, which is one whose connection does not commit by itself.

    A statement that is refused leaves the transaction usable: it can still be committed, without that statement.
    """

    APPLY = "apply"
    """All that they say."""
    DELAY_ONLY = "delay_only"
    """Delay them, and no more: what would be refused or ignored is sent, and holds no place. Metrics count it as refused."""
    BYPASS = "bypass"
    """Nothing: they are not checked, and not counted."""
