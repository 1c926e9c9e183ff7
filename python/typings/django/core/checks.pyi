from typing import Any

class CheckMessage:
    msg: str
    hint: str | None
    id: str | None

class Error(CheckMessage):
    def __init__(self, msg: str, hint: str | None = None, obj: object = None, id: str | None = None) -> None: ...

def register(check: Any) -> Any: ...
