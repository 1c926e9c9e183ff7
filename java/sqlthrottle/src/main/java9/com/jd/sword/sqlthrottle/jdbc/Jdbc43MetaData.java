package com.jd.sword.sqlthrottle.jdbc;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;

/** What JDBC 4.3 has added to the metadata of a database, for Java 9 and later. */
abstract class Jdbc43MetaData implements DatabaseMetaData {
    /** The driver's. */
    abstract DatabaseMetaData target();

    @Override
    public boolean supportsSharding() throws SQLException {
        return target().supportsSharding();
    }
}
