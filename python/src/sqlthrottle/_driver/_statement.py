"""A statement as a cursor is given it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

__all__ = ["call_of", "text_of", "value_of", "values_of", "with_value"]

_NAMES = (("query", "operation", "sql", "statement"), ("vars", "args", "params", "parameters", "vars_list", "seq_of_parameters"))


_VALUES = (Mapping, Sequence)


def value_of(arguments: tuple[Any, ...], options: Mapping[str, Any], place: int) -> Any:
    """The statement, which is in place 0, or its values, in place 1; drivers differ in the names that they have for them."""
    if place < len(arguments):
        return arguments[place]
    return next((options[name] for name in _NAMES[place] if name in options), None)


def values_of(params: Any) -> Any:
    """Bound values, as rules look at them; none where a driver takes one by itself, or in a form of its own."""
    return None if isinstance(params, (str, bytes)) or not isinstance(params, _VALUES) else cast(Any, params)


def with_value(
    arguments: tuple[Any, ...], options: Mapping[str, Any], place: int, value: Any
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The same with another value in such a place."""
    if place < len(arguments):
        return (*arguments[:place], value, *arguments[place + 1 :]), dict(options)
    return arguments, {name: value if name in _NAMES[place] else said for name, said in options.items()}


def text_of(operation: Any, connection: Any) -> str:
    """The text of a statement, as which some drivers take bytes, or what is composed of names and values."""
    if isinstance(operation, str):
        return operation
    if isinstance(operation, (bytes, bytearray)):
        return operation.decode("utf-8", "replace")
    as_string = getattr(operation, "as_string", None)
    return str(operation) if as_string is None else str(as_string(connection))


def call_of(calls_by: str, procedure: Any, values: Any) -> str:
    """The text of a call that a driver makes of a name."""
    places = ", ".join(["%s"] * len(values)) if values else ""
    return f"{calls_by} {procedure}({places})"
