package com.jd.sword.sqlthrottle;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** So that what happens at every check is not logged at every check: once in ten seconds. */
final class Occasionally {
    private static final long PAUSE = TimeUnit.SECONDS.toNanos(10);

    private final AtomicLong next = new AtomicLong(System.nanoTime());

    boolean isDue() {
        long now = System.nanoTime();
        long due = next.get();
        return now - due >= 0 && next.compareAndSet(due, now + PAUSE);
    }
}
