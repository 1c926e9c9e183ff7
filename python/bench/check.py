"""What a check costs from Python, beside a call that does nothing and two other limiters.

The module ``baseline`` is built from ``bench/baseline``; ``make bench-python`` runs all of it.
"""

from __future__ import annotations

import baseline
import limits
import pyrate_limiter
from rows import measure, row, show

import sqlthrottle

SQL = "select id, name, email, created_at from users where id = 7 and tenant_id = 42 and deleted_at is null "[:100]
MOST = 2_000_000_000 // 100


def throttle(rules: str) -> sqlthrottle.Throttle:
    return sqlthrottle.Throttle(rules, refresh=False)


def main() -> None:
    counted = throttle("default_threshold: {max_count: 60000000, window: 60s}")
    placed = throttle("rules: [{name: c, limit: {concurrency: {max: 1000}}}]")
    window = limits.strategies.FixedWindowRateLimiter(limits.storage.MemoryStorage())
    rate = limits.parse(f"{MOST}/minute")
    bucket = pyrate_limiter.Limiter(pyrate_limiter.Rate(MOST, pyrate_limiter.Duration.MINUTE))

    nothing = row("nothing", "nothing(SQL)", 200_000, nothing=baseline.nothing, SQL=SQL)
    check = row("check", "throttle.check(SQL)", 100_000, throttle=counted, SQL=SQL)
    rows = [
        nothing,
        check,
        row("check, and all decisions kept", "kept.append(throttle.check(SQL))", 10_000, throttle=counted, SQL=SQL, kept=[]),
        row("check, user=", "throttle.check(SQL, user='dev')", 50_000, throttle=counted, SQL=SQL),
        row("prepared.check", "prepared.check()", 100_000, prepared=counted.prepare(SQL)),
        row("with guard, a place held", "with throttle.guard(SQL): pass", 10_000, throttle=placed, SQL=SQL),
        row("limits, fixed window", "window.hit(rate, SQL)", 5_000, window=window, rate=rate, SQL=SQL),
        row("pyrate-limiter", "bucket.try_acquire(SQL)", 1_000, bucket=bucket, SQL=SQL),
    ]
    measure(rows)
    show("A known statement of 100 bytes, allowed", rows, by=nothing)
    for other in rows[-2:]:
        print(f"check is {other.nanos / check.nanos:.1f} times as fast as {other.name}")


if __name__ == "__main__":
    main()
