"""The site of the tests."""

from __future__ import annotations

from typing import Any

urlpatterns: list[Any] = []
