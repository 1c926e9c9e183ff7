package com.jd.sword.mybatis.plugin.protector.counter;

import com.jd.sword.sqlthrottle.ManualClock;
import java.time.Duration;

/**
 * Counts events in a sliding window, as thresholds count statements: without locks, for any number of threads, and without making garbage.
 * An event is forgotten when it is as old as the window, or at most one bucket older.
 */
public final class SlidingWindowCounter implements AutoCloseable {
    private final com.jd.sword.sqlthrottle.SlidingWindowCounter window;

    /** A window of a minute in 12 buckets, as thresholds have it unless they say otherwise. */
    public SlidingWindowCounter() {
        this(Duration.ofMinutes(1), 12);
    }

    /**
     * A window.
     *
     * @param window at least a millisecond a bucket
     * @param buckets how many parts the window is counted in, 1 to 1021: more forget sooner
     * @throws com.jd.sword.sqlthrottle.SqlThrottleException either is out of its bounds
     */
    public SlidingWindowCounter(Duration window, int buckets) {
        this(window, buckets, null);
    }

    /**
     * The same by another clock than the machine's, for tests.
     *
     * @param clock null for the machine's
     * @throws com.jd.sword.sqlthrottle.SqlThrottleException window or buckets are out of their bounds
     */
    public SlidingWindowCounter(Duration window, int buckets, ManualClock clock) {
        this.window = new com.jd.sword.sqlthrottle.SlidingWindowCounter(window, buckets, clock);
    }

    /** Counts an event that happens now, and returns how many count now, with this one. */
    public long record() {
        return window.record();
    }

    /** How many events count now. */
    public long count() {
        return window.count();
    }

    /** Forgets all events. One that another thread records meanwhile may stay. */
    public void reset() {
        window.reset();
    }

    /** Frees the window. Later calls throw {@link IllegalStateException}, except this one. */
    @Override
    public void close() {
        window.close();
    }
}
