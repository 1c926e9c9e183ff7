package com.jd.sword.sqlthrottle.integration;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** An action in a thread of its own, and whether the throttle has that wait. */
public final class Background<T> {
    private static final long PATIENCE_SECONDS = 30;

    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final Thread thread;
    private volatile boolean wasInterrupted;

    private Background(Callable<T> action) {
        thread = new Thread(() -> {
            try {
                result.complete(action.call());
            } catch (Throwable e) {
                wasInterrupted = Thread.interrupted();
                result.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    public static <T> Background<T> start(Callable<T> action) {
        return new Background<>(action);
    }

    /** Comes back when the thread waits to be let through. Only the throttle parks it with a blocker of the throttle's own. */
    public Background<T> awaitDelayed() throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        for (;;) {
            Object blocker = LockSupport.getBlocker(thread);
            if (blocker != null && blocker.getClass().getName().startsWith("com.jd.sword.sqlthrottle.")) {
                return this;
            }
            if (result.isDone()) {
                throw new AssertionError("it did not wait, but came to " + result);
            }
            if (System.nanoTime() > deadline) {
                throw new AssertionError("it does not wait");
            }
            Thread.onSpinWait();
            Thread.yield();
        }
    }

    public void interrupt() {
        thread.interrupt();
    }

    public T get() throws Exception {
        return result.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** What the action throws. */
    public Throwable failure() throws TimeoutException {
        try {
            result.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            return e.getCause();
        }
        throw new AssertionError("it did not fail");
    }

    /** Whether the thread was still marked as interrupted when the action had failed. */
    public boolean wasInterrupted() {
        return wasInterrupted;
    }
}
