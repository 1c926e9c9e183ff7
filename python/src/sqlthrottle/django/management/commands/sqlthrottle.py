"""``manage.py sqlthrottle``: the live counters of all processes of a site, added up."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from sqlthrottle.django import _counters, _state

_CLEAR = "\x1b[2J\x1b[H"


class Command(BaseCommand):
    """Reads what the processes write into the folder that ``SQL_THROTTLE["COUNTERS"]`` names."""

    help = "Shows what each rule has counted, in all processes of the site that are running."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--watch", nargs="?", type=float, const=1.0, metavar="SECONDS", help="show them again and again"
        )
        parser.add_argument("--json", action="store_true", help="as JSON, with all that is counted")

    def handle(self, *args: Any, **options: Any) -> None:
        folder = _state.current().counters
        if folder is None:
            raise CommandError('SQL_THROTTLE has no "COUNTERS": name a folder that the processes may write their counters to.')
        show = self._json if options["json"] else self._table
        pause: float | None = options["watch"]
        while True:
            text = show(_read(folder))
            self.stdout.write(text if pause is None or options["json"] else _CLEAR + text)
            if pause is None:
                return
            try:
                time.sleep(max(0.1, pause))
            except KeyboardInterrupt:
                return

    def _json(self, snapshots: list[dict[str, Any]]) -> str:
        return json.dumps({"processes": len(snapshots), "rules": _total(snapshots)})

    def _table(self, snapshots: list[dict[str, Any]]) -> str:
        # A terminal does what some characters say, and a name may be from anybody who writes to the folder.
        rules = {name if name.isprintable() else ascii(name)[1:-1]: counters for name, counters in _total(snapshots).items()}
        wide = max((len(name) for name in rules), default=4)
        lines = [f"{len(snapshots)} process{'' if len(snapshots) == 1 else 'es'}"]
        lines.append("  ".join([f"{'rule':<{wide}}", *(f"{column:>9}" for column in _counters.COUNTERS)]))
        for name, counters in rules.items():
            lines.append("  ".join([f"{name:<{wide}}", *(f"{counters[column]:>9}" for column in _counters.COUNTERS)]))
        return "\n".join(lines)


def _read(folder: str) -> list[dict[str, Any]]:
    try:
        return _counters.read(folder)
    except FileNotFoundError:
        # No process has come so far.
        return []
    except OSError as error:
        raise CommandError(f"the counters cannot be read: {error}") from None


def _total(snapshots: Iterable[dict[str, Any]]) -> dict[str, dict[str, int]]:
    """The counters of each rule, of all processes together."""
    rules: dict[str, dict[str, int]] = {}
    for snapshot in snapshots:
        for rule in snapshot["rules"]:
            total = rules.setdefault(rule["name"], {})
            for name, count in rule.items():
                if isinstance(count, int):
                    total[name] = total.get(name, 0) + count
    return rules
