"""What all integrations share: a statement goes in, and passes, is ignored, or raises. Each of them only knows where its driver sends one.

An integration asks :meth:`Gate.enter`, or one of its kind, before it sends a statement, sends it under :meth:`Gate.sending`, and
releases the permit that it was given once the statement, or what it streams, has ended.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Coroutine, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, Token
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, Union, cast

from . import _told
from ._errors import ArgumentError, StatementAborted
from ._exempt import COMMENT, is_exempt
from ._names import Dialect, Fakes, InTransaction, Verdict
from ._native import Engine
from ._settle import settle, settle_async

if TYPE_CHECKING:
    from ._native import Decision
    from ._throttle import PreparedStatement, Throttle

    _Known = Union[PreparedStatement, Literal[False]]

__all__ = [
    "DECIDED",
    "IGNORED",
    "LAYERS",
    "PASSED",
    "Gate",
    "Permit",
    "Remembered",
    "decided",
    "dialect_of",
    "in_order",
    "must_be_throttle",
    "sent",
    "undecided",
    "unset",
]

_V = TypeVar("_V")
_E = TypeVar("_E", bound=Enum)
_Params = Union[Collection[Any], Mapping[str, Any], None]

_ALLOW = Verdict.ALLOW

# Strings, quoted names and comments are passed over, as what looks like a place in one is none; so is a cast, whose colons are two.
_PLACES = re.compile(rf"""'[^']*'|"[^"]*"|`[^`]*`|{COMMENT}|::|%\((\w+)\)s|[:@$](\w+)""")

_DIALECTS = {
    "mysql": Dialect.MYSQL,
    "mariadb": Dialect.MYSQL,
    "postgresql": Dialect.POSTGRESQL,
    "postgres": Dialect.POSTGRESQL,
    "cockroachdb": Dialect.POSTGRESQL,
    "sqlite": Dialect.SQLITE,
    "mssql": Dialect.MSSQL,
    "oracle": Dialect.ORACLE,
}

DECIDED: ContextVar[tuple[object, ...]] = ContextVar("sqlthrottle-decided", default=())
"""The throttles that a layer above has asked for the statement that is being sent: one layer counts."""

LAYERS: set[str] = set()
"""Of which kinds there are gates that others may stand above. While there are none, nothing is marked, which costs."""


class Permit:
    """What a statement holds while it runs, or streams. It is released once; a lost one is released when it is collected."""

    __slots__ = ("__weakref__", "_decision", "_throttle")

    def __init__(self, throttle: Throttle, decision: Decision) -> None:
        self._throttle: Throttle | None = throttle
        self._decision = decision

    def release(self) -> None:
        """Gives back what is held. Harmless again, from any thread, and never raises."""
        throttle, self._throttle = self._throttle, None
        if throttle is not None:
            throttle.release(self._decision)

    def __del__(self) -> None:
        self.release()


class _Nothing(Permit):
    """A permit that holds nothing."""

    __slots__ = ()

    def __init__(self) -> None:
        self._throttle = None

    def release(self) -> None:
        pass


PASSED = _Nothing()
"""The permit of a statement that is to be sent and holds nothing."""
IGNORED = _Nothing()
"""The permit of a statement that is not to be sent, and whose caller gets an empty result."""


def must_be_throttle(throttle: object) -> None:
    """Says so where it is put in, and not at the first statement.

    :raises TypeError: it is something else, as the path of a rule file.
    """
    if not isinstance(throttle, Engine):
        raise TypeError(f"throttle is a Throttle, as sqlthrottle.open(path) returns one, and not {type(throttle).__name__}")


class Gate:
    """Of one engine, connection or pool.

    :param in_transaction: what rules may do to statements of an open transaction; see :class:`InTransaction`.
    :param fakes: the most that may be made up of an ignored statement.
    :param dialect: how statements are read, where it differs from that of the rules.
    :param database: where statements are sent to.
    :param exempt: which texts are never checked, or none for no text at all.
    :param is_driver: whether it stands before a driver, so that another layer may stand above it.
    """

    __slots__ = ("_dialect", "_exempt", "_known", "database", "fakes", "in_transaction", "throttle")

    def __init__(
        self,
        throttle: Throttle,
        *,
        in_transaction: str = InTransaction.APPLY,
        fakes: str = Fakes.ROWS_AND_COUNT,
        dialect: str | None = None,
        database: str | None = None,
        exempt: Callable[[str], bool] | None = is_exempt,
        is_driver: bool = False,
    ) -> None:
        must_be_throttle(throttle)
        self.throttle = throttle
        self.in_transaction = _named(InTransaction, "in_transaction", in_transaction)
        self.fakes = _named(Fakes, "fakes", fakes)
        self._dialect = None if dialect is None else _named(Dialect, "dialect", dialect)
        self.database = database
        self._exempt = exempt
        # By what can be faked: a text may be sent by those who can and by those who cannot.
        self._known: dict[str, Remembered[_Known]] = {name.value: Remembered() for name in Fakes}
        if is_driver:
            LAYERS.add("driver")

    def enter(
        self,
        sql: str,
        fakes: str = "none",
        weight: int = 1,
        params: _Params = None,
        in_transaction: bool = False,
    ) -> Permit:
        """Decides on a statement, and waits by ``time.sleep`` where a rule delays it.

        :param fakes: the plain name of one of :class:`Fakes`.
        :param params: bound values, in the order of their places or by name.
        :returns: what is to be released, or :data:`IGNORED`, which only comes where ``fakes`` was given.
        :raises StatementAborted: it is not to be sent.
        """
        known = self._look_up(sql, fakes, in_transaction)
        if known is None:
            return PASSED
        if weight == 1 and (not params or not self.throttle.reads_params):
            decision = known._unless_passed()
            if decision is None:
                return PASSED
        else:
            decision = self.throttle.check(sql, **self._asked(sql, fakes, weight, params))
        return self.carried_on(decision, in_transaction)

    async def enter_async(
        self,
        sql: str,
        fakes: str = "none",
        weight: int = 1,
        params: _Params = None,
        in_transaction: bool = False,
    ) -> Permit:
        """As :meth:`enter`, but it waits by the loop's own sleep, and a worker thread does what may block."""
        known = self._look_up(sql, fakes, in_transaction)
        if known is None:
            return PASSED
        decision, ask = self._check_unsettled(known, sql, fakes, weight, params)
        if decision is None:
            return PASSED
        return self._permit(await settle_async(self.throttle, decision, ask), in_transaction)

    def enter_by(
        self,
        run: Callable[[Coroutine[Any, Any, Decision]], Decision],
        sql: str,
        fakes: str = "none",
        weight: int = 1,
        params: _Params = None,
        in_transaction: bool = False,
    ) -> Permit:
        """As :meth:`enter_async`, for a caller that is no coroutine, but can have one run to its end."""
        known = self._look_up(sql, fakes, in_transaction)
        if known is None:
            return PASSED
        decision, ask = self._check_unsettled(known, sql, fakes, weight, params)
        if decision is None:
            return PASSED
        if decision.verdict is not _ALLOW:
            decision = run(settle_async(self.throttle, decision, ask))
        return self._permit(decision, in_transaction)

    def carried_on(self, decision: Decision, in_transaction: bool = False) -> Permit:
        """As :meth:`enter` goes on from what a check has decided."""
        return self._permit(settle(self.throttle, decision), in_transaction)

    def is_decided(self) -> bool:
        """Whether a layer above has asked for what is being sent."""
        above = DECIDED.get()
        return bool(above) and self.throttle in above

    def known(self, sql: str, fakes: str) -> PreparedStatement | None:
        """A text as it was read at its first sight; none where it is exempt, or was not seen."""
        return self._known[fakes].get(sql) or None

    def sending(self) -> Token[tuple[object, ...]] | None:
        """Says that what is sent from here on, until :func:`sent`, was decided, so that no layer beneath counts it again."""
        return DECIDED.set((*DECIDED.get(), self.throttle)) if LAYERS else None

    def reads_rows(self, sql: str) -> bool:
        """Whether it is an empty set of rows that stands in for an ignored text, and not a count."""
        return self.throttle.prepare(sql, dialect=self._dialect, fakes=Fakes.ROWS_AND_COUNT).faked == Fakes.ROWS

    def _look_up(self, sql: str, fakes: str, in_transaction: bool) -> PreparedStatement | None:
        """A text as it was read at its first sight; none where it is not to be asked about here."""
        if self.is_decided():
            return None
        if in_transaction and self.in_transaction is InTransaction.BYPASS:
            return None
        texts = self._known[fakes]
        known = texts.get(sql)
        if known is None:
            if self._exempt is not None and self._exempt(sql):
                known = texts.put(sql, False)
            else:
                known = texts.put(
                    sql, self.throttle.prepare(sql, database=self.database, dialect=self._dialect, fakes=fakes)
                )
        return known or None

    def _check_unsettled(
        self, known: PreparedStatement, sql: str, fakes: str, weight: int, params: _Params
    ) -> tuple[Decision | None, Callable[[], Decision]]:
        if weight == 1 and (not params or not self.throttle.reads_params):
            return known._unless_passed_unsettled(), known.check
        asked = self._asked(sql, fakes, weight, params)
        return self.throttle._check_unsettled(sql, **asked), functools.partial(self.throttle.check, sql, **asked)

    def _asked(self, sql: str, fakes: str, weight: int, params: _Params) -> dict[str, Any]:
        if params is not None and not self.throttle.reads_params:
            params = None
        return {
            "database": self.database,
            "params": None if params is None else _by_place(sql, params),
            "dialect": self._dialect,
            "weight": weight,
            "fakes": fakes,
        }

    def _permit(self, decision: Decision, in_transaction: bool) -> Permit:
        verdict = decision.verdict
        if verdict is _ALLOW:
            return Permit(self.throttle, decision) if decision.has_permit else PASSED
        if in_transaction and self.in_transaction is InTransaction.DELAY_ONLY:
            return PASSED
        if verdict is Verdict.IGNORE:
            _told.ignored(decision)
            return IGNORED
        raise StatementAborted(decision)


def sent(token: Token[tuple[object, ...]] | None) -> None:
    """Ends what :meth:`Gate.sending` began."""
    if token is not None:
        unset(DECIDED, token)


@contextmanager
def decided(throttle: Throttle) -> Generator[None, None, None]:
    """No integration asks this throttle for what is sent within."""
    token = DECIDED.set((*DECIDED.get(), throttle))
    try:
        yield
    finally:
        unset(DECIDED, token)


@contextmanager
def undecided() -> Generator[None, None, None]:
    """What is sent within is another statement than the one that is being sent: a caller's code is run in the middle of that."""
    token = DECIDED.set(())
    try:
        yield
    finally:
        unset(DECIDED, token)


def unset(variable: ContextVar[_V], token: Token[_V]) -> None:
    """Has a variable be as it was before it was set, also in a coroutine that nobody waits for any more: it is closed from anywhere, where
    that was never set."""
    # Each statement comes here, and `suppress` would take longer.
    try:
        variable.reset(token)
    except ValueError:
        pass


def dialect_of(name: str) -> Dialect | None:
    """The dialect of a database, by the name that Python libraries have for it; none where the rules are to say it."""
    return _DIALECTS.get(name.lower())


def in_order(sql: str, params: Mapping[str, Any]) -> list[Any]:
    """Bound values in the order of their places, of those that are given by name: ``%(name)s``, ``:name``, ``@name`` or ``$name``."""
    places = (found[1] or found[2] for found in _PLACES.finditer(sql))
    return [params[name] for name in places if name in params]


class Remembered(Generic[_V]):
    """What is known of texts. Bounded: it forgets all where there are too many, and takes no long ones."""

    __slots__ = ("_known", "get")

    MOST = 2_000
    LONGEST = 8_192
    """Characters of a text."""

    def __init__(self) -> None:
        self._known: dict[str, _V] = {}
        self.get = self._known.get

    def put(self, sql: str, value: _V) -> _V:
        if len(sql) <= self.LONGEST:
            if len(self._known) >= self.MOST:
                self._known.clear()
            self._known[sql] = value
        return value


def _by_place(sql: str, params: Collection[Any] | Mapping[str, Any]) -> Collection[Any] | None:
    if isinstance(params, Mapping):
        return in_order(sql, cast("Mapping[str, Any]", params))
    # To some drivers a text is a value, to others a value for each letter.
    return None if isinstance(params, (str, bytes)) else params


def _named(names: type[_E], parameter: str, value: str) -> _E:
    try:
        return names(value)
    except ValueError:
        listed = ", ".join(name.value for name in names)
        raise ArgumentError(f"{parameter} is one of {listed}, and not {value!r}") from None
