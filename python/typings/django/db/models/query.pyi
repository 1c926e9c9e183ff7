from typing import Any

QuerySet: Any
RawQuerySet: Any
