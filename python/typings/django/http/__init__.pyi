from typing import Any

class HttpRequest:
    META: dict[str, Any]
    COOKIES: dict[str, str]
    resolver_match: Any
    user: Any

class HttpResponseBase:
    status_code: int
    streaming: bool
    _resource_closers: list[Any]
    def close(self) -> None: ...

class HttpResponse(HttpResponseBase):
    def __init__(self, content: object = b"", *, status: int | None = None, content_type: str | None = None) -> None: ...
    def __setitem__(self, header: str, value: str) -> None: ...
