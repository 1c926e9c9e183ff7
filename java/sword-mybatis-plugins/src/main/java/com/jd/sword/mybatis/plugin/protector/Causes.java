package com.jd.sword.mybatis.plugin.protector;

import com.jd.sword.mybatis.plugin.protector.exception.ProtectionAbortException;
import com.jd.sword.sqlthrottle.SqlThrottledException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.sql.SQLNonTransientException;

/** Failures and what they were caused by: MyBatis and its interceptors wrap what passes them. */
final class Causes {
    /** A chain may lead back to itself. */
    private static final int MOST = 32;

    private Causes() {}

    static boolean has(Throwable failure, Throwable cause) {
        Throwable each = failure;
        for (int i = 0; i < MOST && each != null; i++) {
            if (each == cause) {
                return true;
            }
            each = each.getCause();
        }
        return false;
    }

    /**
     * What is to leave an executor: where a statement beneath was refused, such as a nested select or that of a key, the exception that says
     * so, as callers and Spring look for it no deeper than that. Anything else as it is.
     */
    static Throwable shown(Throwable failure) {
        Throwable each = failure;
        // One that was interrupted while it waited is about the thread, and is not to be taken for one that may be tried again.
        for (int i = 0; i < MOST && each != null && !(each instanceof SQLNonTransientException); i++) {
            if (each instanceof ProtectionAbortException) {
                return each;
            }
            if (each instanceof SqlThrottledException) {
                return new ProtectionAbortException((SqlThrottledException) each);
            }
            each = each.getCause();
        }
        return failure;
    }

    /** What a call by reflection has thrown. */
    static Throwable unwrapped(Throwable failure) {
        Throwable each = failure;
        while ((each instanceof InvocationTargetException || each instanceof UndeclaredThrowableException) && each.getCause() != null) {
            each = each.getCause();
        }
        return each;
    }

    /** Throws anything, where a method declares nothing of it and its callers all the same. */
    @SuppressWarnings("unchecked")
    static <E extends Throwable> RuntimeException sneaky(Throwable failure) throws E {
        throw (E) failure;
    }
}
