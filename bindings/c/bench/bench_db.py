"""The end-to-end bench: real clients, the example server, and PostgreSQL and MariaDB behind it.

For each database and number of connections it runs the same load without a limit (the server does not ask at all), with limits
far above the load, and with a limit that a burst of one statement exceeds ten times, beside the innocent statements. Every round
has each of them once, in an order that turns; the figures are medians over the rounds. The targets that are missed are named, and
are no failure of the bench: its figures are those of the machine and of what else runs there.

Variables: DATABASES, CONNECTIONS, RUN_SECONDS, ROUNDS; PREFIX and LIBDIR say where the library is installed.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tests"))

# The service knows where the databases are.
from service import Service, build  # noqa: E402
from databases import MariaDB, PostgreSQL  # noqa: E402

DATABASES = {"postgresql": PostgreSQL, "mariadb": MariaDB}
CHOSEN = os.environ.get("DATABASES", "postgresql mariadb").split()
CONNECTIONS = [int(number) for number in os.environ.get("CONNECTIONS", "16 200 1000").split()]
RUN_SECONDS = int(os.environ.get("RUN_SECONDS", "2"))
ROUNDS = int(os.environ.get("ROUNDS", "3"))

# Rows of the table that innocent statements read and write by key, and of the one that a statement of the burst reads whole.
ACCOUNTS = 10_000
LEDGER = 10_000
# Statements of the burst that are allowed in a second, and that are sent: ten times as many, by clients of their own.
LIMIT = 20
BURST = 10 * LIMIT
BURST_CLIENTS = 32

# Every kind of limiter that a real rule file has takes part in every check: a window for each statement, a bucket, permits.
FAR = """
default_threshold: {max_count: 60000000, window: 60s}
rules:
  - {name: bucket, limit: {token_bucket: {capacity: 60000000, rate: 1000000/s}}}
  - {name: at-once, limit: {concurrency: {max: 100000}}}
"""
BELOW = FAR + f"  - {{name: burst, match: {{tables: ledger}}, limit: {{sliding_window: {{max: {LIMIT}, window: 1s}}}}}}\n"

# What is printed of a row: its rules, and whether there is a burst.
MODES = {
    "no limit": (None, False),
    "no limit, again": (None, False),
    "limit far above": (FAR, False),
    "burst, limit below": (BELOW, True),
    "burst, no limit": (None, True),
}
# What a burst does to a database that nothing protects: to compare with, and measured in the first round alone.
UNPROTECTED = "burst, no limit"
FIGURES = ("throughput", "mean", "p50", "p99", "busy", "errors", "burst_sent", "burst_done", "burst_refused")


def fill(service):
    """Makes the tables, by statements that both databases know."""
    with service.client() as client:
        ledger = ("(%d, 'entry %d of the ledger, booked on day %d')" % (row, row * 7919, row % 365) for row in range(LEDGER))
        tables = {
            "accounts (id int primary key, name varchar(40), balance int)":
                [f"({row}, 'account {row}', 100)" for row in range(1, ACCOUNTS + 1)],
            "ledger (id int primary key, note varchar(80))": list(ledger),
        }
        for table, rows in tables.items():
            statements = [f"create table {table}"]
            for first in range(0, len(rows), 500):
                statements.append(f"insert into {table.split()[0]} values {', '.join(rows[first : first + 500])}")
            for statement in statements:
                answer = client.ask(statement)
                if not answer.ok:
                    raise RuntimeError(answer.status)


def run(binaries, database, connections, mode):
    """One run of the load; its figures by name."""
    rules, has_burst = MODES[mode]
    burst = [BURST_CLIENTS, BURST] if has_burst else []
    most = str(connections + BURST_CLIENTS)
    with Service(binaries["server"], database, rules, "--most-clients", most) as service:
        command = [binaries["load"], service.port, connections, ACCOUNTS, RUN_SECONDS, *burst]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        status, _ = service.stop()
        if status != 0:
            raise RuntimeError(f"the server ended with {status}: {service.complaints()}")
    return {name: float(value) for name, value in (figure.split("=") for figure in done.stdout.split())}


def measure(binaries, database, connections):
    """The medians of every mode."""
    modes = list(MODES)
    runs = {mode: [] for mode in modes}
    for number in range(ROUNDS):
        turned = modes[number % len(modes) :] + modes[: number % len(modes)]
        for mode in turned:
            if number == 0 or mode != UNPROTECTED:
                runs[mode].append(run(binaries, database, connections, mode))
    return {mode: {name: statistics.median(run[name] for run in runs[mode]) for name in FIGURES} for mode in modes}


def print_rows(rows):
    print(f"{'':20}{'per second':>12}{'mean ms':>10}{'p50 ms':>10}{'p99 ms':>10}  {'burst: sent, run, refused':>26}{'client':>8}")
    for mode, row in rows.items():
        burst = "{burst_sent:.0f}, {burst_done:.0f}, {burst_refused:.0f}".format(**row) if MODES[mode][1] else ""
        times = "".join(f"{row[name] / 1000:>10.2f}" for name in ("mean", "p50", "p99"))
        print(f"{mode:20}{row['throughput']:>12.0f}{times}  {burst:>26}{row['busy']:>8.0%}")
        if row["errors"]:
            print(f"{'':20}{row['errors']:.0f} statements failed")


def print_targets(rows):
    """Says of each target whether it is reached. Returns whether both are."""
    plain = rows["no limit"]["throughput"]
    noise = abs(rows["no limit, again"]["throughput"] / plain - 1)
    cost = abs(rows["limit far above"]["throughput"] / plain - 1)
    kept = rows["burst, limit below"]["throughput"] / plain
    unguarded = rows[UNPROTECTED]["throughput"] / plain
    near, enough = cost <= noise + 0.02, kept >= 0.9
    print(f"{'' if near else 'MISSED: '}a limit that is never reached differs by {cost:.1%}, two runs without by {noise:.1%}")
    print(f"{'' if enough else 'MISSED: '}innocent statements keep {kept:.1%} under the burst, and {unguarded:.1%} without a limit\n")
    return near and enough


def main():
    # A server with a thousand clients has two thousand sockets.
    most_files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most_files, most_files))
    reached = True
    with tempfile.TemporaryDirectory() as folder:
        binaries = {"server": build(folder), "load": os.path.join(folder, "load")}
        source = os.path.join(HERE, "load.c")
        warnings = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
        subprocess.run(["cc", "-O2", *warnings, "-o", binaries["load"], source], check=True)
        print(f"medians of {ROUNDS} rounds of {RUN_SECONDS} s; `client` is how busy the one thread of the load was\n")
        for name in CHOSEN:
            with DATABASES[name](connections=max(CONNECTIONS) + BURST_CLIENTS + 20) as database:
                with Service(binaries["server"], database, None) as service:
                    fill(service)
                for connections in CONNECTIONS:
                    print(f"{name}, {connections} connections", flush=True)
                    rows = measure(binaries, database, connections)
                    print_rows(rows)
                    reached = print_targets(rows) and reached
    print("all targets are reached" if reached else "targets are missed, as said above")


if __name__ == "__main__":
    main()
