"""Guards connections and pools of psycopg, and makes guarded connections."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Union
from weakref import WeakSet

from psycopg import AsyncConnection, Connection

from .._driver import PSYCOPG, Options, put_in, take_out
from .._errors import ArgumentError
from .._exempt import is_exempt
from .._names import Fakes, InTransaction
from .._throttle import Throttle
from ._connection import guarded_connection

if TYPE_CHECKING:
    from psycopg_pool import AsyncConnectionPool, ConnectionPool

    Target = Union[Connection[Any], AsyncConnection[Any], ConnectionPool[Any], AsyncConnectionPool[Any]]

__all__ = ["connect", "connect_async", "install", "uninstall"]

_POOL = "_sqlthrottle_pool"


class _Pool:
    """What is known of a guarded pool."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.lent: WeakSet[Any] = WeakSet()

    def lend(self, connection: Any) -> Any:
        _put_in(connection, self.options)
        self.lent.add(connection)
        return connection


def install(
    target: Target,
    throttle: Throttle,
    *,
    in_transaction: str = InTransaction.APPLY,
    fakes: str = Fakes.ROWS_AND_COUNT,
    dialect: str | None = None,
    database: str | None = None,
    exempt: Callable[[str], bool] | None = is_exempt,
) -> None:
    """Has every statement of a connection ask the throttle before it is sent; again, with other options.

    It reaches the cursors that are made from then on, of whatever class, and of a pool the connections that are lent from then on.

    :param target: a connection or a pool, of either kind.
    :param in_transaction: what rules may do in a transaction, or while the connection does not commit by itself; see
        :class:`InTransaction`.
    :param fakes: the most that is made up of an ignored statement; with less than it needs, the statement is refused.
    :param dialect: how statements are read, where it is not the dialect of PostgreSQL.
    :param database: what rules take the database for; without it, its name.
    :param exempt: which texts are never checked. By default definitions, looks at the catalog, tables of migration tools, and tests of
        connections.
    :raises ArgumentError: it asks another throttle.
    """
    options = Options(
        throttle,
        PSYCOPG,
        in_transaction=in_transaction,
        fakes=fakes,
        dialect=dialect,
        database=database,
        exempt=exempt,
    )
    if isinstance(target, (Connection, AsyncConnection)):
        _put_in(target, options)
    else:
        _put_in_pool(target, options)


def uninstall(target: Target) -> bool:
    """Has a connection, or the connections of a pool, ask no more. What a cursor holds it holds until it ends.

    :returns: whether it did ask before.
    """
    if isinstance(target, (Connection, AsyncConnection)):
        return take_out(target)
    pool: _Pool | None = target.__dict__.pop(_POOL, None)
    if pool is None:
        return False
    del target.__dict__["getconn"]
    for connection in list(pool.lent):
        take_out(connection)
    return True


def connect(*arguments: Any, throttle: Throttle, **options: Any) -> Connection[Any]:
    """Opens a connection as ``psycopg.connect`` does, and :func:`install` s the throttle with those of the options that it takes."""
    asked = _taken(options)
    connection: Connection[Any] = Connection.connect(*arguments, **options)
    install(connection, throttle, **asked)
    return connection


async def connect_async(*arguments: Any, throttle: Throttle, **options: Any) -> AsyncConnection[Any]:
    """As :func:`connect`, for tasks."""
    asked = _taken(options)
    connection: AsyncConnection[Any] = await AsyncConnection.connect(*arguments, **options)
    install(connection, throttle, **asked)
    return connection


def _taken(options: dict[str, Any]) -> dict[str, Any]:
    names = ("in_transaction", "fakes", "dialect", "database", "exempt")
    return {name: options.pop(name) for name in names if name in options}


def _put_in(connection: Any, options: Options) -> None:
    put_in(connection, guarded_connection, options)


def _put_in_pool(target: Any, options: Options) -> None:
    # It is a package of its own, and there is none of its pools where nobody has imported it.
    pools: Any = sys.modules.get("psycopg_pool")
    if pools is None or not isinstance(target, (pools.ConnectionPool, pools.AsyncConnectionPool)):
        raise TypeError(f"a connection or a pool of psycopg, and not {type(target).__name__}")
    before: _Pool | None = target.__dict__.get(_POOL)
    if before is not None:
        if before.options.throttle is not options.throttle:
            raise ArgumentError("the pool asks another throttle; uninstall it first")
        before.options = options
        for connection in list(before.lent):
            _put_in(connection, options)
        return
    pool = target.__dict__[_POOL] = _Pool(options)
    getconn: Any = target.getconn

    if isinstance(target, pools.ConnectionPool):

        @functools.wraps(getconn)
        def lend(*arguments: Any, **named: Any) -> Any:
            return pool.lend(getconn(*arguments, **named))

        target.__dict__["getconn"] = lend
    else:

        @functools.wraps(getconn)
        async def lend_async(*arguments: Any, **named: Any) -> Any:
            return pool.lend(await getconn(*arguments, **named))

        target.__dict__["getconn"] = lend_async
