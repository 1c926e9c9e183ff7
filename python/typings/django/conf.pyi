from typing import Any

settings: Any
