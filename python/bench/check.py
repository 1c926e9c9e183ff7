"""What a check costs from Python, beside a call that does nothing and two other limiters: medians of one run, in nanoseconds.

The module ``baseline`` is built from ``bench/baseline``; ``make bench-python`` runs all of it.
"""

from __future__ import annotations

import statistics
import timeit

import baseline
import limits
import pyrate_limiter

import sqlthrottle

SQL = "select id, name, email, created_at from users where id = 7 and tenant_id = 42 and deleted_at is null "[:100]
ROUNDS = 31
MOST = 2_000_000_000 // 100


def measured(statement: str, number: int, **names: object) -> float:
    """Nanoseconds that a statement takes, of the median round: of its loop too, and of no call around it."""
    timer = timeit.Timer(statement, globals={"SQL": SQL, **names})
    timer.timeit(number)
    return statistics.median(timer.timeit(number) for _ in range(ROUNDS)) / number * 1e9


def throttle(rules: str) -> sqlthrottle.Throttle:
    return sqlthrottle.Throttle(rules, refresh=False)


def rows() -> list[tuple[str, float]]:
    counted = throttle("default_threshold: {max_count: 60000000, window: 60s}")
    prepared = counted.prepare(SQL)
    placed = throttle("rules: [{name: c, limit: {concurrency: {max: 1000}}}]")

    window = limits.strategies.FixedWindowRateLimiter(limits.storage.MemoryStorage())
    rate = limits.parse(f"{MOST}/minute")
    bucket = pyrate_limiter.Limiter(pyrate_limiter.Rate(MOST, pyrate_limiter.Duration.MINUTE))
    return [
        ("a function that does nothing", measured("nothing(SQL)", 200_000, nothing=baseline.nothing)),
        ("check", measured("throttle.check(SQL)", 200_000, throttle=counted)),
        ("check, user=", measured("throttle.check(SQL, user='dev')", 100_000, throttle=counted)),
        ("prepared.check", measured("prepared.check()", 200_000, prepared=prepared)),
        ("with guard, a place held", measured("with throttle.guard(SQL): pass", 20_000, throttle=placed)),
        ("limits, fixed window", measured("window.hit(rate, SQL)", 10_000, window=window, rate=rate)),
        ("pyrate-limiter", measured("bucket.try_acquire(SQL)", 1_000, bucket=bucket)),
    ]


def main() -> None:
    table = rows()
    nothing, check = table[0][1], table[1][1]
    print(f"{'':30} {'ns':>9} {'x nothing':>10} {'x check':>9}")
    for name, nanos in table:
        print(f"{name:30} {nanos:9.1f} {nanos / nothing:10.2f} {nanos / check:9.2f}")


if __name__ == "__main__":
    main()
