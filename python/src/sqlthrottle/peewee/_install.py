"""Has databases ask, and ask no more."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false, reportMissingTypeStubs=false
# pyright: reportUnknownParameterType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import peewee

from .._errors import ArgumentError
from .._exempt import is_exempt, or_control
from .._gate import Gate
from .._names import Dialect, Fakes, InTransaction
from .._throttle import Throttle
from ._database import Guard, guarded_class

__all__ = ["install", "uninstall"]


def install(
    database: peewee.Database | peewee.Proxy,
    throttle: Throttle,
    *,
    in_transaction: str = InTransaction.APPLY,
    fakes: str = Fakes.ROWS_AND_COUNT,
    exempt: Callable[[str], bool] | None = is_exempt,
) -> None:
    """Has every statement of a database ask the throttle before it is sent; again, with other options.

    It reaches all connections that the database makes and has made, in every thread and task.

    :param database: also one that is told later where it is, or a proxy that is told later what it stands for.
    :param in_transaction: what rules may do within a transaction; see :class:`InTransaction`.
    :param fakes: the most that is made up of an ignored statement; with less than it needs, the statement is refused.
    :param exempt: which texts are never checked. By default definitions, looks at the catalog, and tests of connections.
    :raises ArgumentError: the database has another throttle.
    """
    installation = _Installation(throttle, in_transaction, fakes, or_control(exempt))
    target: Any = database
    if isinstance(target, peewee.Proxy):
        _forget(target)
        if target.obj is not None:
            installation(target.obj)
        cast(Any, target).attach_callback(installation)
    elif isinstance(target, peewee.Database):
        installation(target)
    else:
        raise TypeError(f"a database of peewee, and not {type(database).__name__}")


def uninstall(database: peewee.Database | peewee.Proxy) -> bool:
    """Has a database ask no more. What streams holds its place until it ends.

    :returns: whether it did ask before.
    """
    if isinstance(database, peewee.Proxy):
        forgotten = _forget(database)
        return (database.obj is not None and _restore(database.obj)) or forgotten
    return _restore(database)


class _Installation:
    """What one call of :func:`install` has said; a proxy calls it with what it comes to stand for."""

    def __init__(self, throttle: Throttle, in_transaction: str, fakes: str, exempt: Callable[[str], bool]) -> None:
        self.throttle = throttle
        self._in_transaction = in_transaction
        self._fakes = fakes
        self._exempt = exempt
        # Options that are out of range are told at once.
        self._gate(None, None)

    def __call__(self, database: Any) -> None:
        if database is None:
            return
        before = getattr(type(database), "_sqlthrottle_installation", None)
        if before is not None and before.throttle is not self.throttle:
            raise ArgumentError("the database asks another throttle; uninstall it first")
        _restore(database)
        dialect = _dialect_of(database)
        contents = {
            "_sqlthrottle_base": type(database),
            "_sqlthrottle_installation": self,
            "_sqlthrottle_guard": Guard(lambda name: self._gate(dialect, name), tells_keys=dialect is not Dialect.POSTGRESQL),
        }
        database.__class__ = guarded_class(type(database), contents)

    def _gate(self, dialect: str | None, database: str | None) -> Gate:
        return Gate(
            self.throttle,
            in_transaction=self._in_transaction,
            fakes=self._fakes,
            dialect=dialect,
            database=database,
            exempt=self._exempt,
        )


def _dialect_of(database: Any) -> Dialect | None:
    for known, dialect in (
        (peewee.SqliteDatabase, Dialect.SQLITE),
        (peewee.PostgresqlDatabase, Dialect.POSTGRESQL),
        (peewee.MySQLDatabase, Dialect.MYSQL),
    ):
        if isinstance(database, known):
            return dialect
    return None


def _restore(database: Any) -> bool:
    base = getattr(type(database), "_sqlthrottle_base", None)
    if base is None:
        return False
    database.__class__ = base
    return True


def _forget(proxy: Any) -> bool:
    """Has a proxy not tell any more what it stands for."""
    before = len(proxy._callbacks)
    proxy._callbacks[:] = [callback for callback in proxy._callbacks if not isinstance(callback, _Installation)]
    return len(proxy._callbacks) < before
