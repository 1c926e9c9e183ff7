package com.jd.sword.mybatis.example;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** What became of the statements of one kind, and how long those took that were sent. Any number of threads may add to it. */
final class Tally {
    private final Map<Outcome, AtomicLong> counts = new EnumMap<>(Outcome.class);
    private final ConcurrentLinkedQueue<Long> nanoseconds = new ConcurrentLinkedQueue<>();

    Tally() {
        for (Outcome outcome : Outcome.values()) {
            counts.put(outcome, new AtomicLong());
        }
    }

    void add(Outcome outcome, long nanos) {
        counts.get(outcome).incrementAndGet();
        if (outcome == Outcome.SENT) {
            nanoseconds.add(nanos);
        }
    }

    long count(Outcome outcome) {
        return counts.get(outcome).get();
    }

    /** How long so many of a hundred took at most, waits and all. */
    Duration latency(int percent) {
        long[] sorted = nanoseconds.stream().mapToLong(Long::longValue).sorted().toArray();
        return sorted.length == 0 ? Duration.ZERO : Duration.ofNanos(sorted[(sorted.length - 1) * percent / 100]);
    }
}
