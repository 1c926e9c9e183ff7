package com.jd.sword.sqlthrottle.jdbc;

import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;

/**
 * What the results of an execution hold, which come one after the other: each what the execution does, from when it is there; and where
 * more may come, the execution until there are none.
 */
final class Results {
    /** Texts that begin so may have results behind the first: calls and blocks. */
    private static final Set<String> OF_SEVERAL = Collections.unmodifiableSet(new HashSet<>(
            Arrays.asList("begin", "call", "declare", "do", "exec", "execute", "if", "while")));

    private final Pass pass;
    /** Whether more may come, for which the execution holds too. */
    private boolean mayFollow;
    private boolean isRows;
    /** Whether nobody has asked for the current rows, and so nobody but this gives back what they hold. */
    private boolean isUnseen;
    /** Whether results that were kept are closed. */
    private boolean closedAll;

    /**
     * @param pass held once, by these
     * @param isRows whether the first is rows
     */
    Results(Pass pass, boolean isRows, boolean isUnseen, boolean mayFollow) {
        this.pass = pass;
        this.isRows = isRows;
        this.isUnseen = isUnseen;
        this.mayFollow = mayFollow;
        if (isRows && mayFollow) {
            pass.hold();
        }
    }

    /** By its first word, and by a semicolon that something stands behind, be it in a constant. */
    static boolean mayBeSeveral(String sql) {
        String verb = new Words(sql).next();
        return verb == null || OF_SEVERAL.contains(verb) || hasSeveralStatements(sql);
    }

    private static boolean hasSeveralStatements(String sql) {
        int end = sql.length();
        while (end > 0 && (sql.charAt(end - 1) <= ' ' || sql.charAt(end - 1) == ';')) {
            end--;
        }
        int semicolon = sql.indexOf(';');
        return semicolon >= 0 && semicolon < end;
    }

    /** The current rows were asked for, and give back themselves what they hold. */
    void seen() {
        isUnseen = false;
    }

    /**
     * The next one has come, or none.
     *
     * @param last the rows before it, where they were asked for
     * @param current what becomes of those, as {@link Statement#getMoreResults(int)} has it
     */
    void next(boolean isRows, ResultSet last, int current) {
        if (isRows) {
            pass.hold();
        }
        if (current != Statement.KEEP_CURRENT_RESULT) {
            if (isUnseen) {
                pass.drop();
            } else if (last instanceof ThrottledResultSet) {
                ((ThrottledResultSet) last).letGo();
            }
        }
        this.isRows = isRows;
        isUnseen = isRows;
        closedAll = current == Statement.CLOSE_ALL_RESULTS;
        if (!isRows && !mayFollow && closedAll) {
            pass.release();
        }
    }

    /** The current count was asked for: where it is none, and there are no rows either, nothing more comes. */
    void counted(long count) {
        if (count == -1 && !isRows && mayFollow) {
            mayFollow = false;
            if (closedAll) {
                pass.release();
            } else {
                pass.drop();
            }
        }
    }
}
