package com.jd.sword.mybatis.example;

import com.jd.sword.mybatis.plugin.protector.SQLBasedDatabaseProtectorPlugin;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.apache.ibatis.datasource.pooled.PooledDataSource;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;

/** A shop's database: H2 in memory, behind a small pool. */
final class Shop implements AutoCloseable {
    static final int CONNECTIONS = 4;
    static final int ORDERS = 100_000;
    static final int ARTICLES = 100;

    private final PooledDataSource pool = new PooledDataSource("org.h2.Driver", "jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1", null, null);

    Shop() throws SQLException {
        pool.setPoolMaximumActiveConnections(CONNECTIONS);
        pool.setPoolMaximumIdleConnections(CONNECTIONS);
        try (Connection connection = pool.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute("create table articles (id int primary key, views int)");
            statement.execute("insert into articles select x, 0 from system_range(1, " + ARTICLES + ")");
            statement.execute("create table orders (id int primary key, customer int, total int)");
            statement.execute("insert into orders select x, mod(x * 7919, 5000), mod(x * 104729, 1000) from system_range(1, " + ORDERS + ")");
        }
    }

    SqlSessionFactory unprotected() {
        return new SqlSessionFactoryBuilder().build(configuration());
    }

    /** The same, and one line more. */
    SqlSessionFactory protectedBy(SQLBasedDatabaseProtectorPlugin plugin) {
        Configuration configuration = configuration();
        configuration.addInterceptor(plugin);
        return new SqlSessionFactoryBuilder().build(configuration);
    }

    private Configuration configuration() {
        Configuration configuration = new Configuration(new Environment("shop", new JdbcTransactionFactory(), pool));
        configuration.addMapper(ShopMapper.class);
        return configuration;
    }

    @Override
    public void close() throws SQLException {
        try (Connection connection = pool.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute("shutdown");
        }
        pool.forceCloseAll();
    }
}
