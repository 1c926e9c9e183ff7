package com.jd.sword.sqlthrottle;

import java.util.concurrent.locks.LockSupport;

/**
 * A statement that may be sent. It holds its places until it is closed: keep it open as long as the statement runs.
 *
 * <pre>{@code
 * try (Guard guard = throttle.guard(sql)) {
 *     run(sql);
 * }
 * }</pre>
 */
public final class Guard implements AutoCloseable {
    /** Not the engine: a guard that is never closed would keep that in memory when the throttle is closed long since. */
    private final Checker checker;
    private final Decision decision;

    Guard(Checker checker, Decision decision) {
        this.checker = checker;
        this.decision = decision;
    }

    /** The guard of a decision, after its wait where there is one. */
    static Guard await(Checker checker, Decision decision) throws SqlThrottledException, InterruptedException {
        Decision last = decision;
        while (last.verdict() == Verdict.DELAY) {
            try {
                await(checker, last.delayNanos());
            } catch (InterruptedException interrupted) {
                checker.giveUp(last);
                throw interrupted;
            }
            last = checker.resume(last.ticket(), 0);
        }
        return of(checker, last);
    }

    /** Waits so long, or until the throttle is closed. No monitor is held, so a virtual thread leaves its carrier. */
    private static void await(Checker checker, long nanos) throws InterruptedException {
        Thread thread = Thread.currentThread();
        Runnable awake = checker.onClose(() -> LockSupport.unpark(thread));
        try {
            long until = System.nanoTime() + nanos;
            for (long left = nanos; left > 0 && checker.engineIfOpen() != null; left = until - System.nanoTime()) {
                if (Thread.interrupted()) {
                    throw new InterruptedException("interrupted while the statement was delayed");
                }
                LockSupport.parkNanos(checker, left);
            }
        } finally {
            awake.run();
        }
    }

    /** The guard of a decision that is not to wait. */
    static Guard of(Checker checker, Decision decision) throws SqlThrottledException {
        if (!decision.isAllowed()) {
            throw new SqlThrottledException(decision);
        }
        return new Guard(checker, decision);
    }

    /** The decision, which allows the statement. */
    public Decision decision() {
        return decision;
    }

    /** Gives back what the statement held while it ran. Does nothing the second time. */
    @Override
    public void close() {
        checker.release(decision);
    }
}
