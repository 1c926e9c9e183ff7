package com.jd.sword.mybatis.plugin.protector;

import com.jd.sword.sqlthrottle.KnownStatement;
import com.jd.sword.sqlthrottle.Statements;

/** What was found out about one mapped statement. */
final class KnownMapping {
    private final boolean needsRow;
    /** The last text that was seen: one that is not made anew each time is the same object. */
    private String last;
    /** Null while no text was the same twice. */
    private volatile Kept kept;

    KnownMapping(boolean needsRow) {
        this.needsRow = needsRow;
    }

    /** Whether no rows are no answer for whoever calls. */
    boolean needsRow() {
        return needsRow;
    }

    /** The text as the throttle keeps it; null where it does not. A race over which it is costs a look-up, and nothing else. */
    KnownStatement text(Statements statements, String sql) {
        Kept known = kept;
        if (known != null) {
            return known.sql == sql ? known.statement : null;
        }
        if (last != sql) {
            last = sql;
            return null;
        }
        KnownStatement statement = statements.keep(sql);
        if (statement != null) {
            kept = new Kept(sql, statement);
        }
        return statement;
    }

    private static final class Kept {
        final String sql;
        final KnownStatement statement;

        Kept(String sql, KnownStatement statement) {
            this.sql = sql;
            this.statement = statement;
        }
    }
}
