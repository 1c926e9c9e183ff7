"""psycopg 3: every statement of a connection or a pool asks the throttle before it is sent, in threads and in tasks.

::

    sqlthrottle.psycopg.install(connection, throttle)          # or an AsyncConnection, a ConnectionPool, an AsyncConnectionPool

    connection = sqlthrottle.psycopg.connect(conninfo, throttle=throttle)
    connection = await sqlthrottle.psycopg.connect_async(conninfo, throttle=throttle)
"""

from __future__ import annotations

from ._install import connect, connect_async, install, uninstall

__all__ = ["connect", "connect_async", "install", "uninstall"]
