package com.jd.sword.sqlthrottle;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Runs actions later, by the JDK's own timer: the one for Java 9 and later. */
final class Timer {
    private Timer() {}

    /** Runs an action in the common pool, so many nanoseconds from now. */
    static void later(long nanos, Runnable action) {
        CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS).execute(action);
    }
}
