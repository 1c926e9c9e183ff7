"""What runs show: the rates while one lasts, and of two a table and a plot."""

import importlib
import math
import time
from collections.abc import Callable
from typing import Any

from rich.box import Box
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table
from run import Run, Sample
from shop import Kind

# It says nothing of its types.
plotext: Any = importlib.import_module("plotext")

HEAD = " a second        innocent passed   refused    reports passed   refused"
LINES = Box("┌─┬┐\n│ ┆│\n╞═╪╡\n│ ┆│\n├─┼┤\n├─┼┤\n│ ┆│\n└─┴┘\n")
STEPS = 20


def watch(run: Run, console: Console) -> None:
    """Shows the rates until the run is over: beside a progress bar on a terminal, in a line a second elsewhere."""
    console.print(HEAD)
    columns = TextColumn("{task.description}", markup=False), BarColumn(bar_width=None)
    with Progress(*columns, console=console, expand=True, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=run.seconds)
        period, then, seen = 0.25 if console.is_terminal else 1.0, 0.0, 0
        while then < run.seconds:
            time.sleep(max(0.0, min(period, run.seconds - run.now())))
            now, news = run.now(), run.samples[seen:]
            line = _line(run.phase((then + now) / 2), now, now - then, news)
            bar.update(task, completed=now, description=line)
            if not console.is_terminal:
                console.print(line)
            then, seen = now, seen + len(news)


def _line(phase: str, now: float, seconds: float, news: list[Sample]) -> str:
    def rate(reports: bool, passed: bool) -> int:
        return round(sum((s.kind is Kind.REPORT) is reports and s.passed is passed for s in news) / seconds)

    a, b, c, d = rate(False, True), rate(False, False), rate(True, True), rate(True, False)
    return f"{now:5.1f} s  {'burst' if phase == 'in' else 'calm':<12} {a:>10} {b:>9} {c:>17} {d:>9}"


def table(*runs: Run) -> Table:
    """Two runs side by side."""
    shown = Table("", "unprotected", "protected", box=LINES, header_style="")
    for column in shown.columns[1:]:
        column.justify = "right"

    def row(name: str, value: Callable[[Run], object]) -> None:
        shown.add_row(name, *(str(value(run)) for run in runs))

    for kind in Kind:
        row(f"{kind.value}: sent", lambda run: sum(sample.kind is kind for sample in run.samples))
        row("  refused", lambda run: sum(sample.kind is kind and not sample.passed for sample in run.samples))
    row("reports passed before, in and after the burst", _reports_passed)
    for phase in ("before", "in"):
        row(f"innocent statements {phase} the burst: done a second", lambda run: f"{_innocent_rate(run, phase):.0f}")
        for name, percent in (("p50", 50), ("p99", 99), ("max", 100)):
            row(f"  latency {name}", lambda run: latency(run, phase, percent))
    return shown


def _passed(run: Run, reports: bool) -> list[Sample]:
    """The reports, or the innocent statements, that the database ran."""
    return [sample for sample in run.samples if sample.passed and (sample.kind is Kind.REPORT) is reports]


def _reports_passed(run: Run) -> str:
    phases = [run.phase(sample.due) for sample in _passed(run, reports=True)]
    return f"{phases.count('before')}, {phases.count('in')}, {phases.count('after')}"


def _innocent_rate(run: Run, phase: str) -> float:
    """How many innocent statements were answered in a second of a phase before the end of the burst."""
    begin, end = run.burst
    answered = sum(run.phase(sample.answered) == phase for sample in _passed(run, reports=False))
    return answered / (begin if phase == "before" else end - begin)


def latency(run: Run, phase: str, percent: int) -> str:
    """The least latency that so many of the innocent statements due in a phase do not exceed: the nearest rank."""
    due = [sample for sample in _passed(run, reports=False) if run.phase(sample.due) == phase]
    latencies = sorted(sample.answered - sample.due for sample in due)
    return duration(latencies[math.ceil(len(latencies) * percent / 100) - 1]) if latencies else "-"


def duration(seconds: float) -> str:
    """A time to three digits or so: ``0.24 ms``, ``17.3 ms``, ``1.84 s``."""
    millis = seconds * 1e3
    return f"{seconds:.2f} s" if millis >= 1000 else f"{millis:.{2 if millis < 10 else 1 if millis < 100 else 0}f} ms"


def plot(*runs: Run, colours: bool) -> str:
    """The rates of two runs over their time, on one scale."""
    plotext.terminal.limit(width=False, height=False)
    figure = plotext.figure.plot_size(80, 20).subplots(2, 2).theme("colorless")
    seconds = runs[0].seconds
    times = [(step + 0.5) * seconds / STEPS for step in range(STEPS)]
    for row, (what, reports) in enumerate((("reports run", True), ("innocent answered", False)), 1):
        rates = [_rates(run, reports) for run in runs]
        half = 10 * max(1, math.ceil(max(map(max, rates)) / 20))
        marks = [0, half, 2 * half]
        for column, (name, colour) in enumerate((("unprotected", "red"), ("protected", "green"))):
            panel = figure.subplot(row, column + 1).title(f"{what} a second, {name}")
            marker = plotext.marker("hd", plotext.pixel(colour))
            panel.draw(panel.signal(times, rates[column], marker=marker).lines().fillx())
            panel.ruler("x", "lower").lim(0, seconds).frequency(6)
            panel.ruler("y", "left").lim(0, marks[-1]).ticks(marks, [f"{mark:3}" for mark in marks])
    drawn: str = figure.build().string()
    return drawn if colours else str(plotext.uncolorize(drawn))


def _rates(run: Run, reports: bool) -> list[float]:
    """How many statements were answered a second, in each step of a run."""
    steps = [int(sample.answered / run.seconds * STEPS) for sample in _passed(run, reports)]
    return [steps.count(step) * STEPS / run.seconds for step in range(STEPS)]
