package com.jd.sword.sqlthrottle.jdbc;

import javax.sql.DataSource;

/**
 * What JDBC 4.3 has added to data sources. Nothing on Java 8, which does not have it; from Java 9 on a class of the same name takes the
 * place of this one.
 */
abstract class Jdbc43DataSource implements DataSource {
    /** What is wrapped. */
    abstract DataSource target();

    abstract Gate gate();
}
