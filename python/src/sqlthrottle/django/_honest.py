"""Whether an ignored statement has an honest empty result, by who sends it.

Django hands a text to the throttle, and not what it is for. Who reads a list of rows may be told that there are none; who is about to
insert what it did not find, or keeps what it found, may not. The frames of Django's own functions say which it is.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from types import FrameType
from typing import Any, NamedTuple

from django.apps import apps
from django.conf import settings

__all__ = ["KEPT", "ORM", "RAW", "SCHEMA", "TEXT", "Sender", "kept_tables", "reads_one_row", "sender"]

TEXT = "text"
"""A text of the program's own, through a cursor."""
RAW = "raw"
"""A text of the program's own that is read as objects, so that its columns have to be known."""
ORM = "orm"
"""A query, an update or a delete of the ORM."""
KEPT = "kept"
"""Something whose result is kept, or goes on to be written, so that none may be made up."""
SCHEMA = "schema"
"""A look at the catalog, which is never checked."""

_MOST_FRAMES = 32
"""How far from the cursor is looked. Django's own functions are near it."""
_ANY = "*"
_KINDS: Mapping[str, Mapping[str, str]] = {
    "django.db.models.base": dict.fromkeys(
        ("save", "save_base", "refresh_from_db", "full_clean", "validate_unique", "validate_constraints"), KEPT
    ),
    "django.db.models.query": dict.fromkeys(
        ("get_or_create", "update_or_create", "bulk_create", "bulk_update", "prefetch_related_objects", "__getstate__"), KEPT
    ),
    "django.db.models.deletion": {_ANY: KEPT},
    # Who only asks is answered.
    "django.db.models.fields.related_descriptors": {_ANY: KEPT, "count": "", "exists": ""},
    "django.contrib.contenttypes.fields": {_ANY: KEPT},
    "django.db.models.sql.compiler": {"execute_sql": ORM},
    "django.db.models.sql.query": {"_execute_query": RAW},
    **{
        f"django.db.backends.{backend}.introspection": {_ANY: SCHEMA}
        for backend in ("base", "mysql", "oracle", "postgresql", "sqlite3")
    },
}
"""What functions of Django's modules say of the statements beneath them. All other frames say nothing."""

_KEPT_APPS = ("auth", "contenttypes", "sessions", "sites")
_DATABASE_CACHE = "django.core.cache.backends.db.DatabaseCache"

_ONE_ROW = re.compile(r"\s*select\s+(?:(?:count|sum|min|max|avg)\s*\(|exists\s*\()", re.IGNORECASE)
_GROUPED = re.compile(r"\bgroup\s+by\b", re.IGNORECASE)


class Sender(NamedTuple):
    """Who sends a statement."""

    kind: str
    rows: int
    """How many rows it is to store, where the ORM inserts."""


_TEXT = Sender(TEXT, 1)
_RAW = Sender(RAW, 1)
_ORM = Sender(ORM, 1)
_KEPT = Sender(KEPT, 1)
_SCHEMA = Sender(SCHEMA, 1)


def sender() -> Sender:
    """Who sends the statement that this is called for."""
    found = _TEXT
    frame: FrameType | None = sys._getframe(2)
    for _ in range(_MOST_FRAMES):
        if frame is None:
            break
        functions = _KINDS.get(frame.f_globals.get("__name__", ""))
        if functions is not None:
            kind = functions.get(frame.f_code.co_name, functions.get(_ANY))
            if kind == KEPT:
                return _KEPT
            if found is _TEXT and kind:
                if kind == SCHEMA:
                    return _SCHEMA
                found = _RAW if kind == RAW else _of_compiler(frame.f_locals["self"])
                if found.kind == KEPT:
                    return found
        frame = frame.f_back
    return found


def _of_compiler(compiler: Any) -> Sender:
    objects = getattr(compiler.query, "objs", None)
    if objects is not None:
        return Sender(KEPT, max(1, len(objects)) if compiler.connection.features.has_bulk_insert else 1)
    # Of a model with parents, an update is one of several that belong together.
    return _KEPT if getattr(compiler.query, "related_updates", None) else _ORM


def reads_one_row(sql: str) -> bool:
    """Whether a text has always one row, so that none is a lie that its reader does not expect."""
    return _ONE_ROW.match(sql) is not None and _GROUPED.search(sql) is None


def kept_tables() -> re.Pattern[str]:
    """What finds the tables whose rows Django itself keeps or goes by: sessions, users, permissions, caches and the like.

    A session that is said not to be there logs a user out.
    """
    tables = {
        model._meta.db_table
        for model in apps.get_models(include_auto_created=True)
        if model._meta.app_label in _KEPT_APPS or model._meta.label == settings.AUTH_USER_MODEL
    }
    tables |= {
        str(cache["LOCATION"]) for cache in settings.CACHES.values() if cache.get("BACKEND") == _DATABASE_CACHE and "LOCATION" in cache
    }
    names = "|".join(re.escape(table) for table in sorted(tables)) or r"(?!)"
    return re.compile(rf"(?<!\w)(?:{names})(?!\w)", re.IGNORECASE)
