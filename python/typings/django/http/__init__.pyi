from typing import Any

class HttpRequest:
    META: dict[str, Any]
    COOKIES: dict[str, str]
    resolver_match: Any
    user: Any

class HttpResponseBase:
    status_code: int
    streaming: bool
    _iterator: Any
    _resource_closers: list[Any]
    def close(self) -> None: ...
    def __setitem__(self, header: str, value: str) -> None: ...

class HttpResponse(HttpResponseBase):
    _has_been_logged: bool
    def __init__(
        self, content: object = b"", *, status: int | None = None, reason: str | None = None, headers: dict[str, str] | None = None
    ) -> None: ...
