"""What stands in for the cursor of a statement that is ignored, and for that of one whose rows are streamed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .._gate import Permit

__all__ = ["HeldCursor", "IgnoredCursor"]

_COLUMN_FIELDS = 7
"""Those that a column of a cursor's description has."""


class IgnoredCursor:
    """Has found nothing, and changed nothing."""

    itersize = 1
    lastrowid = None
    closed = False

    def __init__(self, columns: Sequence[str] | None, rows: Sequence[tuple[Any, ...]] = ()) -> None:
        self.description = None if columns is None else [(name, *(None,) * (_COLUMN_FIELDS - 1)) for name in columns]
        self.rowcount = len(rows)
        self._rows = iter(rows)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return self._rows

    def fetchone(self) -> tuple[Any, ...] | None:
        return next(self._rows, None)

    def fetchmany(self, size: int | None = None) -> list[tuple[Any, ...]]:
        return list(self._rows)

    def fetchall(self) -> list[tuple[Any, ...]]:
        return list(self._rows)

    def close(self) -> None:
        self.closed = True


class HeldCursor:
    """The cursor of a driver, which gives back what it holds when it is read to its end, closed or lost."""

    def __init__(self, cursor: Any, permit: Permit, connection: Any) -> None:
        self._cursor = cursor
        self._permit = permit
        self.of = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.fetchone, None)

    def fetchone(self) -> Any:
        return self._read(self._cursor.fetchone)

    def fetchmany(self, *size: int) -> Any:
        return self._read(self._cursor.fetchmany, *size)

    def fetchall(self) -> Any:
        rows = self._read(self._cursor.fetchall)
        self._permit.release()
        return rows

    def close(self) -> None:
        self._permit.release()
        self._cursor.close()

    def release(self) -> None:
        """Gives back what is held: its connection was closed."""
        self._permit.release()

    def _read(self, read: Callable[..., Any], *arguments: int) -> Any:
        try:
            rows = read(*arguments)
        except BaseException:
            self._permit.release()
            raise
        if not rows:
            self._permit.release()
        return rows
