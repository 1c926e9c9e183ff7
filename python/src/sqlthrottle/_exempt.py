"""Which statements are never checked, by their text alone: those that manage a schema, look at one, or see whether the database is there.

To throttle them breaks a start or a health check, and to ignore them breaks more. Only what stands before the first constant is
looked at, so no value that a text was built with can exempt it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

__all__ = ["first_word", "is_exempt", "or_control"]

_DEFINITIONS = frozenset(("create", "alter", "drop", "truncate", "comment", "rename", "grant", "revoke"))
_VALIDATIONS = frozenset(("select 1", "select 1 from dual", "values 1", "values(1)", "select version()", "/* ping */ select 1"))
_LONGEST_VALIDATION = 64
_CATALOGS = frozenset(("pg_catalog", "information_schema", "sys"))
_TABLES = frozenset(
    (
        "alembic_version",
        "django_migrations",
        "tortoise_migrations",
        "aerich",
        "sqlite_master",
        "sqlite_schema",
        "sqlite_temp_master",
        "sqlite_temp_schema",
    )
)
_BEFORE_TABLE = {"select": "from", "with": "from", "delete": "from", "insert": "into", "update": None}

_BLANKS = re.compile(r"\s+")
# A quoted name is a token with its quotes; what follows a quoted string is never looked at.
_TOKEN = re.compile(r"""--[^\n]*|/\*.*?\*/|\s+|(?P<end>')|(?P<token>"[^"]*"|`[^`]*`|\[[^\]]*\]|\w+|.)""", re.DOTALL)
_MOST_TOKENS = 2_000
# A single statement: behind a semicolon there may be any other.
_CONTROL = re.compile(
    r"\s*(?:begin|start\s+transaction|commit|end|rollback|abort|savepoint|release|prepare\s+transaction|set|reset|show|discard|close|"
    r"deallocate|listen|unlisten)\b[^;]*(?:;\s*)?\Z",
    re.IGNORECASE,
)


def or_control(exempt: Callable[[str], bool] | None) -> Callable[[str], bool]:
    """Exempts also what manages a transaction, a setting, a cursor or what is listened to, which libraries send as any other text."""

    def is_either(sql: str) -> bool:
        return _CONTROL.match(sql) is not None or (exempt is not None and exempt(sql))

    return is_either


def first_word(sql: str) -> str:
    """The first word of a statement, behind comments, in lower case."""
    return _Words(sql).next()


def is_exempt(sql: str) -> bool:
    """Whether a text is a definition, a look at the catalog, on the history of a migration tool, or what pools test connections with."""
    if len(sql) <= _LONGEST_VALIDATION and _BLANKS.sub(" ", sql.strip().rstrip(";").rstrip()).lower() in _VALIDATIONS:
        return True
    words = _Words(sql)
    verb = words.next()
    if verb in _DEFINITIONS or verb == "pragma":
        return True
    if verb in ("describe", "desc"):
        # Of a table, and perhaps a column of it; what describes a statement may run it.
        return bool(words.name()) and not words.next()
    if verb not in _BEFORE_TABLE:
        return False
    before = _BEFORE_TABLE[verb]
    name = words.name() if before is None else words.name_after(before)
    table = name[-1] if name else ""
    return table in _TABLES or table.startswith("pg_") or (len(name) > 1 and name[-2] in _CATALOGS)


class _Words:
    """The tokens of a text up to its first string, in lower case."""

    def __init__(self, sql: str) -> None:
        self._found = _TOKEN.finditer(sql)
        self._left = _MOST_TOKENS
        self._ended = False

    def next(self) -> str:
        """The next token; an empty text where there is none."""
        while not self._ended and self._left:
            self._left -= 1
            found = next(self._found, None)
            if found is None or found["end"]:
                self._ended = True
            elif (token := found["token"]) is not None:
                return token.lower()
        return ""

    def skip_to(self, word: str) -> bool:
        while token := self.next():
            if token == word:
                return True
        return False

    def name_after(self, word: str) -> list[str]:
        """The first name behind such a word, also within parentheses; none where there is no such word."""
        while self.skip_to(word):
            name = self.name()
            if name != ["("]:
                return name
        return []

    def name(self) -> list[str]:
        """The parts of a name that stands next, without their quotes."""
        parts: list[str] = []
        while token := self.next():
            parts.append(token.strip('"`[]'))
            if token == "(" or self.next() != ".":
                break
        return parts
