package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.KnownStatement;
import com.jd.sword.sqlthrottle.Statements;

/** What is known of one text that statements send. */
final class Text {
    private final String sql;
    private final boolean exempt;
    /** Whether there is any use in learning its columns: it is looked up again. */
    private final boolean kept;
    /** Whether the columns were asked for; they may be null all the same. */
    private boolean learned;
    private volatile Columns columns;
    private volatile KnownStatement known;

    Text(String sql, boolean exempt, boolean kept) {
        this.sql = sql;
        this.exempt = exempt;
        this.kept = kept;
    }

    String sql() {
        return sql;
    }

    /** Whether it is never checked. */
    boolean isExempt() {
        return exempt;
    }

    boolean isKept() {
        return kept;
    }

    /** As the throttle keeps it; null where it does not. */
    KnownStatement known(Statements statements) {
        KnownStatement found = known;
        if (found == null && kept) {
            found = statements.keep(sql);
            known = found;
        }
        return found;
    }

    /** Whether its columns are worth keeping, and were not asked for yet. */
    boolean isToLearn() {
        return kept && !learned;
    }

    /** Keeps the columns of its first result, for when it is ignored; null for none. Two threads that are first at once keep the same. */
    void learn(Columns found) {
        learned = true;
        columns = found;
    }

    /** The columns that its results have, as far as is known. */
    Columns columns() {
        Columns known = columns;
        return known == null ? Columns.UNKNOWN : known;
    }
}
