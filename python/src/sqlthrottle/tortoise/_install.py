"""Has connections ask, and ask no more."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tortoise.backends.base.client import BaseDBAsyncClient
from tortoise.connection import ConnectionHandler, get_connections
from tortoise.context import TortoiseContext

from .._errors import ArgumentError
from .._exempt import is_exempt, or_control
from .._gate import Gate, dialect_of
from .._names import Fakes, InTransaction
from .._throttle import Throttle
from ._client import ClientGuard

__all__ = ["install", "uninstall"]


def install(
    target: str | TortoiseContext | ConnectionHandler | BaseDBAsyncClient,
    throttle: Throttle,
    *,
    in_transaction: str = InTransaction.APPLY,
    fakes: str = Fakes.ROWS_AND_COUNT,
    exempt: Callable[[str], bool] | None = is_exempt,
) -> None:
    """Has every statement of a connection ask the throttle before it is sent; again, with other options.

    It reaches the transactions of the connection, and what it is replaced by where another loop uses it.

    :param target: the name of a connection of the current context, or what has connections, for all of them; or a client.
    :param in_transaction: what rules may do within a transaction; see :class:`InTransaction`.
    :param fakes: the most that is made up of an ignored statement; with less than it needs, the statement is refused.
    :param exempt: which texts are never checked. By default definitions, looks at the catalog, tables of migration tools, and tests
        of connections. What migrations of Tortoise send never is.
    :raises ArgumentError: a connection has another throttle, or there is none of such a name.
    """
    installation = _Installation(throttle, in_transaction, fakes, or_control(exempt))
    if isinstance(target, BaseDBAsyncClient):
        for client in _with_parents(target):
            installation.guard(client)
        return
    handler, names = _connections(target)
    for name in names:
        for client in _with_parents(handler.get(name)):
            installation.guard(client)
    _replacing(handler).update(dict.fromkeys(names, installation))


def uninstall(target: str | TortoiseContext | ConnectionHandler | BaseDBAsyncClient) -> bool:
    """Has a connection ask no more, nor its transactions.

    :returns: whether it did ask before.
    """
    if isinstance(target, BaseDBAsyncClient):
        return any([_restore(client) for client in _with_parents(target)])
    handler, names = _connections(target)
    removed = False
    for name in names:
        removed |= any([_restore(client) for client in _with_parents(handler.get(name))])
        if isinstance(handler, _GuardedHandler):
            _replacing(handler).pop(name, None)
    return removed


class _Installation:
    """What one call of :func:`install` has said."""

    def __init__(self, throttle: Throttle, in_transaction: str, fakes: str, exempt: Callable[[str], bool]) -> None:
        self._throttle = throttle
        self._in_transaction = in_transaction
        self._fakes = fakes
        self._exempt = exempt

    def guard(self, client: Any) -> None:
        before = _guard_of(client)
        if before is not None and before.gate is not None and before.gate.throttle is not self._throttle:
            raise ArgumentError("the connection asks another throttle; uninstall it first")
        _restore(client)
        origin = getattr(client, "_parent", client)
        database = getattr(origin, "database", None) or getattr(origin, "filename", None)
        gate = Gate(
            self._throttle,
            in_transaction=self._in_transaction,
            fakes=self._fakes,
            dialect=dialect_of(client.capabilities.dialect),
            database=None if database is None else str(database),
            exempt=self._exempt,
        )
        ClientGuard(gate).put_in(client)


class _GuardedHandler(ConnectionHandler):
    """Makes connections that ask, where they are to."""

    _sqlthrottle_installations: dict[str, _Installation]

    def _create_connection(self, conn_alias: str) -> BaseDBAsyncClient:
        client = super()._create_connection(conn_alias)
        installation = self._sqlthrottle_installations.get(conn_alias)
        if installation is not None:
            installation.guard(client)
        return client


def _replacing(handler: ConnectionHandler) -> dict[str, _Installation]:
    """What connections that replace others are to be guarded by, by their names."""
    if not isinstance(handler, _GuardedHandler):
        if type(handler) is not ConnectionHandler:
            raise TypeError(f"a handler of Tortoise, and not {type(handler).__name__}")
        handler.__class__ = _GuardedHandler
        guarded: Any = handler
        guarded._sqlthrottle_installations = {}
    installations: dict[str, _Installation] = handler.__dict__["_sqlthrottle_installations"]
    return installations


def _connections(target: object) -> tuple[ConnectionHandler, list[str]]:
    """Who has the connections that are meant, and their names."""
    if isinstance(target, str):
        handler = get_connections()
        if target not in handler.db_config:
            raise ArgumentError(f"there is no connection {target!r}; Tortoise.init comes first")
        return handler, [target]
    handler_of: Any = target.connections if isinstance(target, TortoiseContext) else target
    if not isinstance(handler_of, ConnectionHandler):
        raise TypeError(f"the name of a connection, a context or a client of Tortoise, and not {type(target).__name__}")
    return handler_of, list(handler_of.db_config)


def _with_parents(client: BaseDBAsyncClient) -> list[BaseDBAsyncClient]:
    """A client, and where it is a transaction, what that is of."""
    clients = [client]
    while (parent := getattr(clients[-1], "_parent", None)) is not None:
        clients.append(parent)
    return clients


def _guard_of(client: Any) -> ClientGuard | None:
    guard: ClientGuard | None = getattr(type(client), "_sqlthrottle_guard", None)
    return guard


def _restore(client: Any) -> bool:
    guard = _guard_of(client)
    if guard is None:
        return False
    # Transactions of it that are open go on with it.
    guard.gate = None
    client.__class__ = type(client)._sqlthrottle_base
    return True
