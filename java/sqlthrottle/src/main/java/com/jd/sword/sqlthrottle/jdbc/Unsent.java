package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.Decision;
import com.jd.sword.sqlthrottle.SqlThrottleException;
import com.jd.sword.sqlthrottle.SqlThrottledException;
import com.jd.sword.sqlthrottle.Throttle;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.sql.SQLTimeoutException;

/** What callers of JDBC, and of layers over it, are told of a statement that was not sent, where no rule has refused it. */
public final class Unsent {
    private Unsent() {}

    /**
     * Something has ended its wait.
     *
     * @param end how, but not {@link Wait.End#ELAPSED}
     * @param decision that it waited for
     */
    public static SQLException ended(Throttle throttle, Wait.End end, Decision decision) {
        SqlThrottledException throttled = new SqlThrottledException(decision);
        switch (end) {
            case INTERRUPTED:
                throttled.initCause(new InterruptedException("interrupted while the statement was delayed"));
                // Not the exception itself: it is a transient one, and nobody is to try again on a thread that is to stop.
                return new SQLNonTransientException("the thread was interrupted while the statement was delayed", "HY008", throttled);
            case TIMED_OUT:
                // Not a timeout itself: pools take one for a connection that is broken, and this one has sent nothing.
                throttled.initCause(new SQLTimeoutException("the query timeout was over while the statement was delayed", "HYT00"));
                return throttled;
            case CLOSED:
                if (throttle.isClosed()) {
                    return new SQLNonTransientException("the statement was not sent: the throttle was closed while it was delayed", "HY000",
                            throttled);
                }
                return new SQLNonTransientException("the connection was closed while the statement was delayed", "08003", throttled);
            default:
                return new SQLException("the statement was cancelled while it was delayed", "HY008", throttled);
        }
    }

    /** A failure that is not the database's: never an exception that callers of JDBC do not expect. */
    public static SQLException failed(Throttle throttle, RuntimeException e) {
        String why = throttle.isClosed() ? "the throttle is closed" : "the throttle failed: " + told(e);
        return new SQLNonTransientException("the statement was not sent: " + why, "HY000", e);
    }

    /** A message of the program's own code, such as a supplier of contexts, may say what is not for whoever reads this one. */
    private static String told(RuntimeException e) {
        return e instanceof SqlThrottleException ? e.getMessage() : e.getClass().getName();
    }
}
