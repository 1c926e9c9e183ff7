package com.jd.sword.sqlthrottle;

import java.util.concurrent.CompletableFuture;

/**
 * A statement that was read once and is checked again and again, sooner by the look-up of its text. From {@link Throttle#prepare};
 * any number of threads may use one. It is never out of date: where rules have changed, its next check goes by the new ones.
 *
 * <p>Its context, parameters and all else are those that it was prepared with, and where they do not say, those of the
 * {@link AmbientContext}. There is nothing to close.
 */
public final class PreparedCheck extends TextHolder {
    private final Checker checker;
    private final StatementContext context;

    PreparedCheck(Checker checker, Statements statements, String sql, StatementContext context) {
        super(checker, statements.prepare(sql, context.encoded()));
        this.checker = checker;
        this.context = context;
    }

    /** Decides on the statement, as {@link Throttle#check(String, StatementContext)}. */
    public Decision check() {
        return check(context.weight());
    }

    /**
     * Decides on so many executions of it at once.
     *
     * @throws IllegalArgumentException less than 1
     */
    public Decision check(int weight) {
        if (weight < 1) {
            throw new IllegalArgumentException("a statement weighs at least 1, and not " + weight);
        }
        return check(weight, 0);
    }

    /** Whether it may be sent now, as {@link Throttle#isAllowed}. */
    public boolean isAllowed() {
        return checker.isAllowed(prepared(), null, 0, encoded(), context.fakes().number(), context.weight());
    }

    /**
     * Waits until it may be sent, as {@link Throttle#guard(String)}.
     *
     * @throws SqlThrottledException it may not be sent
     * @throws InterruptedException the thread was interrupted while it waited
     */
    public Guard guard() throws SqlThrottledException, InterruptedException {
        return Guard.await(checker, check());
    }

    /** Waits without a thread until it may be sent, as {@link Throttle#guardAsync(String)}. */
    public CompletableFuture<Guard> guardAsync() {
        byte[] encoded = encoded();
        return PendingGuard.start(checker, null,
                flags -> checker.check(prepared(), null, 0, encoded, context.fakes().number(), context.weight(), flags));
    }

    /** The weight that it was prepared with. */
    int weight() {
        return context.weight();
    }

    Decision check(int weight, int flags) {
        return checker.check(prepared(), null, 0, encoded(), context.fakes().number(), weight, flags);
    }

    /** Null for the context that it was prepared with. */
    private byte[] encoded() {
        StatementContext ambient = AmbientContext.current();
        return ambient == null ? null : context.withDefaults(ambient).encoded();
    }
}
