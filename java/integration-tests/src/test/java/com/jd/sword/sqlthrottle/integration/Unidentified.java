package com.jd.sword.sqlthrottle.integration;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A source whose connections do not say of what database they are. */
final class Unidentified extends DelegatingDataSource {
    private final SQLException failure;

    Unidentified(DataSource target, SQLException failure) {
        super(target);
        this.failure = failure;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        return (Connection) Proxy.newProxyInstance(Unidentified.class.getClassLoader(), new Class<?>[] {Connection.class},
                (self, method, arguments) -> {
                    if (method.getName().equals("getMetaData")) {
                        throw failure;
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
