package com.jd.sword.sqlthrottle.bench;

import com.google.common.util.concurrent.RateLimiter;
import java.util.concurrent.ConcurrentHashMap;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A rate limiter of Guava for each text. */
@State(Scope.Benchmark)
public class ByGuava {
    private final ConcurrentHashMap<String, RateLimiter> limiters = new ConcurrentHashMap<>();

    @Benchmark
    public boolean tryAcquire(ThreadTime time) {
        return limiters.computeIfAbsent(Known.SQL, text -> limiter()).tryAcquire();
    }

    // Its use in Guava is meant, whatever the annotation says.
    @SuppressWarnings("UnstableApiUsage")
    private static RateLimiter limiter() {
        return RateLimiter.create(Known.BOUNDLESS * 1000.0 / Known.WINDOW_MILLIS);
    }
}
