from typing import Any

class CommandError(Exception): ...

class CommandParser:
    def add_argument(self, *names: str, **options: Any) -> Any: ...

class BaseCommand:
    stdout: Any
