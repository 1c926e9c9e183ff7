package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.Decision;
import com.jd.sword.sqlthrottle.Throttle;
import com.jd.sword.sqlthrottle.Verdict;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * One thread that waits to be let through. It waits with no lock held, and whatever would end the statement ends the wait.
 *
 * <p>For layers that wait by themselves, as a plugin of a mapper does; others have a {@link com.jd.sword.sqlthrottle.Guard}.
 */
public final class Wait {
    /** How a wait has ended. */
    public enum End {
        /** Its time is over. */
        ELAPSED,
        /** The thread was interrupted, and still is. */
        INTERRUPTED,
        /** The statement's query timeout is over. */
        TIMED_OUT,
        /** The statement was cancelled or closed. */
        CANCELLED,
        /** The connection was closed or aborted. */
        CLOSED
    }

    /** Time as waiting knows it: tests bring their own. */
    public interface Time {
        /** That of the machine. */
        Time SYSTEM = new Time() {
            @Override
            public long nanos() {
                return System.nanoTime();
            }

            @Override
            public void park(Object blocker, long nanos) {
                LockSupport.parkNanos(blocker, nanos);
            }
        };

        /** As {@link System#nanoTime()}. */
        long nanos();

        /** As {@link LockSupport#parkNanos(Object, long)}: it may return early. */
        void park(Object blocker, long nanos);
    }

    private final Thread thread = Thread.currentThread();
    private final Time time;
    private final AtomicReference<End> ended = new AtomicReference<>();
    /** When the query timeout is over, if there is one. */
    private final boolean hasTimeout;
    private final long timeout;

    /**
     * The wait of this thread, which begins now.
     *
     * @param time what is waited by: {@link Time#SYSTEM}, but for tests
     * @param timeoutNanos how long the statement may take in all; 0 for as long as it likes
     */
    public Wait(Time time, long timeoutNanos) {
        this.time = time;
        this.hasTimeout = timeoutNanos > 0;
        this.timeout = time.nanos() + timeoutNanos;
    }

    /**
     * Waits so long, or until something ends it, now or before. To be called by the thread that waits.
     *
     * @param nanos in nanoseconds
     */
    public End await(long nanos) {
        long until = time.nanos() + nanos;
        for (;;) {
            End end = ended.get();
            if (end != null) {
                return end;
            }
            if (thread.isInterrupted()) {
                return End.INTERRUPTED;
            }
            long now = time.nanos();
            long left = until - now;
            if (left <= 0) {
                return End.ELAPSED;
            }
            if (hasTimeout) {
                long leftOfTimeout = timeout - now;
                if (leftOfTimeout <= 0) {
                    return End.TIMED_OUT;
                }
                left = Math.min(left, leftOfTimeout);
            }
            time.park(this, left);
        }
    }

    /**
     * Waits, and again where it is told to, until a statement is let through or not, or its throttle is closed.
     *
     * @throws SQLException the wait was ended: another statement may wait in its place
     */
    public Decision resumed(Throttle throttle, Decision delayed) throws SQLException {
        Runnable awake = throttle.onClose(() -> end(End.CLOSED));
        Decision decision = delayed;
        try {
            while (decision.verdict() == Verdict.DELAY) {
                End end = await(decision.delayNanos());
                if (end != End.ELAPSED) {
                    throttle.giveUp(decision);
                    throw Unsent.ended(throttle, end, decision);
                }
                decision = throttle.resume(decision);
            }
            End end = finish();
            if (end != End.ELAPSED) {
                // Ended while it was let through: whoever did so was told that it is not sent.
                throttle.release(decision);
                throw Unsent.ended(throttle, end, decision);
            }
            return decision;
        } catch (RuntimeException e) {
            throttle.giveUp(decision);
            throw Unsent.failed(throttle, e);
        } finally {
            awake.run();
        }
    }

    /**
     * Ends the wait, from any thread. The first to say so is heard.
     *
     * @return whether the statement will not be sent; false where the wait was over before, so there is nothing here to end
     */
    public boolean end(End how) {
        if (ended.compareAndSet(null, how)) {
            LockSupport.unpark(thread);
            return true;
        }
        return ended.get() != End.ELAPSED;
    }

    /** To be called when there is nothing more to wait for: from here on it cannot be ended. What this returns is how it has. */
    End finish() {
        return ended.compareAndSet(null, End.ELAPSED) ? End.ELAPSED : ended.get();
    }
}
