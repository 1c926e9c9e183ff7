package com.jd.sword.sqlthrottle;

import java.time.Duration;
import java.time.Instant;

/**
 * A clock that moves only when told to, so that no test sleeps to see a window pass. It begins at zero, and by the wall clock at the
 * beginning of 1970 UTC. One serves any number of throttles, windows and threads; closed, it stands still for those that go by it.
 *
 * <p>A {@link Throttle#guard} still waits by the machine's clock.
 */
public final class ManualClock implements AutoCloseable {
    private volatile NativeClock clock = new NativeClock();

    /** A clock that stands at zero. */
    public ManualClock() {}

    /** Time since zero. */
    public Duration now() {
        return Duration.ofNanos(open().now());
    }

    /**
     * Moves time forward, and the wall clock with it.
     *
     * @throws IllegalArgumentException the duration is negative
     */
    public void advance(Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException("time does not run backwards: " + by);
        }
        open().advance(Nanos.of(by));
    }

    /** Sets the wall clock, forwards or back, by which rules expire. From 1678 to 2261; beyond, the nearest of these. */
    public void setWall(Instant time) {
        open().setWall(Nanos.of(time));
    }

    /** Frees the clock. Later calls throw {@link IllegalStateException}, except this one. */
    @Override
    public void close() {
        clock = null;
    }

    NativeClock open() {
        NativeClock open = clock;
        if (open == null) {
            throw new IllegalStateException("the clock is closed");
        }
        return open;
    }
}
