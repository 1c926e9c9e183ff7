from typing import Any

CursorWrapper: Any
