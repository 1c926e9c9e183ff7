package com.jd.sword.sqlthrottle.jdbc;

/**
 * Whether a mapper is storing objects. It takes a count that was made up for one of the database: an insert for done, an update for
 * overtaken by another transaction. Nothing that JDBC hands over tells who calls, so the stack is looked at, and only where a write is to
 * be ignored: seldom, and at no cost to what passes.
 */
final class ObjectMappers {
    /**
     * What only runs while objects are stored, of Hibernate from 3 on, with sessions and without, and of EclipseLink. Bulk statements of
     * theirs do not come by there, and may be told a count of 0.
     */
    private static final String[] STORING = {
        "org.hibernate.engine.spi.ActionQueue",
        "org.hibernate.engine.ActionQueue",
        "org.hibernate.persister.entity.",
        "org.hibernate.persister.collection.",
        "org.hibernate.engine.jdbc.mutation.",
        "org.eclipse.persistence.internal.sessions.CommitManager",
    };

    private ObjectMappers() {}

    /** Whether this thread is in such a call. */
    static boolean areStoring() {
        return areStoring(new Throwable().getStackTrace());
    }

    static boolean areStoring(StackTraceElement[] stack) {
        for (StackTraceElement frame : stack) {
            String caller = frame.getClassName();
            if (caller.startsWith("org.") && isOfStoring(caller)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOfStoring(String caller) {
        for (String storing : STORING) {
            if (caller.startsWith(storing)) {
                return true;
            }
        }
        return false;
    }
}
