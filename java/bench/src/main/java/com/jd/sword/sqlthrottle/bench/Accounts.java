package com.jd.sword.sqlthrottle.bench;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** The table that rows are selected from, on H2 in memory. */
final class Accounts {
    /** By the ids from 0. */
    static final int ROWS = 10_000;

    private Accounts() {}

    /** A pool over a database of its own that has it. */
    static HikariDataSource filled(int connections) throws SQLException {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl("jdbc:h2:mem:bench;DB_CLOSE_DELAY=-1");
        pool.setMaximumPoolSize(connections);
        try (Connection connection = pool.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute("create table accounts (id int primary key, name varchar(40), email varchar(40), state varchar(8))");
            statement.execute("insert into accounts select x, 'name ' || x, x || '@example.org', 'open' from system_range(0, "
                    + (ROWS - 1) + ")");
        }
        return pool;
    }
}
