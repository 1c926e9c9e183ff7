package com.jd.sword.sqlthrottle;

import java.time.Duration;

/**
 * Counts events of any kind in a sliding window, without locks. One serves any number of threads. An event is forgotten when it is as
 * old as the window, or at most one bucket older.
 */
public final class SlidingWindowCounter implements AutoCloseable {
    private static final int USUAL_BUCKETS = 12;

    private volatile NativeWindow window;

    /** A window that is counted in 12 buckets. */
    public SlidingWindowCounter(Duration window) {
        this(window, USUAL_BUCKETS);
    }

    /**
     * A window.
     *
     * @param window at least a millisecond a bucket
     * @param buckets how many parts the window is counted in, 1 to 1021: more forget sooner
     * @throws SqlThrottleException either is out of its bounds
     */
    public SlidingWindowCounter(Duration window, int buckets) {
        this(window, buckets, null);
    }

    /**
     * The same by another clock than the machine's, for tests.
     *
     * @param clock null for the machine's
     * @throws SqlThrottleException window or buckets are out of their bounds
     */
    public SlidingWindowCounter(Duration window, int buckets, ManualClock clock) {
        this.window = new NativeWindow(Nanos.of(window), buckets, clock == null ? null : clock.open());
    }

    /** Counts an event that happens now, and returns how many count now, with this one. */
    public long record() {
        return open().record();
    }

    /** How many events count now. */
    public long count() {
        return open().count();
    }

    /** Forgets all events. One that another thread records meanwhile may stay. */
    public void reset() {
        open().reset();
    }

    /** Frees the window. Later calls throw {@link IllegalStateException}, except this one. */
    @Override
    public void close() {
        window = null;
    }

    private NativeWindow open() {
        NativeWindow open = window;
        if (open == null) {
            throw new IllegalStateException("the window is closed");
        }
        return open;
    }
}
