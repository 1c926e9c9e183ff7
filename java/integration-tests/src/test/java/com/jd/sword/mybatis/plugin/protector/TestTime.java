package com.jd.sword.mybatis.plugin.protector;

import com.jd.sword.sqlthrottle.ManualClock;
import com.jd.sword.sqlthrottle.jdbc.Wait;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Time that a test moves. The thread that waits is parked all the same, and looks at the clock again and again. */
public final class TestTime implements Wait.Time {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final ManualClock clock;

    private TestTime(ManualClock clock) {
        this.clock = clock;
    }

    /** Has a plugin wait by a clock, for timeouts too. */
    public static ProtectorBuilder of(ManualClock clock, ProtectorBuilder plugin) {
        return plugin.time(new TestTime(clock));
    }

    @Override
    public long nanos() {
        return clock.now().toNanos();
    }

    @Override
    public void park(Object blocker, long nanos) {
        LockSupport.parkNanos(blocker, Math.min(nanos, LOOK_NANOS));
    }
}
