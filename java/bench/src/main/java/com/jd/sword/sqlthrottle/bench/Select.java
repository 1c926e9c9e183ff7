package com.jd.sword.sqlthrottle.bench;

import com.jd.sword.sqlthrottle.Throttle;
import com.jd.sword.sqlthrottle.jdbc.ThrottledDataSource;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A select by primary key on H2 in memory, as a repository sends it: a connection from the pool, a prepared statement, one row, and
 * all of it closed.
 */
@State(Scope.Benchmark)
public class Select {
    private final Throttle throttle = Ours.throttle();
    private HikariDataSource plain;
    private DataSource wrapped;
    private int id;

    @Setup
    public void fill() throws SQLException {
        plain = Accounts.filled(2);
        wrapped = ThrottledDataSource.of(plain, throttle);
    }

    @Benchmark
    public String plain(ThreadTime time) throws SQLException {
        return email(plain);
    }

    @Benchmark
    public String wrapped(ThreadTime time) throws SQLException {
        return email(wrapped);
    }

    private String email(DataSource source) throws SQLException {
        id = (id + 1) % Accounts.ROWS;
        try (Connection connection = source.getConnection();
                PreparedStatement statement = connection.prepareStatement("select id, name, email from accounts where id = ?")) {
            statement.setInt(1, id);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? rows.getString(3) : null;
            }
        }
    }

    @TearDown
    public void close() {
        plain.close();
        throttle.close();
    }
}
