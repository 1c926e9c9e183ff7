package com.jd.sword.sqlthrottle.jdbc;

import java.sql.Statement;

/**
 * What JDBC 4.3 has added to statements. Nothing on Java 8, which does not have it; from Java 9 on a class of the same name takes the
 * place of this one.
 */
abstract class Jdbc43Statement implements Statement {
    /** The driver's. */
    abstract Statement target();
}
