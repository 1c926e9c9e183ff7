"""The cases that every language shares hold through the API of Python."""

from __future__ import annotations

import hashlib
from typing import Any

from conformance import ScriptRun, only, run_every, text_of

from sqlthrottle import Throttle


def test_every_decision_script_holds() -> None:
    def run(script: dict[str, Any]) -> str | None:
        script_run = ScriptRun(script)
        for number, step in enumerate(script["steps"], 1):
            fault = script_run.step(step)
            if fault is not None:
                return f"step {number}: {fault}"
        return None

    run_every("decision", "scripts", run)


def test_every_fingerprint_case_holds() -> None:
    run_every("fingerprint", "cases", lambda case: Subject(case).fault)


class Subject:
    """A throttle that has the options of a case, and what was found wrong of its statements."""

    throttles: dict[str, Throttle] = {}

    def __init__(self, case: dict[str, Any]) -> None:
        only(case, "id", "about", "dialect", "options", "sql", "normalized", "fingerprint", "text", "same", "differ")
        options = only(case.get("options", {}), "hash", "in_lists", "fold_digits", "max_sql_bytes")
        self.hash = options.get("hash", "sha256")
        self.dialect = case["dialect"]
        # `max_sql_bytes` is for what is printed for people, and Python has no such text.
        read = {key: value for key, value in options.items() if key != "max_sql_bytes"}
        rules = {"dialect": self.dialect, "fingerprint": read}
        self.throttle = self.throttles.setdefault(str(rules), Throttle(rules))
        self.fault: str | None = None
        if "sql" in case:
            sql = text_of(case["sql"])
            fingerprint = self._fingerprint(sql)
            self._expect(self._normalized(sql), text_of(case["normalized"]))
            self._expect(fingerprint, case.get("fingerprint", fingerprint))
        else:
            statements = case["same"] if "same" in case else case["differ"]
            distinct = len({self._fingerprint(text_of(statement)) for statement in statements})
            self._expect(distinct, 1 if "same" in case else len(statements))

    def _fingerprint(self, sql: bytes) -> str:
        normalized = self._normalized(sql)
        fingerprint = self.throttle.fingerprint(sql)
        self._expect(self._normalized(normalized), normalized)
        self._expect(hashlib.new(self.hash, normalized).hexdigest(), fingerprint)
        self._expect(self.throttle.check(sql).fingerprint, fingerprint)
        self._expect(self.throttle.fingerprint(sql, dialect=self.dialect), fingerprint)
        try:
            text = sql.decode()
        except UnicodeDecodeError:
            return fingerprint
        self._expect(self.throttle.fingerprint(text), fingerprint)
        self._expect(self.throttle.check(text).fingerprint, fingerprint)
        self._expect(self.throttle.normalize(text), normalized.decode("utf-8", "replace"))
        return fingerprint

    def _normalized(self, sql: bytes) -> bytes:
        return self.throttle._normalize_bytes(sql)

    def _expect(self, got: object, expected: object) -> None:
        if got != expected and self.fault is None:
            self.fault = f"expected {expected!r:.200}, got {got!r:.200}"
