package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.Throttle;
import java.util.Objects;
import java.util.concurrent.Callable;

/**
 * Marks the calls of a thread as decided by a throttle, so that of several layers, such as a plugin of a mapper over a wrapped
 * DataSource, or one wrapped DataSource over another, only the outermost counts a statement. Another throttle, which has limits of
 * its own, still counts it.
 *
 * <p>A mark holds for the thread that sets it, until the action returns. It is also the way to keep a migration or a job from being
 * throttled: {@code Decided.run(throttle, flyway::migrate)}.
 */
public final class Decided {
    /**
     * One cell a thread, which holds a throttle or a {@link Chain} while a mark is set, and null otherwise. The cell is of a type of the
     * platform, so a thread that outlives this library's class loader keeps nothing of it.
     */
    private static final ThreadLocal<Object[]> CELL = new ThreadLocal<>();

    private Decided() {}

    /** Runs an action whose statements this throttle does not check. */
    public static void run(Throttle throttle, Runnable action) {
        Object[] cell = cell();
        Object outer = mark(cell, Objects.requireNonNull(throttle, "throttle"));
        try {
            action.run();
        } finally {
            restore(cell, outer);
        }
    }

    /**
     * Calls an action whose statements this throttle does not check, and returns what it does.
     *
     * @throws Exception the action has failed
     */
    public static <T> T call(Throttle throttle, Callable<T> action) throws Exception {
        Object[] cell = cell();
        Object outer = mark(cell, Objects.requireNonNull(throttle, "throttle"));
        try {
            return action.call();
        } finally {
            restore(cell, outer);
        }
    }

    /**
     * Marks what this thread does from here on, for a layer that has no action to hand over. To be ended by {@link #exit}, in the same thread
     * and whatever happens; of several, the innermost first.
     *
     * @return what {@code exit} is to be given
     */
    public static Object enter(Throttle throttle) {
        return mark(cell(), Objects.requireNonNull(throttle, "throttle"));
    }

    /**
     * Ends a mark.
     *
     * @param outer what {@link #enter} has returned
     */
    public static void exit(Object outer) {
        restore(cell(), outer);
    }

    /** Whether this thread is in an action that the throttle does not check. */
    public static boolean isBy(Throttle throttle) {
        Object[] cell = CELL.get();
        return cell != null && has(cell, throttle);
    }

    /** The cell of this thread. */
    static Object[] cell() {
        Object[] cell = CELL.get();
        if (cell == null) {
            cell = new Object[1];
            CELL.set(cell);
        }
        return cell;
    }

    static boolean has(Object[] cell, Throttle throttle) {
        Object mark = cell[0];
        if (mark == throttle) {
            return true;
        }
        while (mark instanceof Chain) {
            Chain chain = (Chain) mark;
            if (chain.throttle == throttle) {
                return true;
            }
            mark = chain.outer;
            if (mark == throttle) {
                return true;
            }
        }
        return false;
    }

    /** Sets a mark. What this returns is to be {@linkplain #restore restored}. */
    static Object mark(Object[] cell, Throttle throttle) {
        Object outer = cell[0];
        cell[0] = outer == null || outer == throttle ? throttle : new Chain(throttle, outer);
        return outer;
    }

    static void restore(Object[] cell, Object outer) {
        cell[0] = outer;
    }

    /** A throttle that has decided within the call of another, which has too. */
    private static final class Chain {
        final Throttle throttle;
        final Object outer;

        Chain(Throttle throttle, Object outer) {
            this.throttle = throttle;
            this.outer = outer;
        }
    }
}
