package com.jd.sword.sqlthrottle.jdbc;

import javax.sql.ConnectionPoolDataSource;

/**
 * What JDBC 4.3 has added to sources of pooled connections. Nothing on Java 8, which does not have it; from Java 9 on a class of the same
 * name takes the place of this one.
 */
abstract class Jdbc43ConnectionPoolDataSource implements ConnectionPoolDataSource {
    /** What is wrapped. */
    abstract ConnectionPoolDataSource target();

    abstract Gate gate();
}
