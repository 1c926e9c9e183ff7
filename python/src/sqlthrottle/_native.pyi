from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from os import PathLike
from typing import Any, ClassVar, final

from typing_extensions import Self, disjoint_base

from ._names import Reason, Verdict
from ._threshold import Threshold

__all__ = ["VERSION", "Context", "Decision", "Engine", "ManualClock", "Prepared", "SlidingWindow", "run", "set_ambient"]

VERSION: str

def run(arguments: list[str], /) -> int:
    """Runs the command with its arguments, the first of which is its name, and returns its exit code."""

def set_ambient(get: Callable[[], Context | None], /) -> None:
    """Says by which call the context of the caller is found."""

@final
class Context:
    """Who sends statements, and where to: what is said here, and else what the outer one says."""

    def __new__(
        cls,
        outer: Context | None,
        user: str | bytes | None,
        client: str | bytes | None,
        database: str | bytes | None,
        tags: Mapping[str, str | bytes] | None,
        /,
    ) -> Self: ...

@final
class Decision:
    """The answer to a check. It does not change, and is neither true nor false: ask for ``verdict`` or ``allowed``.

    Decisions compare by all that they say, and may be pickled; to be released or resumed they must be the process's own.
    """

    __hash__: ClassVar[Callable[[object], int]]
    def __eq__(self, other: object, /) -> bool: ...
    def __bool__(self) -> bool: ...
    @property
    def verdict(self) -> Verdict:
        """What is to be done with the statement."""

    @property
    def reason(self) -> Reason:
        """Why."""

    @property
    def observed(self) -> Verdict | None:
        """What rules that are only observed would have done; none where they would have let it pass."""

    @property
    def allowed(self) -> bool:
        """Whether the verdict is to send it."""

    @property
    def fingerprint(self) -> str | None:
        """The hexadecimal digits of the fingerprint; none of a request, and where the statement was not read."""

    @property
    def rule(self) -> str | None:
        """The name of the rule that decided; none where no rule matched."""

    @property
    def count(self) -> int:
        """What the limiter of the rule counts: attempts or statements in its window, tokens that are spent, places that are held."""

    @property
    def limit(self) -> int:
        """The limit that the count is held against; 0 where no rule matched, and of a rule that counts nothing."""

    @property
    def retry_after(self) -> float | None:
        """Seconds until a statement of this shape and weight may pass again if none is tried meanwhile.

        None where this one is within the limit, and where no wait is known to help.
        """

    @property
    def delay(self) -> float | None:
        """Seconds to wait before it is resumed; only where the verdict is to delay."""

    @property
    def overflow(self) -> bool:
        """Whether the limiter is the one that keys beyond ``max_keys`` share."""

    @property
    def custom(self) -> str | None:
        """The strategy of the host that is to decide, where a rule says ``custom:NAME``: the verdict holds where it is not known."""

    @property
    def has_permit(self) -> bool:
        """Whether the statement holds anything that is to be released."""

    @property
    def has_ticket(self) -> bool:
        """Whether the statement waits, and is to be resumed or given up."""

    @staticmethod
    def _restore(
        verdict: str,
        reason: str,
        observed: str | None,
        overflow: bool,
        fingerprint: str | None,
        rule: str | None,
        counts: tuple[int, int],
        spans: tuple[timedelta | None, timedelta | None],
        numbers: tuple[int, int],
        custom: str | None,
        /,
    ) -> Decision:
        """A decision of what a pickled one consists of."""

@disjoint_base
class Engine:
    """What a throttle is made of."""

    def __new__(
        cls, source: str | bytes | PathLike[str], is_path: bool, asks_provider: bool, clock: ManualClock | None, /
    ) -> Self: ...
    def check(
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
    ) -> Decision:
        """Decides on a statement. It does not wait, and what is allowed is to be given to ``release`` once it has ended.

        :param user: who sends it, and ``client`` from which address, and ``database`` to which; else as ``context`` says.
        :param tags: what else rules match and count by, such as an endpoint or a tenant.
        :param params: bound parameters in the order of their places, for rules that look at columns.
        :param dialect: a ``Dialect``, where it differs from that of the rules.
        :param weight: how many executions it stands for.
        :param fakes: what the caller can stand in for, as ``Fakes``; nothing, unless it is said.
        :raises ThrottleClosedError: the throttle is closed.
        """

    def _check_unsettled(self, sql: str | bytes, **said: Any) -> Decision:
        """As ``check``, but where more is to be asked for that may block, the verdict says so."""

    def check_request(
        self,
        *,
        user: str | bytes | None = None,
        client: str | bytes | None = None,
        database: str | bytes | None = None,
        tags: Mapping[str, str | bytes] | None = None,
    ) -> Decision:
        """Decides on a request, by the rules that say ``on: request``: for gateways and web filters."""

    def _check_request_unsettled(
        self,
        *,
        user: str | bytes | None = None,
        client: str | bytes | None = None,
        database: str | bytes | None = None,
        tags: Mapping[str, str | bytes] | None = None,
    ) -> Decision:
        """As ``check_request``, but where more is to be asked for that may block, the verdict says so."""

    def resume(self, decision: Decision, /) -> Decision:
        """Decides on a statement whose wait is over. It may be refused, and it may have to wait on.

        A decision to delay is good for one call, until five seconds after it was due; a later call is answered with abort. Of any
        other decision, that decision is the answer.
        """

    def _resume_unsettled(self, decision: Decision, /) -> Decision:
        """As ``resume``, but where more is to be asked for that may block, the verdict says so."""

    def release(self, decision: Decision, /) -> bool:
        """Gives back what a statement held while it ran, once it has ended, however it has.

        Harmless otherwise, and never raises: of any other decision, a second time, too late, or after ``close``.

        :returns: whether there was something to give back.
        """

    def give_up(self, decision: Decision, /) -> bool:
        """Ends the wait of a statement that will not be resumed: another may wait in its place at once.

        Harmless otherwise, and never raises, as ``release``.

        :returns: whether there was a wait to end.
        """

    def _reload(self, source: str | bytes | PathLike[str], is_path: bool, /) -> int:
        """Puts other rules in force, and returns their version."""

    def _refresh(self) -> int | None:
        """The version of the rules where they have changed."""

    def _watch(self) -> float:
        """Seconds between two looks at the file; 0 for none."""

    def _after_fork(self) -> None:
        """To be called in a child after a fork."""

    def _close(self) -> None:
        """No check is answered any more."""

    @property
    def closed(self) -> bool:
        """Whether it was closed."""

    @property
    def version(self) -> int:
        """The version of the rules in force, which grows with every change."""

    @property
    def reads_params(self) -> bool:
        """Whether a rule looks at bound parameters."""

    def _admin(self, statement: str | bytes, /) -> str:
        """The answer to an admin statement, as JSON."""

    def _snapshot(self) -> str:
        """All counters, as JSON."""

    def metrics(self) -> str:
        """All counters, as a page for Prometheus."""

    def _top(self, most: int, /) -> str:
        """The statements that are sent most, as JSON."""

    def fingerprint(self, sql: str | bytes, *, dialect: str | None = None) -> str:
        """What statements have in common that differ in constants, comments and white space alone: hexadecimal digits."""

    def normalize(self, sql: str | bytes, *, dialect: str | None = None) -> str:
        """The text that the fingerprint is the hash of; bytes of it that are no UTF-8 are replaced."""

    def _normalize_bytes(self, sql: str | bytes, /, *, dialect: str | None = None) -> bytes:
        """As ``normalize``, to the byte."""

    def record_duration(self, statement: Decision | str, duration: float | timedelta, /) -> None:
        """Takes note of how long a statement took to run, in seconds, by its decision or its fingerprint."""

    def _set_threshold(self, fingerprint: str, threshold: Threshold | None, time_to_live: float | timedelta, /) -> None:
        """What a provider says of a fingerprint."""

    def _threshold_failed(self, fingerprint: str, /) -> None:
        """That a provider could not be asked for a fingerprint."""

    def _thresholds_due(self, most: int, /) -> list[str]:
        """The fingerprints for which a provider is to be asked again."""

@disjoint_base
class Prepared:
    """A text that was read once, with what is said of it."""

    def __new__(cls, throttle: Engine, sql: str | bytes, /, **said: Any) -> Self: ...
    def check(self, *, weight: int | None = None, fakes: str | None = None) -> Decision:
        """Decides on the statement, by what it was prepared with where nothing else is said. Otherwise as ``Throttle.check``."""

    def _check_unsettled(self, *, weight: int | None = None, fakes: str | None = None) -> Decision:
        """As ``check``, but where more is to be asked for that may block, the verdict says so."""

    def _unless_passed(self) -> Decision | None:
        """As ``check`` by what it was prepared with; none where it is allowed and holds nothing: then there is nothing more to do."""

    def _unless_passed_unsettled(self) -> Decision | None:
        """As ``_unless_passed``, but where more is to be asked for that may block, the verdict says so."""

    @property
    def faked(self) -> str:
        """What is to be stood in for where it is ignored, as ``Fakes``."""

    @property
    def throttle(self) -> Engine:
        """The throttle that has prepared it."""

@final
class ManualClock:
    """A clock that moves only when told to, for tests."""

    def __new__(cls) -> Self: ...
    @property
    def now(self) -> float:
        """Seconds since it was made."""

    def advance(self, span: float | timedelta, /) -> None:
        """Moves it forward by so many seconds, and the time of day with it.

        :raises ArgumentError: the span is negative.
        """

    def set_wall(self, time: datetime, /) -> None:
        """Sets the time of day, by which rules expire; it begins at 1970 UTC.

        :raises ArgumentError: the time has no time zone.
        """

@final
class SlidingWindow:
    """Counts events of any kind as thresholds count statements. Threads may share it.

    :param window: seconds.
    :param buckets: in how many parts the window is counted: more are finer.
    :raises ArgumentError: the window or the buckets are out of their bounds.
    """

    def __new__(cls, window: float | timedelta, buckets: int = 12, *, clock: ManualClock | None = None) -> Self: ...
    def record(self) -> int:
        """Records an event, and says how many count now, with this one."""

    def count(self) -> int:
        """How many events count now: all of the last ``window`` seconds, and at most one bucket more."""

    def reset(self) -> None:
        """Forgets all events."""
