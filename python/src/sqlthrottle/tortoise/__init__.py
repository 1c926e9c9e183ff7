"""Tortoise ORM 1.x: every statement of a connection asks the throttle before it is sent.

::

    await Tortoise.init(config)
    sqlthrottle.tortoise.install("default", throttle)      # or a TortoiseContext, for all of its connections
"""

from __future__ import annotations

from ._install import install, uninstall

__all__ = ["install", "uninstall"]
