"""What Django does to the database by itself is never checked: migrations, and databases of tests that are made.

To refuse a part of it leaves a schema half made, and to ignore one leaves it wrong. There is no event that begins and ends with a
migration, so the methods that do these things are put within an exemption.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from typing import Any

from django.core.management.base import BaseCommand
from django.db.backends.base.creation import BaseDatabaseCreation
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

__all__ = ["EXEMPT", "exempted", "put_in"]

EXEMPT: ContextVar[bool] = ContextVar("sqlthrottle-django-exempt", default=False)
"""Whether Django is at work on the schema, or on a database of tests."""

_COMMANDS = frozenset(("migrate", "flush", "createcachetable"))
_OF_TESTS = ("create_test_db", "serialize_db_to_string", "deserialize_db_from_string")
_TOKEN = "_sqlthrottle_token"
_MARK = "_sqlthrottle_is_in"


@contextmanager
def exempted() -> Generator[None, None, None]:
    """Nothing that is sent within is checked, unless ``MIGRATIONS`` is set."""
    token = EXEMPT.set(True)
    try:
        yield
    finally:
        EXEMPT.reset(token)


def put_in() -> None:
    """Puts what Django does by itself within an exemption. Harmless again."""
    _replace(BaseCommand, "execute", _execute)
    _replace(BaseDatabaseSchemaEditor, "__enter__", _enter)
    _replace(BaseDatabaseSchemaEditor, "__exit__", _exit)
    for name in _OF_TESTS:
        if hasattr(BaseDatabaseCreation, name):
            _replace(BaseDatabaseCreation, name, _whole)


def _replace(owner: type, name: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    method = getattr(owner, name)
    if not hasattr(method, _MARK):
        made = functools.wraps(method)(make(method))
        setattr(made, _MARK, True)
        setattr(owner, name, made)


def _whole(method: Callable[..., Any]) -> Callable[..., Any]:
    def whole(*arguments: Any, **options: Any) -> Any:
        with exempted():
            return method(*arguments, **options)

    return whole


def _execute(method: Callable[..., Any]) -> Callable[..., Any]:
    def execute(command: Any, /, *arguments: Any, **options: Any) -> Any:
        # By position alone: `shell` has an option of that name.
        # One that another app has in the place of Django's is called the same.
        if type(command).__module__.rpartition(".")[2] not in _COMMANDS:
            return method(command, *arguments, **options)
        with exempted():
            return method(command, *arguments, **options)

    return execute


def _enter(method: Callable[..., Any]) -> Callable[..., Any]:
    def enter(editor: Any) -> Any:
        token = EXEMPT.set(True)
        try:
            entered = method(editor)
        except BaseException:
            EXEMPT.reset(token)
            raise
        setattr(editor, _TOKEN, token)
        return entered

    return enter


def _exit(method: Callable[..., Any]) -> Callable[..., Any]:
    def leave(editor: Any, *error: Any) -> Any:
        try:
            return method(editor, *error)
        finally:
            token: Token[bool] | None = editor.__dict__.pop(_TOKEN, None)
            if token is not None:
                EXEMPT.reset(token)

    return leave
