"""Rows that are measured in turns, so that whatever else the machine does befalls all of them."""

from __future__ import annotations

import statistics
import timeit
from dataclasses import dataclass, field

ROUNDS = 31


@dataclass
class Row:
    """What is measured: a statement of Python's, and how often a round runs it."""

    name: str
    statement: str
    number: int
    names: dict[str, object]
    rounds: list[float] = field(default_factory=list)

    @property
    def nanos(self) -> float:
        """Nanoseconds that it takes once, of the median round: with its part of the loop, and no call around it."""
        return statistics.median(self.rounds)


def row(name: str, statement: str, number: int, **names: object) -> Row:
    return Row(name, statement, number, names)


def measure(rows: list[Row]) -> None:
    """Runs all rows, a round of each after the other; the first one warms up."""
    timers = [timeit.Timer(row.statement, globals=row.names) for row in rows]
    for row, timer in zip(rows, timers, strict=True):
        timer.timeit(row.number)
    for _ in range(ROUNDS):
        for row, timer in zip(rows, timers, strict=True):
            row.rounds.append(timer.timeit(row.number) / row.number * 1e9)


def show(title: str, rows: list[Row], *, by: Row) -> None:
    """Prints a table: nanoseconds, and how many times those of one row."""
    print(f"\n{title:42} {'ns':>9} {'x ' + by.name:>18}")
    for row in rows:
        print(f"{row.name:42} {row.nanos:9.1f} {row.nanos / by.nanos:18.3f}")
