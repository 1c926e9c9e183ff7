from typing import Any

setting_changed: Any
got_request_exception: Any
