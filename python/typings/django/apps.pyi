from collections.abc import Iterable
from typing import Any

class AppConfig:
    def ready(self) -> None: ...

class Apps:
    def is_installed(self, app_name: str) -> bool: ...
    def get_models(self, include_auto_created: bool = False) -> Iterable[Any]: ...

apps: Apps
