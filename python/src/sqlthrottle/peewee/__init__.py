"""peewee 4.5 and later, with and without ``playhouse.pwasyncio``: every statement of a database asks the throttle before it is sent.

::

    sqlthrottle.peewee.install(database, throttle)      # or a DatabaseProxy, whatever it will stand for
"""

from __future__ import annotations

from ._install import install, uninstall

__all__ = ["install", "uninstall"]
