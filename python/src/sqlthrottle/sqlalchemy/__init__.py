"""SQLAlchemy, 2.0 and 2.1: every statement of an engine asks the throttle before it is sent.

::

    sqlthrottle.sqlalchemy.install(engine, throttle)      # or an AsyncEngine, a sessionmaker, an async_sessionmaker

    engine = create_engine(url, plugins=["sqlthrottle"], throttle=throttle)
"""

from __future__ import annotations

from ._install import install, uninstall
from ._plugin import Plugin

__all__ = ["Plugin", "install", "uninstall"]
