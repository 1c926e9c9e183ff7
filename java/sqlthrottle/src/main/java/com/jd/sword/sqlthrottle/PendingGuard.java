package com.jd.sword.sqlthrottle;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** A guard that is waited for without a thread. */
final class PendingGuard {
    private final CompletableFuture<Guard> future = new CompletableFuture<>();
    private final Checker checker;
    /** Null for what the JDK has at hand. */
    private final ScheduledExecutorService scheduler;
    private final IntFunction<Decision> check;
    /** The last wait; null before. */
    private volatile Delay delay;

    private PendingGuard(Checker checker, ScheduledExecutorService scheduler, IntFunction<Decision> check) {
        this.checker = checker;
        this.scheduler = scheduler;
        this.check = check;
    }

    /**
     * Checks in this thread, and goes on elsewhere where it is to wait or would block.
     *
     * @param check which takes flags of {@link NativeEngine}
     */
    static CompletableFuture<Guard> start(Checker checker, ScheduledExecutorService scheduler, IntFunction<Decision> check) {
        PendingGuard pending = new PendingGuard(checker, scheduler, check);
        pending.attempt(() -> pending.decided(check.apply(NativeEngine.NO_REFILL)));
        if (pending.future.isDone()) {
            pending.giveUp();
            return pending.future;
        }
        Runnable awake = checker.onClose(() -> pending.future.completeExceptionally(Checker.closed()));
        // Cancelled, timed out, or failed: whichever way it ends, nobody waits any more. A ticket that was used means nothing.
        pending.future.whenComplete((guard, failure) -> {
            awake.run();
            pending.giveUp();
        });
        return pending.future;
    }

    private void decided(Decision decision) throws SqlThrottledException {
        switch (decision.verdict()) {
            case REFILL_NEEDED:
            case THRESHOLD_NEEDED:
                // Neither has done anything yet, so the check can be made anew where it may block.
                executor().execute(() -> attempt(() -> waited(check.apply(0))));
                break;
            default:
                waited(decision);
        }
    }

    private void waited(Decision decision) throws SqlThrottledException {
        if (decision.verdict() != Verdict.DELAY) {
            complete(Guard.of(checker, decision));
            return;
        }
        Delay next = new Delay(decision);
        delay = next;
        if (future.isDone()) {
            // It ended before there was anything to give up.
            giveUp();
            return;
        }
        next.timer = later(decision.delayNanos(), () -> attempt(() -> {
            if (!future.isDone()) {
                waited(checker.resume(decision.ticket(), 0));
            }
        }));
        if (future.isDone()) {
            // It may have ended before there was a timer to stop.
            giveUp();
        }
    }

    private void giveUp() {
        Delay last = delay;
        if (last == null) {
            return;
        }
        checker.giveUp(last.decision);
        Future<?> timer = last.timer;
        if (timer != null) {
            // Else all of this would be kept until the time has come, which may be an hour.
            timer.cancel(false);
        }
    }

    private void complete(Guard guard) {
        if (!future.complete(guard)) {
            guard.close();
        }
    }

    private Executor executor() {
        return scheduler != null ? scheduler : ForkJoinPool.commonPool();
    }

    private Future<?> later(long nanos, Runnable action) {
        return scheduler != null ? scheduler.schedule(action, nanos, TimeUnit.NANOSECONDS) : Timer.later(nanos, action);
    }

    /** Whatever goes wrong comes out of the future, as what is not allowed does. */
    private void attempt(Step step) {
        try {
            step.run();
        } catch (Throwable failure) {
            future.completeExceptionally(failure);
        }
    }

    /** What is waited for, and by what. */
    private static final class Delay {
        final Decision decision;
        /** Null until it runs. */
        volatile Future<?> timer;

        Delay(Decision decision) {
            this.decision = decision;
        }
    }

    private interface Step {
        void run() throws SqlThrottledException;
    }
}
