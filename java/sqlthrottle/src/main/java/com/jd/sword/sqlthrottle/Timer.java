package com.jd.sword.sqlthrottle;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Runs actions later. Java 8 has no timer at hand, so this one makes a thread, which ends when there was nothing to do for a while; from
 * Java 9 on a class of the same name takes the place of this one.
 */
final class Timer {
    private static final long IDLE_SECONDS = 10;

    private Timer() {}

    /** Runs an action in the common pool, so many nanoseconds from now. What is cancelled is forgotten at once. */
    static Future<?> later(long nanos, Runnable action) {
        return Threads.SCHEDULER.schedule(() -> ForkJoinPool.commonPool().execute(action), nanos, TimeUnit.NANOSECONDS);
    }

    /** Made at the first use. */
    private static final class Threads {
        static final ScheduledThreadPoolExecutor SCHEDULER = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "sqlthrottle-timer");
            thread.setDaemon(true);
            thread.setContextClassLoader(null);
            return thread;
        });

        static {
            SCHEDULER.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
            SCHEDULER.allowCoreThreadTimeOut(true);
            SCHEDULER.setRemoveOnCancelPolicy(true);
        }
    }
}
