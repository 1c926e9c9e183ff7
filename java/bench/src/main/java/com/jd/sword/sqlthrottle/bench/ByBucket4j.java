package com.jd.sword.sqlthrottle.bench;

import io.github.bucket4j.Bucket;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A token bucket of Bucket4j for each text. */
@State(Scope.Benchmark)
public class ByBucket4j {
    private final ConcurrentHashMap<String, Bucket> buckets = new ConcurrentHashMap<>();

    @Benchmark
    public boolean tryConsume(ThreadTime time) {
        return buckets.computeIfAbsent(Known.SQL, text -> bucket()).tryConsume(1);
    }

    private static Bucket bucket() {
        Duration window = Duration.ofMillis(Known.WINDOW_MILLIS);
        return Bucket.builder()
                .addLimit(limit -> limit.capacity(Known.BOUNDLESS).refillGreedy(Known.BOUNDLESS, window))
                .build();
    }
}
