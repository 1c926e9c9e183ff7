package com.jd.sword.sqlthrottle;

import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * The context that a thread works in: an endpoint, a tenant, a user, said once where a request comes in and known to every check
 * that is made for it, however deep. Where a check has a context of its own, that holds, and this one for what it does not say.
 * Weight, fakes and parameters are of one statement, and so are not looked at here.
 *
 * <pre>{@code
 * try (AmbientContext.Scope scope = AmbientContext.open(context)) {
 *     repository.findAll();
 * }
 * }</pre>
 *
 * <p>A scope belongs to the thread that opens it. Tasks take it to other threads by {@link #wrap(Runnable)}. A program that binds a
 * {@code ScopedValue}, or keeps its requests elsewhere, says so by {@link #carrier}.
 */
public final class AmbientContext {
    private static final ThreadLocal<StatementContext> CURRENT = new ThreadLocal<>();

    private static volatile Supplier<StatementContext> carrier;
    /** Whether there ever was one: programs that have none do not pay for it. */
    private static volatile boolean inUse;

    private AmbientContext() {}

    /**
     * Lets the checks of this thread be made in a context, until the scope is closed. What it does not say is taken from the
     * context around it.
     */
    public static Scope open(StatementContext context) {
        Objects.requireNonNull(context, "context");
        inUse = true;
        StatementContext before = CURRENT.get();
        StatementContext around = before != null ? before : carried();
        CURRENT.set(context.ofAny().withDefaults(around));
        return new Scope(before);
    }

    /** Runs an action in a context. */
    public static void run(StatementContext context, Runnable action) {
        try (Scope scope = open(context)) {
            action.run();
        }
    }

    /**
     * Calls an action in a context, and returns what it does.
     *
     * @throws Exception the action has failed
     */
    public static <T> T call(StatementContext context, Callable<T> action) throws Exception {
        try (Scope scope = open(context)) {
            return action.call();
        }
    }

    /** The context that this thread works in; null where there is none. */
    public static StatementContext current() {
        if (!inUse) {
            return null;
        }
        StatementContext current = CURRENT.get();
        return current != null ? current : carried();
    }

    /**
     * The context that this thread works in, and for what it does not say the defaults, such as those of a connection.
     *
     * @param defaults the defaults, or null
     * @return null where there is neither
     */
    public static StatementContext over(StatementContext defaults) {
        StatementContext current = current();
        return current == null ? defaults : current.withDefaults(defaults);
    }

    /** An action that runs, wherever it does, in the context of the thread that calls this. */
    public static Runnable wrap(Runnable action) {
        Objects.requireNonNull(action, "action");
        StatementContext context = current();
        return context == null ? action : () -> run(context, action);
    }

    /** The same of an action that returns something. */
    public static <T> Callable<T> wrap(Callable<T> action) {
        Objects.requireNonNull(action, "action");
        StatementContext context = current();
        return context == null ? action : () -> call(context, action);
    }

    /** An executor whose tasks run in the context of the thread that hands them over. */
    public static Executor wrap(Executor executor) {
        Objects.requireNonNull(executor, "executor");
        return action -> executor.execute(wrap(action));
    }

    /**
     * Names another place where the context of a thread is found when no scope is open in it, such as a {@code ScopedValue}:
     * {@code AmbientContext.carrier(() -> CONTEXT.isBound() ? CONTEXT.get() : null)}. It is asked at every check, so it is to be
     * quick; what it throws comes out of the check.
     *
     * @param source the place, in which null stands for no context; null for none, which takes back what was said before
     */
    public static void carrier(Supplier<StatementContext> source) {
        carrier = source;
        inUse = true;
    }

    private static StatementContext carried() {
        Supplier<StatementContext> source = carrier;
        StatementContext said = source == null ? null : source.get();
        return said == null ? null : said.ofAny();
    }

    /** How long a context is in force. To be closed by the thread that opened it, inner ones first. */
    public static final class Scope implements AutoCloseable {
        private final Thread owner = Thread.currentThread();
        private final StatementContext before;
        private boolean closed;

        private Scope(StatementContext before) {
            this.before = before;
        }

        /**
         * Lets the context be in force that was so before. Does nothing the second time.
         *
         * @throws IllegalStateException another thread has opened it
         */
        @Override
        public void close() {
            if (Thread.currentThread() != owner) {
                throw new IllegalStateException("a scope is closed by the thread that opened it");
            }
            if (closed) {
                return;
            }
            closed = true;
            if (before == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(before);
            }
        }
    }
}
