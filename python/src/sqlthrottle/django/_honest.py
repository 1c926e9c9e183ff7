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
_KEEPS: Mapping[str, frozenset[str]] = {
    "django.db.models.base": frozenset(
        ("save", "save_base", "refresh_from_db", "full_clean", "validate_unique", "validate_constraints")
    ),
    "django.db.models.query": frozenset(
        (
            "get_or_create",
            "update_or_create",
            "bulk_create",
            "bulk_update",
            "prefetch_related_objects",
            "__getstate__",
        )
    ),
}
_KEEPS_ALWAYS = frozenset(
    ("django.db.models.deletion", "django.db.models.fields.related_descriptors", "django.contrib.contenttypes.fields")
)
_ONLY_ASKS = frozenset(("count", "exists"))
_COMPILER = "django.db.models.sql.compiler"
_BACKENDS = "django.db.backends."
_RAW_QUERY = "django.db.models.sql.query"

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
        module: str = frame.f_globals.get("__name__", "")
        # Most frames are none of Django's models.
        if module.startswith("django."):
            name = frame.f_code.co_name
            if name in _KEEPS.get(module, ()) or (module in _KEEPS_ALWAYS and name not in _ONLY_ASKS):
                return found if found.kind == KEPT else _KEPT
            if found is _TEXT:
                if module.startswith(_BACKENDS) and module.endswith(".introspection"):
                    return _SCHEMA
                if module == _COMPILER and name == "execute_sql":
                    found = _of_compiler(frame.f_locals["self"])
                elif module == _RAW_QUERY and name == "_execute_query":
                    found = _RAW
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
