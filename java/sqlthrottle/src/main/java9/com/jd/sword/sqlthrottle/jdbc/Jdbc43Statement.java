package com.jd.sword.sqlthrottle.jdbc;

import java.sql.SQLException;
import java.sql.Statement;

/** What JDBC 4.3 has added to statements, for Java 9 and later: the driver answers, and not the interface by ANSI rules. */
abstract class Jdbc43Statement implements Statement {
    /** The driver's. */
    abstract Statement target();

    @Override
    public String enquoteLiteral(String value) throws SQLException {
        return target().enquoteLiteral(value);
    }

    @Override
    public String enquoteIdentifier(String identifier, boolean always) throws SQLException {
        return target().enquoteIdentifier(identifier, always);
    }

    @Override
    public boolean isSimpleIdentifier(String identifier) throws SQLException {
        return target().isSimpleIdentifier(identifier);
    }

    @Override
    public String enquoteNCharLiteral(String value) throws SQLException {
        return target().enquoteNCharLiteral(value);
    }
}
