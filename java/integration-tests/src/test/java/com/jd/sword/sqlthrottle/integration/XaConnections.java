package com.jd.sword.sqlthrottle.integration;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** The connections of an XA source, as a program outside of any transaction gets them. */
final class XaConnections extends AbstractDataSource implements DataSource, AutoCloseable {
    private final XADataSource source;
    private final List<XAConnection> open = new ArrayList<>();

    XaConnections(XADataSource source) {
        this.source = source;
    }

    @Override
    public Connection getConnection() throws SQLException {
        return opened(source.getXAConnection());
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return opened(source.getXAConnection(user, password));
    }

    private Connection opened(XAConnection xa) throws SQLException {
        open.add(xa);
        return xa.getConnection();
    }

    @Override
    public void close() throws SQLException {
        for (XAConnection xa : open) {
            xa.close();
        }
    }
}
