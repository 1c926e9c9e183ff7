package com.jd.sword.sqlthrottle.integration.mybatis;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A source that knows how many of its connections are open. */
final class Connections extends DelegatingDataSource {
    private final AtomicInteger open = new AtomicInteger();

    Connections(DataSource target) {
        super(target);
    }

    int open() {
        return open.get();
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection target = super.getConnection();
        open.incrementAndGet();
        return (Connection) Proxy.newProxyInstance(Connections.class.getClassLoader(), new Class<?>[] {Connection.class},
                (self, method, with) -> {
                    if (method.getName().equals("close")) {
                        open.decrementAndGet();
                    }
                    try {
                        return method.invoke(target, with);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
