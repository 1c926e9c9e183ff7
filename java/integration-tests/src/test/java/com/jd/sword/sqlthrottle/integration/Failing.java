package com.jd.sword.sqlthrottle.integration;

import java.sql.Connection;
import java.sql.SQLException;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** A source that has no connection for anybody. */
final class Failing extends AbstractDataSource {
    private final SQLException failure;

    Failing(SQLException failure) {
        this.failure = failure;
    }

    @Override
    public Connection getConnection() throws SQLException {
        throw failure;
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw failure;
    }
}
