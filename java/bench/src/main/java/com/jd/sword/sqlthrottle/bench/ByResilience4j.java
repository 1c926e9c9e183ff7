package com.jd.sword.sqlthrottle.bench;

import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A rate limiter of Resilience4j for each text. */
@State(Scope.Benchmark)
public class ByResilience4j {
    private static final RateLimiterConfig CONFIG = RateLimiterConfig.custom()
            .limitForPeriod(Known.BOUNDLESS)
            .limitRefreshPeriod(Duration.ofMillis(Known.WINDOW_MILLIS))
            .timeoutDuration(Duration.ZERO)
            .build();

    private final ConcurrentHashMap<String, RateLimiter> limiters = new ConcurrentHashMap<>();

    @Benchmark
    public boolean acquirePermission(ThreadTime time) {
        return limiters.computeIfAbsent(Known.SQL, text -> RateLimiter.of(text, CONFIG)).acquirePermission();
    }
}
