from typing import Any

connections: Any
