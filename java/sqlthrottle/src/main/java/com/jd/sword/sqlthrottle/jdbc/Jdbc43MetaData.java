package com.jd.sword.sqlthrottle.jdbc;

import java.sql.DatabaseMetaData;

/**
 * What JDBC 4.3 has added to the metadata of a database. Nothing on Java 8, which does not have it; from Java 9 on a class of the same
 * name takes the place of this one.
 */
abstract class Jdbc43MetaData implements DatabaseMetaData {
    /** The driver's. */
    abstract DatabaseMetaData target();
}
