"""``SQL_THROTTLE``: what may stand in it, what it stands for, and what is wrong with it."""

from __future__ import annotations

import difflib
import functools
import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from django.conf import settings as django_settings
from django.core.checks import CheckMessage, Error
from django.utils.module_loading import import_string

from .._errors import SqlThrottleError
from .._exempt import is_exempt
from .._web._http import Front
from .._names import Fakes, InTransaction
from .._threshold import ThresholdProvider
from .._throttle import Throttle, open

if TYPE_CHECKING:
    from ._guard import DatabaseGuard

__all__ = ["NAME", "Settings", "check_settings", "read"]

NAME = "SQL_THROTTLE"
_KEYS = (
    "RULES",
    "THROTTLE",
    "PROVIDER",
    "DATABASES",
    "EXCEPT",
    "IN_TRANSACTION",
    "FAKES",
    "MIGRATIONS",
    "EXEMPT",
    "STATUS",
    "RATE_LIMIT_HEADERS",
    "USER",
    "CLIENT",
    "COUNTERS",
)
_EXAMPLE = f'{NAME} = {{"RULES": BASE_DIR / "sqlthrottle.yml"}}'
_NAMED = "a callable, or the dotted path of one"


class Settings:
    """What ``SQL_THROTTLE`` says, with its defaults."""

    throttle: Throttle
    """That of the process."""
    aliases: frozenset[str]
    """The databases that are guarded."""
    guards: dict[tuple[str, str], DatabaseGuard]
    """Those that are in, by the alias and the name of a database."""

    def __init__(self, said: Mapping[str, Any], calls: Mapping[str, Callable[..., Any] | None]) -> None:
        self.in_transaction = InTransaction(said.get("IN_TRANSACTION", InTransaction.APPLY))
        self.fakes = Fakes(said.get("FAKES", Fakes.ROWS_AND_COUNT))
        self.migrations: bool = said.get("MIGRATIONS", False)
        self._status: int = said.get("STATUS", 429)
        self._rate_limit_headers: bool = said.get("RATE_LIMIT_HEADERS", False)
        self.counters: str | None = None if said.get("COUNTERS") is None else os.fspath(said["COUNTERS"])
        self.exempt = calls["EXEMPT"] if "EXEMPT" in said else is_exempt
        self.user = calls["USER"]
        self.names_user = "USER" not in said
        self.client = calls["CLIENT"]
        self.guards = {}

    @functools.cached_property
    def front(self) -> Front:
        """How the middleware refuses. Where there is none, no requests are counted."""
        return Front(self.throttle, self._status, self._rate_limit_headers)


class _Faults(list[CheckMessage]):
    """What is wrong, as messages of Django's system checks."""

    def add(self, number: int, message: str, hint: str | None = None) -> None:
        self.append(Error(message, hint=hint, id=f"sqlthrottle.E{number:03}"))


def read() -> tuple[Settings | None, list[CheckMessage]]:
    """Reads the settings and opens the throttle, or says all that is wrong with them."""
    faults = _Faults()
    said = _said(faults)
    if said is None:
        return None, faults
    for key in said:
        if key not in _KEYS:
            near = difflib.get_close_matches(str(key).upper(), _KEYS, 1)
            hint = f"Did you mean {near[0]!r}?" if near else f"There are {', '.join(_KEYS)}."
            faults.add(3, f"{NAME} has an unknown key {key!r}.", hint)
    aliases = _aliases(said, faults)
    _look_at_values(said, faults)
    calls = {key: _called(said, key, faults) for key in ("PROVIDER", "EXEMPT", "USER", "CLIENT")}
    throttle = _throttle(said, cast("ThresholdProvider | None", calls["PROVIDER"]), faults)
    if faults or throttle is None:
        return None, faults
    settings = Settings(said, calls)
    settings.throttle = throttle
    settings.aliases = aliases
    return settings, faults


def check_settings(**_: object) -> list[CheckMessage]:
    """What ``manage.py check`` says of the settings."""
    settings, faults = read()
    if settings is not None and not _is_given(getattr(django_settings, NAME)):
        settings.throttle.close()
    return faults


def _said(faults: _Faults) -> Mapping[str, Any] | None:
    said = getattr(django_settings, NAME, None)
    if said is None:
        faults.add(1, f"The setting {NAME} is missing.", _EXAMPLE)
        return None
    if isinstance(said, (str, os.PathLike)):
        return {"RULES": said}
    if not isinstance(said, Mapping):
        faults.add(2, f"{NAME} is neither a mapping nor the path of a rule file.", _EXAMPLE)
        return None
    return cast("Mapping[str, Any]", said)


def _aliases(said: Mapping[str, Any], faults: _Faults) -> frozenset[str]:
    there = set(django_settings.DATABASES)
    listed: dict[str, set[str]] = {"DATABASES": there, "EXCEPT": set()}
    for key in listed:
        if said.get(key) is None:
            continue
        if isinstance(said[key], str) or not isinstance(said[key], Iterable):
            faults.add(7, f"{NAME}[{key!r}] is no list of the names of databases.")
            continue
        # What is no name is no alias either, and may not be hashable.
        listed[key] = {alias if isinstance(alias, str) else repr(alias) for alias in cast("Iterable[object]", said[key])}
        for alias in sorted(listed[key] - there):
            near = difflib.get_close_matches(alias, there, 1)
            hint = f"Did you mean {near[0]!r}?" if near else f"There are {', '.join(sorted(there))}."
            faults.add(6, f"{NAME}[{key!r}] names a database {alias!r} that DATABASES does not have.", hint)
    return frozenset(listed["DATABASES"] - listed["EXCEPT"])


def _look_at_values(said: Mapping[str, Any], faults: _Faults) -> None:
    for key, names in (("IN_TRANSACTION", InTransaction), ("FAKES", Fakes)):
        if key in said and said[key] not in [name.value for name in names]:
            faults.add(7, f"{NAME}[{key!r}] is none of {', '.join(name.value for name in names)}.")
    for key in ("MIGRATIONS", "RATE_LIMIT_HEADERS"):
        if not isinstance(said.get(key, False), bool):
            faults.add(7, f"{NAME}[{key!r}] is neither True nor False.")
    if said.get("STATUS", 429) not in (429, 503):
        faults.add(7, f"{NAME}['STATUS'] is neither 429 nor 503.")
    if said.get("COUNTERS") is not None and not _is_path(said["COUNTERS"]):
        faults.add(7, f"{NAME}['COUNTERS'] is not the path of a folder.")


def _called(said: Mapping[str, Any], key: str, faults: _Faults) -> Callable[..., Any] | None:
    value = said.get(key)
    if isinstance(value, str):
        value = _imported(key, value, faults)
        if value is None:
            return None
    if value is not None and not callable(value):
        faults.add(8, f"{NAME}[{key!r}] is not {_NAMED}.")
        return None
    return cast("Callable[..., Any] | None", value)


def _throttle(said: Mapping[str, Any], provider: ThresholdProvider | None, faults: _Faults) -> Throttle | None:
    if ("RULES" in said) == ("THROTTLE" in said):
        faults.add(4, f"{NAME} has to have either RULES or THROTTLE.", _EXAMPLE)
        return None
    if "THROTTLE" in said:
        return _given(said["THROTTLE"], faults)
    rules = said["RULES"]
    try:
        if isinstance(rules, Mapping):
            return Throttle(cast("Mapping[str, Any]", rules), provider=provider)
        return open(rules, provider=provider)
    except SqlThrottleError as error:
        faults.add(5, f"{NAME}['RULES'] are refused: {error}")
    except (TypeError, ValueError) as error:
        faults.add(5, f"{NAME}['RULES'] are neither the path of a rule file nor rules: {error}")
    return None


def _given(value: object, faults: _Faults) -> Throttle | None:
    if isinstance(value, str):
        value = _imported("THROTTLE", value, faults)
        if value is None:
            return None
    if isinstance(value, Throttle) and not value.closed:
        return value
    what = "a closed throttle" if isinstance(value, Throttle) else "not a throttle, or the dotted path of one"
    faults.add(8, f"{NAME}['THROTTLE'] is {what}.")
    return None


def _imported(key: str, path: str, faults: _Faults) -> Any:
    """What a dotted path names; none where that cannot be had, whatever its module does when it is imported."""
    try:
        return import_string(path)
    except Exception as error:
        faults.add(8, f"{NAME}[{key!r}] cannot be imported: {error}", None if isinstance(error, ImportError) else repr(error))
        return None


def _is_path(value: object) -> bool:
    path: object = os.fspath(cast("os.PathLike[str]", value)) if isinstance(value, os.PathLike) else value
    return isinstance(path, str) and path != "" and "\0" not in path


def _is_given(said: object) -> bool:
    """Whether the throttle is the program's own."""
    return isinstance(said, Mapping) and "THROTTLE" in said
