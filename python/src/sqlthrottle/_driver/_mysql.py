"""What the modules of both drivers of MySQL do alike: their connections make cursors of a class that they, or their callers, name."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .._errors import ArgumentError
from .._throttle import Throttle
from ._connection import guarded_connection
from ._install import guarded_class, put_in, take_out
from ._guard import Options
from ._traits import Traits

__all__ = ["MySQL"]


class MySQL:
    """One of them.

    :param connection: its class of connections.
    :param cursor: what guards its cursors.
    :param connect: what opens a connection.
    """

    def __init__(self, traits: Traits, connection: Any, cursor: type, connect: Callable[..., Any]) -> None:
        self._traits = traits
        self._connection = connection
        self._connect = connect

        def make(base: Any, itself: Any, *arguments: Any, **options: Any) -> Any:
            asked = arguments[0] if arguments else next(iter(options.values()), None)
            chosen = asked or itself.cursorclass
            if not isinstance(chosen, type):
                raise ArgumentError("a guarded connection takes a class of cursors, and no other kind of factory")
            return base.cursor(itself, guarded_class(cursor, chosen))

        self._guarded = functools.partial(guarded_connection, make)

    def install(self, connection: Any, throttle: Throttle, **options: Any) -> None:
        if not isinstance(connection, self._connection):
            raise TypeError(f"a connection of {self._connection.__module__}, and not {type(connection).__name__}")
        put_in(connection, self._guarded, Options(throttle, self._traits, **options))

    def uninstall(self, connection: Any) -> bool:
        return take_out(connection)

    def connect(self, arguments: tuple[Any, ...], throttle: Throttle, options: dict[str, Any], asked: dict[str, Any]) -> Any:
        # What is wrong with these is said before a connection is open.
        Options(throttle, self._traits, **asked)
        connection = self._connect(*arguments, **options)
        self.install(connection, throttle, **asked)
        return connection
