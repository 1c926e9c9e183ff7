"""Django, 4.2 and later: every statement of every connection asks the throttle before it is sent.

::

    INSTALLED_APPS = ["sqlthrottle.django", ...]
    MIDDLEWARE = [..., "sqlthrottle.django.Middleware"]     # refused statements become 429

    SQL_THROTTLE = {"RULES": BASE_DIR / "sqlthrottle.yml"}
"""

from __future__ import annotations

from ._middleware import Middleware
from ._state import throttle

__all__ = ["Middleware", "throttle"]
