"""psycopg2: every statement of a connection asks the throttle before it is sent.

::

    connection = sqlthrottle.psycopg2.connect(dsn, throttle=throttle)

    pool = psycopg2.pool.ThreadedConnectionPool(1, 10, dsn, connection_factory=sqlthrottle.psycopg2.connection_factory(throttle))

    sqlthrottle.psycopg2.install(connection, throttle)          # one that is open
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ._driver import PSYCOPG2, DriverClass, DriverGuard, FakingCursor, Options, Places, backed_class, guarded_class
from ._errors import ArgumentError
from ._exempt import is_exempt
from ._gate import undecided
from ._names import Fakes, InTransaction
from ._throttle import Throttle

__all__ = ["connect", "connection_factory", "guarded_cursor", "install", "uninstall"]

# It has no types.
_psycopg2: Any = import_module("psycopg2")
_extensions: Any = import_module("psycopg2.extensions")

if TYPE_CHECKING:
    _Driver = DriverClass
else:
    _Driver = _extensions.connection

# A connection of its own class takes no fields.
_guards: WeakKeyDictionary[Any, DriverGuard] = WeakKeyDictionary()
_places: WeakKeyDictionary[Any, Places] = WeakKeyDictionary()


class _Cursor(FakingCursor):
    @property
    def description(self) -> Any:
        made_up = self._sqlthrottle_made_up
        if made_up is None or made_up[0] is None:
            return super().description
        return tuple(_extensions.Column(*column) for column in made_up[0])

    @property
    def rownumber(self) -> int:
        return self._itself("rownumber") if self._sqlthrottle_made_up is None else 0

    @property
    def statusmessage(self) -> str | None:
        return self._itself("statusmessage") if self._sqlthrottle_made_up is None else None

    def scroll(self, *arguments: Any, **options: Any) -> None:
        if self._sqlthrottle_made_up is not None:
            raise _psycopg2.ProgrammingError("scroll destination out of bounds")
        super().scroll(*arguments, **options)

    def copy_expert(self, sql: Any, *arguments: Any, **options: Any) -> Any:
        return self._sqlthrottle_send(_copying(super().copy_expert), (sql, *arguments), options, fakes="none")

    def copy_from(self, file: Any, table: str, *arguments: Any, **options: Any) -> Any:
        text = f"copy {_quoted(table)} from stdin"
        return self._sqlthrottle_send(_copying(super().copy_from), (file, table, *arguments), options, text=text, fakes="none")

    def copy_to(self, file: Any, table: str, *arguments: Any, **options: Any) -> Any:
        text = f"copy {_quoted(table)} to stdout"
        return self._sqlthrottle_send(_copying(super().copy_to), (file, table, *arguments), options, text=text, fakes="none")

    def _itself(self, name: str) -> Any:
        return getattr(super(), name)

    def _sqlthrottle_guard(self) -> DriverGuard | None:
        return None if self.closed else _guards.get(self.connection)

    def _sqlthrottle_places(self) -> Places:
        return _places.setdefault(self.connection, Places())

    def _sqlthrottle_make_up(self, guard: DriverGuard, description: Any) -> None:
        super()._sqlthrottle_make_up(guard, description)


class _Connection(_Driver):
    """Stands behind subclasses of the driver's class, which may choose a class of cursors, and before the driver's class."""

    def cursor(self, name: Any = None, cursor_factory: Any = None, *arguments: Any, **options: Any) -> Any:
        chosen = cursor_factory or self.cursor_factory or _extensions.cursor
        return super().cursor(name, guarded_cursor(chosen), *arguments, **options)

    def commit(self) -> None:
        self._sqlthrottle_end(super().commit)

    def rollback(self) -> None:
        self._sqlthrottle_end(super().rollback)

    def reset(self) -> None:
        self._sqlthrottle_end(super().reset)

    def tpc_prepare(self) -> None:
        self._sqlthrottle_end(super().tpc_prepare)

    def tpc_commit(self, *arguments: Any) -> None:
        self._sqlthrottle_end(super().tpc_commit, *arguments)

    def tpc_rollback(self, *arguments: Any) -> None:
        self._sqlthrottle_end(super().tpc_rollback, *arguments)

    def __exit__(self, *raised: Any) -> Any:
        return self._sqlthrottle_end(super().__exit__, *raised)

    def close(self) -> None:
        try:
            super().close()
        finally:
            self._sqlthrottle_ended(Places.closed)

    def _sqlthrottle_end(self, end: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return end(*arguments)
        finally:
            self._sqlthrottle_ended(Places.transaction_ended)

    def _sqlthrottle_ended(self, end: Callable[[Places], None]) -> None:
        places = _places.get(self)
        if places is not None:
            end(places)


def guarded_cursor(base: type) -> type:
    """The subclass of a class of cursors that asks the throttle of its connection, for ``cursor(cursor_factory=…)`` of a connection that
    was open before it was guarded."""
    if not isinstance(base, type):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ArgumentError("a guarded connection takes a class of cursors, and no other kind of factory")
    return guarded_class(_Cursor, base)


def connection_factory(
    throttle: Throttle,
    base: Any = None,
    *,
    in_transaction: str = InTransaction.APPLY,
    fakes: str = Fakes.ROWS_AND_COUNT,
    dialect: str | None = None,
    database: str | None = None,
    exempt: Callable[[str], bool] | None = is_exempt,
) -> type:
    """A class of connections whose cursors ask the throttle, of whatever class these are: for ``psycopg2.connect``, pools, and frameworks.

    :param base: the class that it is a subclass of, where it is not that of psycopg2.
    :returns: what takes the options of :func:`install`.
    """
    options = Options(
        throttle,
        PSYCOPG2,
        in_transaction=in_transaction,
        fakes=fakes,
        dialect=dialect,
        database=database,
        exempt=exempt,
    )
    parent: Any = backed_class(_Connection, base or _extensions.connection)

    class Guarded(parent):  # type: ignore[misc]
        def __init__(self, *arguments: Any, **named: Any) -> None:
            parent.__init__(self, *arguments, **named)
            _guards[self] = options.guard(PSYCOPG2.database(self))

    Guarded.__name__, Guarded.__qualname__, Guarded.__module__ = parent.__name__, parent.__qualname__, parent.__module__
    return Guarded


def install(
    connection: Any,
    throttle: Throttle,
    *,
    in_transaction: str = InTransaction.APPLY,
    fakes: str = Fakes.ROWS_AND_COUNT,
    dialect: str | None = None,
    database: str | None = None,
    exempt: Callable[[str], bool] | None = is_exempt,
) -> None:
    """Has every statement of an open connection ask the throttle before it is sent; again, with other options.

    It reaches the cursors that are made from then on. A connection of psycopg2's own class does not tell of those whose class is given to
    ``cursor(cursor_factory=…)``: give it :func:`guarded_cursor` of that class, or open the connection by :func:`connect`.

    :param in_transaction: what rules may do in a transaction, or while the connection does not commit by itself; see
        :class:`InTransaction`.
    :param fakes: the most that is made up of an ignored statement; with less than it needs, the statement is refused.
    :param dialect: how statements are read, where it is not the dialect of PostgreSQL.
    :param database: what rules take the database for; without it, its name.
    :param exempt: which texts are never checked. By default definitions, looks at the catalog, tables of migration tools, and tests of
        connections.
    :raises ArgumentError: it asks another throttle.
    """
    if not isinstance(connection, _extensions.connection):
        raise TypeError(f"a connection of psycopg2, and not {type(connection).__name__}")
    options = Options(
        throttle,
        PSYCOPG2,
        in_transaction=in_transaction,
        fakes=fakes,
        dialect=dialect,
        database=database,
        exempt=exempt,
    )
    before = _guards.get(connection)
    if before is not None and before.gate.throttle is not throttle:
        raise ArgumentError("the connection asks another throttle; uninstall it first")
    _guards[connection] = options.guard(PSYCOPG2.database(connection))
    base: Any = connection.__class__
    if base is _extensions.connection:
        connection.cursor_factory = guarded_cursor(connection.cursor_factory or _extensions.cursor)
    elif not issubclass(base, _Connection):
        connection.__class__ = backed_class(_Connection, base)


def uninstall(connection: Any) -> bool:
    """Has a connection ask no more. What a cursor holds it holds until it ends.

    :returns: whether it did ask before.
    """
    # Its classes stay, and ask nobody.
    return _guards.pop(connection, None) is not None


def connect(
    *arguments: Any,
    throttle: Throttle,
    in_transaction: str = InTransaction.APPLY,
    fakes: str = Fakes.ROWS_AND_COUNT,
    dialect: str | None = None,
    exempt: Callable[[str], bool] | None = is_exempt,
    **options: Any,
) -> Any:
    """Opens a connection as ``psycopg2.connect`` does, of a subclass of its ``connection_factory``, whose cursors ask the throttle."""
    options["connection_factory"] = connection_factory(
        throttle,
        options.get("connection_factory"),
        in_transaction=in_transaction,
        fakes=fakes,
        dialect=dialect,
        exempt=exempt,
    )
    return _psycopg2.connect(*arguments, **options)


def _copying(copy: Callable[..., Any]) -> Callable[..., Any]:
    """A copy by files of a caller's, who may have other statements sent in the middle of it: these ask."""

    def copying(*arguments: Any, **options: Any) -> Any:
        with undecided():
            return copy(*arguments, **options)

    return copying


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
