"""Which statements are never checked, by their text alone: those that manage a schema, look at one, or see whether the database is there.

To throttle them breaks a start or a health check, and to ignore them breaks more. Only what stands before the first constant is
looked at, so no value that a text was built with can exempt it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

__all__ = ["COMMENT", "first_word", "is_exempt", "or_blank", "or_control"]

_DEFINITIONS = frozenset(("create", "alter", "drop", "truncate", "comment", "rename", "grant", "revoke"))
_VALIDATIONS = frozenset(("select 1", "select 1 from dual", "values 1", "values(1)", "/* ping */ select 1"))
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
_ENDS = "; \t\r\n\f\v"
COMMENT = r"--[^\n]*|/\*(?!M?!)[^*/]*(?:(?:\*(?!/)|/(?!\*))[^*/]*)*\*/"
"""What every database takes for a comment: a nested one ends elsewhere for some of them, and ``/*!`` is none for MySQL."""
# A quoted name is a token with its quotes. Reading ends where databases would read on in different ways, and before the first string.
_TOKEN = re.compile(
    COMMENT
    + r"""|\s+|(?P<token>"[^"\\]*"|`[^`]*`|\[[^\]]*\]|[^\W\d][\w$]*|\w+|(?!['"`\[#]|/\*|\$\w*\$).)|(?P<end>.)""",
    re.DOTALL,
)
_MOST_TOKENS = 2_000
# A string with a backslash in it ends elsewhere for some databases.
_DIVIDES = re.compile(
    COMMENT
    + r"""|'[^'\\]*'|"[^"\\]*"|`[^`]*`|[^\W\d][\w$]*|(?P<body>\$\w*\$)(?:.*?(?P=body))?|(?P<divide>;)|(?P<open>['"`])|"""
    r"""[^-/'"`$;\w]+|.""",
    re.DOTALL,
)
# What libraries ask a server of itself when they meet it.
_SYSTEM = re.compile(r"select (?:@@(?:\w+\.)?\w+|(?:(?:pg_catalog\.)?version|current_schema|current_database|database)\(\))")
_ROUTINES = frozenset(("function", "procedure", "trigger", "event", "package", "rule"))
_NO_ROUTINES = frozenset(("table", "view", "index", "schema", "database", "sequence", "user", "role", "type", "(", ""))
# A single statement: behind a semicolon there may be any other.
_CONTROL = re.compile(
    r"\s*(?:begin|start\s+transaction|commit|end|rollback|abort|savepoint|release|prepare\s+transaction|set|reset|show|discard|close|"
    r"deallocate|listen|unlisten)\b[^;]*(?:;\s*)?\Z",
    re.IGNORECASE,
)


def or_blank(exempt: Callable[[str], bool] | None) -> Callable[[str], bool]:
    """Exempts what says nothing too: pools test connections with an empty text."""

    def is_either(sql: str) -> bool:
        return _is_blank(sql) or (exempt is not None and exempt(sql))

    return is_either


def or_control(exempt: Callable[[str], bool] | None) -> Callable[[str], bool]:
    """Exempts also what manages a transaction, a setting, a cursor or what is listened to, or says nothing, which libraries send as any
    other text."""

    def is_either(sql: str) -> bool:
        return _CONTROL.match(sql) is not None or _is_blank(sql) or (exempt is not None and exempt(sql))

    return is_either


def first_word(sql: str) -> str:
    """The first word of a statement, behind comments, in lower case."""
    return _Words(sql).next()


def is_exempt(sql: str) -> bool:
    """Whether a text is a definition, a look at the catalog, on the history of a migration tool, or what libraries test connections with,
    and find out about the server by. Of several statements, whether each one is: but what defines a routine is taken for one, as its body
    has semicolons of its own."""
    sql = sql.strip(_ENDS)
    if ";" not in sql or _is_routine(sql):
        return _is_one_exempt(sql)
    statements = _divided(sql)
    return bool(statements) and all(map(_is_one_exempt, statements))


def _is_blank(sql: str) -> bool:
    words = _Words(sql)
    while token := words.next():
        if token != ";":
            return False
    return words.is_read


def _divided(sql: str) -> list[str]:
    """The statements of a text, without those that say nothing; none where databases would divide it in different ways."""
    divided: list[str] = []
    begun = 0
    for found in _DIVIDES.finditer(sql):
        if found["divide"]:
            divided.append(sql[begun : found.start()])
            begun = found.end()
        elif found["open"] or (found["body"] and len(found[0]) == len(found["body"])):
            return []
    divided.append(sql[begun:])
    return [statement for statement in divided if not _is_blank(statement)]


def _is_routine(sql: str) -> bool:
    words = _Words(sql)
    if words.next() != "create":
        return False
    # Between them may stand OR REPLACE, and who defines it.
    while (word := words.next()) not in _ROUTINES:
        if word in _NO_ROUTINES:
            return False
    return True


def _is_one_exempt(sql: str) -> bool:
    if len(sql) <= _LONGEST_VALIDATION:
        squeezed = _BLANKS.sub(" ", sql.strip()).lower()
        if squeezed in _VALIDATIONS or _SYSTEM.fullmatch(squeezed):
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
        self.is_read = False
        """Whether the text has ended, and not only what of it is looked at."""

    def next(self) -> str:
        """The next token; an empty text where there is none."""
        while not self._ended and self._left:
            self._left -= 1
            found = next(self._found, None)
            if found is None or found["end"]:
                self._ended = True
                self.is_read = found is None
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
