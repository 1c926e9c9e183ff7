"""What is raised. Each error has a ``code``, the same in every language, and none has the text of a statement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _told

if TYPE_CHECKING:
    from ._native import Decision
    from ._names import Reason

__all__ = ["ArgumentError", "RuleError", "SqlThrottleError", "StatementAborted", "ThrottleClosedError"]


class SqlThrottleError(Exception):
    """The base of all that sqlthrottle raises by itself."""

    code: str
    """What has happened, for programs: it stays the same while messages get better."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.code)


class RuleError(SqlThrottleError):
    """Rules were refused, and those before stay in force. The message names every fault, with its place and what would be right."""

    codes: tuple[str, ...]
    """The code of each fault, in the order of the file; ``("file.unreadable",)`` where it could not be read."""

    def __init__(self, message: str, codes: tuple[str, ...]) -> None:
        super().__init__(message, codes[0])
        self.codes = codes

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.codes)


class ArgumentError(SqlThrottleError, ValueError):
    """An argument is out of its range. One of the wrong type is a ``TypeError``."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "argument.value")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self),)


class ThrottleClosedError(SqlThrottleError):
    """The throttle was closed before."""

    def __init__(self) -> None:
        super().__init__("the throttle is closed", "throttle.closed")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()


class StatementAborted(SqlThrottleError):
    """A statement, or a request, is not to be sent. Nothing was: the connection and its transaction are as they were."""

    decision: Decision
    """Why."""

    def __init__(self, decision: Decision) -> None:
        self._set(decision)
        _told.aborted(decision)

    def _set(self, decision: Decision) -> None:
        super().__init__(_message(decision), "statement.aborted")
        self.decision = decision

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._again, (self.decision,)

    @classmethod
    def _again(cls, decision: Decision) -> StatementAborted:
        """Of a statement that was refused before, or elsewhere: nobody is told of it again."""
        error = cls.__new__(cls)
        error._set(decision)
        return error

    @property
    def rule(self) -> str | None:
        """The name of the rule that decided."""
        return self.decision.rule

    @property
    def fingerprint(self) -> str | None:
        """The fingerprint of the statement; none of a request."""
        return self.decision.fingerprint

    @property
    def reason(self) -> Reason:
        """Why."""
        return self.decision.reason

    @property
    def retry_after(self) -> float | None:
        """Seconds until a statement like this may pass again if none is tried meanwhile; none where no wait is known to help."""
        return self.decision.retry_after


def _message(decision: Decision) -> str:
    by = "" if decision.rule is None else f" by {decision.rule}"
    after = "" if decision.retry_after is None else f"; try again in {decision.retry_after:.3f} s"
    return f"the statement was refused{by}: {decision.reason}{after}"
