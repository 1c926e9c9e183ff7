"""Guards an open connection in place: it becomes one of a subclass of its own class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

from .._errors import ArgumentError
from ._guard import DriverGuard, Options, Places

__all__ = ["backed_class", "guarded_class", "put_in", "take_out"]

_GUARD = "_sqlthrottle"
_PLACES = "_sqlthrottle_places"

_classes: WeakValueDictionary[tuple[type, type], type] = WeakValueDictionary()


def guarded_class(guarded: type, base: type) -> type:
    """The subclass of a driver's class that does first as ``guarded`` says; the class itself, if it does already."""
    return _made(guarded, base, (guarded, base))


def backed_class(guarded: type, base: type) -> type:
    """The subclass of a class that does as ``guarded`` says where that class asks the driver's; ``guarded`` is a subclass of that."""
    return guarded if issubclass(guarded, base) else _made(guarded, base, (base, guarded))


def _made(guarded: type, base: type, bases: tuple[type, type]) -> type:
    if issubclass(base, guarded):
        return base
    made = _classes.get((guarded, base))
    if made is None:
        # It has the name of its base, for those who print it.
        names = {"__module__": base.__module__, "__qualname__": base.__qualname__, "__doc__": base.__doc__}
        # Two threads may both make one, and either will do: a lock that one of them held would stay locked in a process that forks.
        made = _classes[guarded, base] = type(base.__name__, bases, names)
    return made


def put_in(connection: Any, guarded: Callable[[type], type], options: Options) -> None:
    """Has a connection ask.

    :param guarded: makes the guarded subclass of a class of connections.
    :raises ArgumentError: it asks another throttle.
    """
    before: DriverGuard | None = getattr(connection, _GUARD, None)
    if before is not None and before.gate.throttle is not options.throttle:
        raise ArgumentError("the connection asks another throttle; uninstall it first")
    if not hasattr(connection, _PLACES):
        # Those of an earlier time go on.
        setattr(connection, _PLACES, Places())
    setattr(connection, _GUARD, options.guard(options.traits.database(connection)))
    base: type = connection.__class__
    if not hasattr(base, _GUARD):
        connection.__class__ = guarded(base)


def take_out(connection: Any) -> bool:
    """Has a connection ask no more. What its cursors hold they hold until they end.

    :returns: whether it did ask before.
    """
    if getattr(connection, _GUARD, None) is None:
        return False
    # It stays of its class, as its cursors do, which tell it of their ends; without a guard, both do what their bases do.
    setattr(connection, _GUARD, None)
    return True
