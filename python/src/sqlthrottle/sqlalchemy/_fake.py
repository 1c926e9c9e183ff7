"""What stands in for the result of a statement that is ignored, and where nothing may."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Sequence
from typing import Any

from sqlalchemy.engine import cursor as cursors

from .._names import Fakes

__all__ = ["ROWS", "fake_result", "fakes_of"]

_COLUMN_FIELDS = 7
"""Those that a column of a cursor's description has."""
ROWS = (Fakes.ROWS, Fakes.ROWS_AND_COUNT)
"""What lets rows be made up."""
_COUNT = (Fakes.COUNT, Fakes.ROWS_AND_COUNT)


def fakes_of(context: Any, most: Fakes) -> str:
    """What may be made up of a statement without lying to whoever has sent it."""
    if context.is_crud:
        return "count" if most in _COUNT and _is_only_counted(context) else "none"
    if context.is_text:
        return most._value_
    if context.compiled is None or context.isddl:
        # A sequence or a default, whose value somebody needs.
        return "none"
    return "rows" if most in ROWS and _is_only_read(context) else "none"


def _is_only_counted(context: Any) -> bool:
    """Whether nobody looks at more of a write than how many rows it has changed."""
    if context._is_implicit_returning or context._is_explicit_returning or context.compiled.postfetch_lastrowid:
        return False
    options = context.execution_options
    if "compiled_cache" in options:
        # A flush, which takes its objects for stored.
        return False
    orm = options.get("_sa_orm_update_options")
    # Else the session would change the objects that it has as if the statement had been sent.
    return orm is None or orm._synchronize_session in (False, "none")


def _is_only_read(context: Any) -> bool:
    """Whether the rows go to whoever has asked for them, and not into attributes of objects, which keep them."""
    orm = context.execution_options.get("_sa_orm_load_options")
    if orm is None:
        return True
    if orm._refresh_state is not None or orm._lazy_loaded_from is not None:
        return False
    options = getattr(context.invoked_statement, "_compile_options", None)
    path = getattr(options, "_current_path", None)
    return path is None or path.is_root


def fake_result(cursor: Any, context: Any, rows: bool, columns: Sequence[str] | None) -> None:
    """Makes an execution go on as if its statement had been sent and had found nothing.

    :param columns: the names of those that the same text showed before.
    """
    context._rowcount = 0
    if not rows:
        context.cursor_fetch_strategy = cursors._NO_CURSOR_DML
        return
    compiled = context.compiled
    if compiled is not None and not context.is_text:
        columns = [column.keyname for column in compiled._result_columns]
    if compiled is not None:
        # What is found out about the columns is kept with it, for all executions to come; and here it is made up.
        context.compiled = copy.copy(compiled)
    # Without a type from the driver, some types would refuse to say how values are read. There are none.
    context.get_result_processor = _no_processor
    description: Any = [(name, *(None,) * (_COLUMN_FIELDS - 1)) for name in columns or ("x",)]
    context.cursor_fetch_strategy = cursors.FullyBufferedCursorFetchStrategy(cursor, description, deque())


def _no_processor(*_: object) -> None:
    return None
