"""The connections of PEP 249, guarded: their cursors ask, whatever class they are of, and end with them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ._guard import DriverGuard, Places

__all__ = ["guarded_connection"]

_MOST = 128


@functools.lru_cache(maxsize=_MOST)
def guarded_connection(cursor: Callable[..., Any], base: Any) -> type:
    """A subclass of a driver's class of connections.

    It is made of one base alone, as an open connection can only become one of a class that has the same fields from the same base.

    :param cursor: what its method ``cursor`` does, which gets the base, and then what the method does.
    """

    class Guarded(base):  # type: ignore[misc]
        _sqlthrottle: DriverGuard | None = None
        _sqlthrottle_places: Places

        @functools.wraps(base.cursor)
        def cursor(self, *arguments: Any, **options: Any) -> Any:
            return cursor(base, self, *arguments, **options)

        @functools.wraps(base.commit)
        def commit(self) -> Any:
            try:
                return base.commit(self)
            finally:
                self._sqlthrottle_places.transaction_ended()

        @functools.wraps(base.rollback)
        def rollback(self) -> Any:
            try:
                return base.rollback(self)
            finally:
                self._sqlthrottle_places.transaction_ended()

        @functools.wraps(base.close)
        def close(self) -> Any:
            try:
                return base.close(self)
            finally:
                self._sqlthrottle_places.closed()

    # It has the name of its base, for those who print it.
    Guarded.__name__, Guarded.__qualname__, Guarded.__module__ = base.__name__, base.__qualname__, base.__module__
    return Guarded
