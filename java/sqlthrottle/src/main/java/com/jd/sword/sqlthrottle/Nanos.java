package com.jd.sword.sqlthrottle;

import java.time.Duration;
import java.time.Instant;

/** Durations and times as the native library takes them. */
final class Nanos {
    private Nanos() {}

    /** The nanoseconds of a duration: 0 for less than none, and the most there is, 292 years, for more. */
    static long of(Duration duration) {
        if (duration.isNegative()) {
            return 0;
        }
        try {
            return duration.toNanos();
        } catch (ArithmeticException tooLong) {
            return Long.MAX_VALUE;
        }
    }

    /** The nanoseconds from the beginning of 1970 UTC, or of the nearest time that there is a number for. */
    static long of(Instant time) {
        try {
            return Math.addExact(Math.multiplyExact(time.getEpochSecond(), 1_000_000_000L), time.getNano());
        } catch (ArithmeticException tooFar) {
            return time.getEpochSecond() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }
}
