"""The cases that every language shares: ``tests/conformance`` at the root of the repository."""

from __future__ import annotations

import datetime
import json
import pathlib
from collections.abc import Callable
from typing import Any

import sqlthrottle
from sqlthrottle import Decision, PreparedStatement, Throttle, Verdict

ROOT = pathlib.Path(__file__).parents[2] / "tests" / "conformance"
UNITS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}


def run_every(kind: str, cases: str, run: Callable[[dict[str, Any]], str | None]) -> None:
    """Runs every case of a kind, and fails with all faults. What runs one says what is wrong with it."""
    index = json.loads((ROOT / "index.json").read_text("utf-8"))[kind]
    faults = []
    total = 0
    for entry in index["files"]:
        file = only(json.loads((ROOT / entry["file"]).read_text("utf-8")), "topic", cases)
        assert len(file[cases]) == entry["cases"], entry["file"]
        total += len(file[cases])
        for case in file[cases]:
            fault = run(case)
            if fault is not None:
                faults.append(f"{case['id']}: {case['about']}\n  {fault}")
    assert not faults, f"{len(faults)} of {total}\n" + "\n".join(faults)
    assert total == index["cases"]
    there = {f"{kind}/{file.name}" for file in (ROOT / kind).iterdir()}
    assert {entry["file"] for entry in index["files"]} == there


def only(said: dict[str, Any], *fields: str) -> dict[str, Any]:
    """What has no other fields than these: a misspelt one is not passed over."""
    assert set(said) <= set(fields), said
    return said


def text_of(said: Any) -> bytes:
    """The bytes of a statement or a normalised text."""
    if isinstance(said, str):
        return said.encode()
    if "hex" in said:
        return bytes.fromhex(only(said, "hex")["hex"])
    only(said, "prefix", "unit", "times", "suffix")
    return (said["prefix"] + said["unit"] * said["times"] + said["suffix"]).encode()


class ScriptRun:
    """Runs a decision script: a throttle, its clock, and one step after another."""

    def __init__(self, script: dict[str, Any]) -> None:
        only(script, "id", "about", "wall", "provider", "rules", "steps")
        self.clock = sqlthrottle.ManualClock()
        if "wall" in script:
            self.clock.set_wall(_time(script["wall"]))
        # A provider's answers are steps of the script: nobody is to be asked in between.
        self.asks = script.get("provider", False)
        provider = (lambda _: None) if self.asks else None
        rules = "\n".join(script["rules"])
        self.throttle = Throttle(rules, clock=self.clock, provider=provider, refresh=False)
        self.answers: dict[str, Decision] = {}
        self.prepared: dict[str, PreparedStatement] = {}

    def step(self, step: dict[str, Any]) -> str | None:
        """What is otherwise than expected."""
        key = next(iter(step))
        run = getattr(self, f"_{key}", None)
        assert run is not None, f"nobody knows the step {step}"
        return run(step)

    def _check(self, step: dict[str, Any]) -> str | None:
        said = _context(step["check"])
        check = self.throttle._check_unsettled if self.asks else self.throttle.check
        return self._ask(step, "check", lambda: check(**said))

    def _prepare(self, step: dict[str, Any]) -> None:
        only(step, "prepare", "as")
        self.prepared[step["as"]] = self.throttle.prepare(**_context(step["prepare"]))

    def _check_prepared(self, step: dict[str, Any]) -> str | None:
        prepared = self.prepared[step["check_prepared"]]
        return self._ask(step, "check_prepared", prepared._check_unsettled if self.asks else prepared.check)

    def _request(self, step: dict[str, Any]) -> str | None:
        said = only(step["request"], "user", "client", "database", "tags")
        return self._ask(step, "request", lambda: self.throttle.check_request(**said))

    def _resume(self, step: dict[str, Any]) -> str | None:
        delayed = self.answers[step["resume"]]
        return self._ask(step, "resume", lambda: self.throttle.resume(delayed)) if delayed.has_ticket else "there is no ticket"

    def _release(self, step: dict[str, Any]) -> str | None:
        only(step, "release", "released")
        held = self.answers[step["release"]]
        released = self.throttle.release(held)
        if not held.has_permit:
            return "there is no permit"
        return None if step.get("released", released) == released else f"released: {released}"

    def _advance(self, step: dict[str, Any]) -> None:
        # To the nanosecond: whole seconds and the rest of them, of which a float has all digits.
        seconds, nanos = divmod(_nanos(only(step, "advance")["advance"]), UNITS["s"])
        self.clock.advance(datetime.timedelta(seconds=seconds))
        self.clock.advance(nanos / UNITS["s"])

    def _wall(self, step: dict[str, Any]) -> None:
        self.clock.set_wall(_time(only(step, "wall")["wall"]))

    def _reload(self, step: dict[str, Any]) -> None:
        self.throttle.reload("\n".join(only(step, "reload")["reload"]))

    def _reload_fails(self, step: dict[str, Any]) -> str | None:
        only(step, "reload_fails", "code")
        try:
            self.throttle.reload("\n".join(step["reload_fails"]))
        except sqlthrottle.RuleError as refused:
            return None if step["code"] in refused.codes else f"codes: {refused.codes}"
        return "it was loaded"

    def _admin(self, step: dict[str, Any]) -> str | None:
        only(step, "admin", "added", "removed", "listed", "listed_removed", "refused")
        try:
            answer = self.throttle.admin(step["admin"])
        except sqlthrottle.RuleError as refused:
            return None if step.get("refused") else str(refused)
        if "rules" in answer:
            listed = [rule["name"] for rule in answer["rules"]]
            is_as_expected = step.get("listed") == listed and step.get("listed_removed", answer["removed"]) == answer["removed"]
        else:
            key = next(iter(answer))
            is_as_expected = step.get(key) == answer[key]
        return None if is_as_expected else str(answer)

    def _set_threshold(self, step: dict[str, Any]) -> None:
        only(step, "set_threshold", "threshold", "ttl")
        given = step["threshold"]
        threshold = None
        if given is not None:
            only(given, "max_count", "window", "buckets", "rate", "strategy")
            if "window" in given:
                given = given | {"window": _seconds(given["window"])}
            threshold = sqlthrottle.Threshold(**given)
        fingerprint = self.answers[step["set_threshold"]].fingerprint
        assert fingerprint is not None
        self.throttle._set_threshold(fingerprint, threshold, _seconds(step["ttl"]))

    def _thresholds_due(self, step: dict[str, Any]) -> str | None:
        only(step, "thresholds_due", "due")
        due = set(self.throttle._thresholds_due(step["thresholds_due"]))
        return None if due == {self.answers[name].fingerprint for name in step["due"]} else f"due: {due}"

    def _after_fork(self, step: dict[str, Any]) -> None:
        only(step, "after_fork")
        self.throttle._after_fork()

    def _snapshot(self, step: dict[str, Any]) -> str | None:
        rules = {rule["name"]: rule for rule in self.throttle.snapshot()["rules"]}
        for name, expected in only(step, "snapshot")["snapshot"].items():
            got = rules.get(name)
            if (expected is None) != (got is None):
                return f"{name}: {got}"
            if expected is not None and not expected.items() <= got.items():
                return f"{name}: {got}"
        return None

    def _ask(self, step: dict[str, Any], key: str, check: Callable[[], Decision]) -> str | None:
        only(step, key, "times", "as", "expect")
        for time in range(1, step.get("times", 1) + 1):
            decision = check()
            fault = _compare(step.get("expect", {}), decision)
            if fault is not None:
                return f"answer {time}: {fault}; it is {decision!r}"
            if "as" in step:
                self.answers[step["as"]] = decision
        return None


def _compare(expect: dict[str, Any], got: Decision) -> str | None:
    for name, expected in expect.items():
        found = got.has_permit if name == "permit" else getattr(got, name)
        if name in ("retry_after", "delay") and expected is not None:
            expected = _seconds(expected)
        if found != expected or isinstance(found, Verdict) != (name in ("verdict", "observed") and expected is not None):
            return f"{name}: expected {expected}, got {found}"
    return None


def _context(said: dict[str, Any]) -> dict[str, Any]:
    return only(said, "sql", "user", "client", "database", "tags", "params", "dialect", "weight", "fakes")


def _nanos(text: str) -> int:
    digits = text.rstrip("nums")
    return int(digits) * UNITS[text[len(digits) :]]


def _seconds(text: str) -> float:
    return _nanos(text) / UNITS["s"]


def _time(text: str) -> datetime.datetime:
    return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=datetime.timezone.utc)
