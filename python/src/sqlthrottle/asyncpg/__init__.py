"""asyncpg, 0.30 and later: every statement of a connection or a pool asks the throttle before it is sent.

::

    pool = await sqlthrottle.asyncpg.create_pool(dsn, throttle=throttle)
    sqlthrottle.asyncpg.install(connection_or_pool, throttle)
"""

from __future__ import annotations

from ._install import connect, connection_class, create_pool, install, uninstall

__all__ = ["connect", "connection_class", "create_pool", "install", "uninstall"]
