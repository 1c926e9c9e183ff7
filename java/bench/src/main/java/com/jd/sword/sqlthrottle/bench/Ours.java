package com.jd.sword.sqlthrottle.bench;

import com.jd.sword.sqlthrottle.Decision;
import com.jd.sword.sqlthrottle.Throttle;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Checks by the text of the statement, all of them allowed. */
@State(Scope.Benchmark)
public class Ours {
    private final Throttle throttle = throttle();

    static Throttle throttle() {
        return Throttle.of("default_threshold: {max_count: " + Known.BOUNDLESS + ", window: " + Known.WINDOW_MILLIS + "ms}");
    }

    @Benchmark
    public Decision check(ThreadTime time) {
        return throttle.check(Known.SQL);
    }

    @Benchmark
    public boolean isAllowed(ThreadTime time) {
        return throttle.isAllowed(Known.SQL);
    }

    @TearDown
    public void close() {
        throttle.close();
    }
}
