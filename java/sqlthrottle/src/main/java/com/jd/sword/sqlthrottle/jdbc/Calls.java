package com.jd.sword.sqlthrottle.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;

/** The calls of a driver that send a statement, by what they return. */
final class Calls {
    private Calls() {}

    interface ForRows {
        ResultSet send() throws SQLException;
    }

    interface ForCount {
        long send() throws SQLException;
    }

    interface ForEither {
        /** Whether the first result is rows. */
        boolean send() throws SQLException;
    }

    interface ForCounts<T> {
        T send() throws SQLException;
    }
}
