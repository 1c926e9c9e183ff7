from typing import Any

connection_created: Any
