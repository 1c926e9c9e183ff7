package com.jd.sword.sqlthrottle;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Runs actions later, by the JDK's own timer: the one for Java 9 and later. */
final class Timer {
    private Timer() {}

    /** Runs an action in the pool of the JDK, so many nanoseconds from now. What is cancelled is forgotten at once. */
    static Future<?> later(long nanos, Runnable action) {
        // Not a delayed executor, of which the JDK keeps the action until its time has come, wanted or not.
        CompletableFuture<Void> time = new CompletableFuture<>();
        time.thenRunAsync(action);
        return time.completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS);
    }
}
