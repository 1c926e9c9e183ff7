"""What the integrations of drivers share: how a connection is guarded, what is made up of an ignored statement, and who holds a place."""

from __future__ import annotations

from ._base import DriverClass
from ._guard import DriverGuard, Options, Places
from ._install import guarded_class, is_guarded, put_in, take_out
from ._rows import counted_rows

__all__ = ["DriverClass", "DriverGuard", "Options", "Places", "counted_rows", "guarded_class", "is_guarded", "put_in", "take_out"]
