"""The plugin for engines that are made from a URL."""

from __future__ import annotations

import threading
from typing import Any
from weakref import WeakValueDictionary

from sqlalchemy import URL, Engine
from sqlalchemy.engine import CreateEnginePlugin

from .._errors import ArgumentError
from .._throttle import Throttle, open
from ._install import install

__all__ = ["Plugin"]

_RULES = "sqlthrottle_rules"
_IN_TRANSACTION = "sqlthrottle_in_transaction"
_FAKES = "sqlthrottle_fakes"

_opened: WeakValueDictionary[str, Throttle] = WeakValueDictionary()
_lock = threading.Lock()


class Plugin(CreateEnginePlugin):
    """``create_engine(url, plugins=["sqlthrottle"], throttle=throttle)``, or with a rule file in the URL itself:
    ``postgresql+psycopg://db/shop?plugin=sqlthrottle&sqlthrottle_rules=/etc/sqlthrottle.yml``.

    ``sqlthrottle_in_transaction`` and ``sqlthrottle_fakes`` in a URL are those of :func:`install`. Engines with one rule file share
    its limits.

    :raises ArgumentError: neither a throttle nor a rule file is given, or both are.
    """

    def __init__(self, url: URL, kwargs: dict[str, Any]) -> None:
        throttle = kwargs.pop("throttle", None)
        path = _said(url, _RULES)
        if (throttle is None) == (path is None):
            raise ArgumentError(f"the plugin takes either throttle=… or {_RULES}=… in the URL")
        self._throttle: Throttle = throttle if path is None else _shared(path)
        self._options = {
            option: value
            for option, value in (("in_transaction", _said(url, _IN_TRANSACTION)), ("fakes", _said(url, _FAKES)))
            if value is not None
        }

    def update_url(self, url: URL) -> URL:
        return url.difference_update_query((_RULES, _IN_TRANSACTION, _FAKES))

    def engine_created(self, engine: Engine) -> None:
        install(engine, self._throttle, **self._options)  # type: ignore[arg-type]


def _said(url: URL, name: str) -> str | None:
    value = url.query.get(name)
    if value is None or isinstance(value, str):
        return value
    raise ArgumentError(f"{name} stands several times in the URL")


def _shared(path: str) -> Throttle:
    with _lock:
        throttle = _opened.get(path)
        if throttle is None or throttle.closed:
            throttle = _opened[path] = open(path)
        return throttle
