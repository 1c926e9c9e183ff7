"""What a guarded connection asks by, and the places that its cursors hold."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from weakref import WeakSet

from .._exempt import is_exempt, or_blank
from .._gate import PASSED, Gate, Permit, Remembered
from .._names import Fakes, InTransaction
from .._throttle import Throttle
from ._traits import Traits

__all__ = ["DriverGuard", "Options", "Places"]

_COUNTS = (Fakes.COUNT, Fakes.ROWS_AND_COUNT)
# What may give a row a key. That the word stands elsewhere costs an ignored write its count, and it is refused.
_INSERT = re.compile(r"\b(?:insert|replace)\b", re.IGNORECASE)


def fakes_of_text(sql: str, most: Fakes) -> str:
    """What may be made up of a text whose cursor tells the key of a row that it inserts: nobody knows whether that is going to be read."""
    if most in _COUNTS and _INSERT.search(sql):
        return "rows" if most is Fakes.ROWS_AND_COUNT else "none"
    return most._value_


class Options:
    """What a connection or pool is to be guarded by.

    :raises ArgumentError: a name is none of those that there are.
    """

    def __init__(
        self,
        throttle: Throttle,
        traits: Traits,
        *,
        in_transaction: str = InTransaction.APPLY,
        fakes: str = Fakes.ROWS_AND_COUNT,
        dialect: str | None = None,
        database: str | None = None,
        exempt: Callable[[str], bool] | None = is_exempt,
    ) -> None:
        self.throttle = throttle
        self.database = database
        self._asked: dict[str, Any] = {
            "in_transaction": in_transaction,
            "fakes": fakes,
            "dialect": traits.dialect if dialect is None else dialect,
            "exempt": or_blank(exempt),
        }
        self.traits = traits
        self._guards: dict[str | None, DriverGuard] = {}
        self.guard(database)

    def guard(self, database: str | None) -> DriverGuard:
        """The guard of connections to a database. They share what is known of texts."""
        if self.database is not None:
            database = self.database
        guard = self._guards.get(database)
        if guard is None:
            gate = Gate(self.throttle, database=database, is_driver=True, **self._asked)
            guard = self._guards.setdefault(database, DriverGuard(gate, self.traits))
        return guard


class DriverGuard:
    """Of connections to one database."""

    __slots__ = ("_faked", "asks_transaction", "columns", "gate", "traits")

    def __init__(self, gate: Gate, traits: Traits) -> None:
        self.gate = gate
        self.traits = traits
        self.asks_transaction = gate.in_transaction is not InTransaction.APPLY
        self.columns: Remembered[Any] = Remembered()
        """How results of texts look, in the form in which the driver's cursor takes it."""
        self._faked: Remembered[str] = Remembered()

    def fakes_of(self, sql: str, is_batch: bool = False) -> str:
        """What may be made up of a statement whose sender sees no more of it than a cursor. A batch has no key that could be read."""
        most = self.gate.fakes
        if is_batch or not self.traits.reads_keys or most not in _COUNTS:
            return most._value_
        known = self._faked.get(sql)
        if known is None:
            return self._faked.put(sql, fakes_of_text(sql, most))
        return known


class Places:
    """The permits that cursors of one connection hold beyond an execution. Those of lost cursors are released by themselves."""

    __slots__ = ("_held", "_lasting")

    def __init__(self) -> None:
        self._held: WeakSet[Permit] = WeakSet()
        self._lasting: WeakSet[Permit] = WeakSet()

    def add(self, permit: Permit, outlasts_transaction: bool = False) -> None:
        if permit is not PASSED:
            (self._lasting if outlasts_transaction else self._held).add(permit)

    def transaction_ended(self) -> None:
        """Releases what goes with a transaction."""
        _release(self._held)

    def executed(self, traits: Traits, connection: Any) -> None:
        """Releases what goes with a transaction where a text has ended it, or has failed to."""
        if self._held and traits.is_idle(connection):
            self.transaction_ended()

    def closed(self) -> None:
        """Releases all."""
        _release(self._held)
        _release(self._lasting)


def _release(permits: WeakSet[Permit]) -> None:
    for permit in list(permits):
        permit.release()
    permits.clear()
