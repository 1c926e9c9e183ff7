package com.jd.sword.sqlthrottle.jdbc;

import javax.sql.XADataSource;

/**
 * What JDBC 4.3 has added to sources of XA connections. Nothing on Java 8, which does not have it; from Java 9 on a class of the same
 * name takes the place of this one.
 */
abstract class Jdbc43XADataSource implements XADataSource {
    /** What is wrapped. */
    abstract XADataSource target();

    abstract Gate gate();
}
