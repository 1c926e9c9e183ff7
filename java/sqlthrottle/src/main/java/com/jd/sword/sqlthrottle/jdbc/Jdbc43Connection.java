package com.jd.sword.sqlthrottle.jdbc;

import java.sql.Connection;

/**
 * What JDBC 4.3 has added to connections. Nothing on Java 8, which does not have it; from Java 9 on a class of the same name takes the
 * place of this one.
 */
abstract class Jdbc43Connection implements Connection {
    /** The driver's. */
    abstract Connection target();
}
