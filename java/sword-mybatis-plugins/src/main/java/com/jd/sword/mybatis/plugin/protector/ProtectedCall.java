package com.jd.sword.mybatis.plugin.protector;

import com.jd.sword.mybatis.plugin.protector.exception.ProtectionAbortException;
import com.jd.sword.mybatis.plugin.protector.strategy.ProtectedExecution;
import com.jd.sword.mybatis.plugin.protector.strategy.ProtectionStrategy;
import com.jd.sword.sqlthrottle.Decision;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/** One statement that a strategy of the program's own is asked about. */
final class ProtectedCall implements ProtectedExecution {
    private final Protector protector;
    private final Decision decision;
    private final String statementId;
    private final Kind kind;
    private final int timeout;
    private final Callable<Object> proceed;
    /** Null where there is no honest one. */
    private final Supplier<Object> empty;
    private final Thread asked = Thread.currentThread();
    private boolean hasProceeded;
    /** What was sent had a result, which null is none of. */
    private boolean hasResult;
    private volatile boolean isOver;

    /**
     * @param timeout in seconds; 0 for none
     * @param empty makes the result of an ignored statement; null where there is no honest one
     */
    ProtectedCall(Protector protector, Decision decision, String statementId, Kind kind, int timeout, Callable<Object> proceed,
            Supplier<Object> empty) {
        this.protector = protector;
        this.decision = decision;
        this.statementId = statementId;
        this.kind = kind;
        this.timeout = timeout;
        this.proceed = proceed;
        this.empty = empty;
    }

    /** What a strategy makes of it. */
    Object by(ProtectionStrategy strategy) throws Exception {
        Object result;
        try {
            result = strategy.protect(this);
        } finally {
            isOver = true;
        }
        if (result == null && hasProceeded && !hasResult) {
            return null;
        }
        if (result == null && !hasProceeded) {
            return emptied();
        }
        if (!kind.isResult(result)) {
            throw new IllegalStateException("the strategy " + strategy.getClass().getName() + " has returned "
                    + (result == null ? "null" : "a " + result.getClass().getName()) + " for " + statementId + ": what proceed() or emptyResult() returns would be right");
        }
        if (empty == null && !hasProceeded) {
            // It would enter the cache of the statement that this one is part of.
            throw abortion();
        }
        return result;
    }

    @Override
    public Decision decision() {
        return decision;
    }

    @Override
    public String statementId() {
        return statementId;
    }

    @Override
    public Object proceed() throws Exception {
        checkAsked();
        hasProceeded = true;
        Object result = proceed.call();
        hasResult |= result != null;
        return result;
    }

    @Override
    public Object emptyResult() {
        checkAsked();
        return emptied();
    }

    private Object emptied() {
        if (empty == null) {
            throw abortion();
        }
        return empty.get();
    }

    @Override
    public ProtectionAbortException abortion() {
        return new ProtectionAbortException(decision);
    }

    @Override
    public void await(Duration duration) throws SQLException {
        checkAsked();
        protector.await(nanos(duration), timeout, decision);
    }

    /** None for less than none, and as many as there are for more than that. */
    private static long nanos(Duration duration) {
        try {
            return Math.max(0, duration.toNanos());
        } catch (ArithmeticException overflow) {
            return duration.isNegative() ? 0 : Long.MAX_VALUE;
        }
    }

    /** What stands for this execution serves the next of its session, and what marks it as decided is the thread's. */
    private void checkAsked() {
        if (isOver || Thread.currentThread() != asked) {
            throw new IllegalStateException("an execution is good for the thread that the strategy is asked in, and until it returns");
        }
    }
}
