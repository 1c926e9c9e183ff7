"""A burst of statements through SQLAlchemy, first unprotected, then protected by a rule file.

It is the second act of ``make demo``: ``make demo-sqlalchemy``, or ``python burst.py [RULES]``. ``BURST_SECONDS`` is the
length of each run: 2 to 20, 10 unless set.
"""

import os
import pathlib
import re
import sys
import tempfile

from rich.console import Console
from run import Run
from shop import CONNECTIONS, ORDERS, STATEMENTS, Kind, connect, fill
from show import duration, latency, plot, table, watch

import sqlthrottle
import sqlthrottle.sqlalchemy

RULES = pathlib.Path(__file__).parents[1] / "burst" / "sqlthrottle.yml"


def run(throttle: sqlthrottle.Throttle, database: str, seconds: int, console: Console) -> Run:
    """Runs the burst over an engine, all of whose statements ask a throttle."""
    engine = connect(database)
    sqlthrottle.sqlalchemy.install(engine, throttle)
    burst = Run(engine, seconds)
    try:
        burst.go(lambda: watch(burst, console))
    finally:
        engine.dispose()
    return burst


def demonstrate(rules: pathlib.Path, seconds: int, console: Console) -> None:
    with (
        sqlthrottle.open(rules) as enforcing,
        sqlthrottle.Throttle(observed(rules.read_text("utf-8"))) as observing,
        tempfile.TemporaryDirectory() as directory,
    ):
        introduce(enforcing)
        database = os.path.join(directory, "shop.sqlite")
        fill(database)
        print(f"\nRun 1 of 2, {seconds} s: unprotected (the same rules in `mode: observe`: they refuse nothing)\n")
        unprotected = run(observing, database, seconds, console)
        would = sum(rule["would_abort"] + rule["would_delay"] for rule in observing.snapshot()["rules"])
        print(f"The rules would have refused or delayed {would} statements.")
        print(f"\nRun 2 of 2, {seconds} s: protected\n")
        protected = run(enforcing, database, seconds, console)
    print(first_refusal(protected) + "\n")
    console.print(table(unprotected, protected))
    print("\n" + plot(unprotected, protected, colours=console.color_system is not None and not console.no_color))
    slow, fast = latency(unprotected, "in", 99), latency(protected, "in", 99)
    print("In the burst, 99 of 100 innocent statements were answered")
    print(f"within {slow} unprotected, {fast} protected.")
    print("An engine asks with a connection in hand, and what is delayed keeps it: with `strategy: delay`,")
    print("have `max_delayed` be less than the pool has, as in `delay: 200ms, max_delayed: 2`.")
    print("\nNext: `sqlthrottle.sqlalchemy.install` on an engine of your own, and docs/python.md.")


def observed(rules: str) -> str:
    """The same rules, which count and refuse nothing."""
    return re.sub(r"(?m)^mode:.*$", "", rules) + "\nmode: observe\n"


def introduce(throttle: sqlthrottle.Throttle) -> None:
    report = STATEMENTS[Kind.REPORT].text
    print(f"The same burst through SQLAlchemy: {ORDERS} orders in SQLite, a pool of {CONNECTIONS} connections.")
    print("Innocent clients read and change single orders. Then, for a while, others ask for one expensive")
    print("report as fast as they are answered. Its constants are bound here; the fingerprint is the same:\n")
    print("    statement     " + report.replace("\n", "\n" + " " * 18))
    print(f"    fingerprint   {throttle.fingerprint(report)}")
    print(f"\nThe rules are those of {os.path.relpath(throttle.path or '')}. Every statement asks them by one line:\n")
    print("    sqlthrottle.sqlalchemy.install(engine, throttle)")


def first_refusal(run: Run) -> str:
    """What the engine raised when it first said no."""
    decision = run.first_refusal
    if decision is None:
        return "Nothing was refused."
    after = "never" if decision.retry_after is None else duration(decision.retry_after)
    why = f"reason {decision.reason.value}, count {decision.count}, limit {decision.limit}"
    return f"The first refusal: {decision.verdict.value} by {decision.rule}, {why},\nretry after {after}."


def run_length() -> int:
    """How long each run lasts, in seconds."""
    said = os.environ.get("BURST_SECONDS", "10")
    if said not in map(str, range(2, 21)):
        raise ValueError(f"BURST_SECONDS is {said}; it is a number from 2 to 20")
    return int(said)


def main() -> int:
    terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    console = Console(force_terminal=terminal, width=None if terminal else 100, highlight=False)
    try:
        demonstrate(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else RULES, run_length(), console)
    except KeyboardInterrupt:
        return 130
    except (sqlthrottle.RuleError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
