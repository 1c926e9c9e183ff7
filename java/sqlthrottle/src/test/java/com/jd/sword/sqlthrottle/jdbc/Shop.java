package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.Dialect;
import com.jd.sword.sqlthrottle.ManualClock;
import com.jd.sword.sqlthrottle.Throttle;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.mockito.Mockito;

/** A database in memory with a few users, and a throttle whose time is the test's own. */
final class Shop implements AutoCloseable {
    static final int USERS = 5;

    final ManualClock clock = new ManualClock();
    final Throttle throttle;
    final JdbcDataSource h2 = new JdbcDataSource();
    final DataSource source;
    private final Connection keptOpen;

    private Shop(String rules, Consumer<ThrottledSourceBuilder<ThrottledDataSource>> options) {
        throttle = Throttle.builder().rules(rules).clock(clock).open();
        h2.setURL("jdbc:h2:mem:" + System.nanoTime());
        ThrottledSourceBuilder<ThrottledDataSource> builder = ThrottledDataSource.builder(h2, throttle).time(new ManualTime());
        options.accept(builder);
        source = builder.build();
        try {
            keptOpen = h2.getConnection();
            try (Statement statement = keptOpen.createStatement()) {
                statement.execute("create table users (id int primary key, name varchar(20), seen int default 0)");
                statement.execute("create table orders (id int auto_increment primary key, customer int)");
                for (int id = 1; id <= USERS; id++) {
                    statement.execute("insert into users (id, name) values (" + id + ", 'user " + id + "')");
                }
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    static Shop with(String rules) {
        return new Shop(rules, options -> {});
    }

    static Shop with(String rules, Consumer<ThrottledSourceBuilder<ThrottledDataSource>> options) {
        return new Shop(rules, options);
    }

    /** One rule, on the users. */
    static Shop limiting(String limit, String then) {
        return with(rule(limit, then));
    }

    static String rule(String limit, String then) {
        return "rules: [{name: users, match: {tables: [users, orders]}, limit: {" + limit + "}, then: {" + then + "}}]";
    }

    /** All that reads or writes users is aborted. */
    static Shop aborting() {
        return limiting("block: true", "strategy: abort");
    }

    static Shop ignoring() {
        return limiting("block: true", "strategy: ignore");
    }

    static Shop atMost(int places) {
        return limiting("concurrency: {max: " + places + "}", "strategy: abort");
    }

    Connection connect() throws SQLException {
        return source.getConnection();
    }

    /** Around a driver's statement that is not of the database. */
    Statement statement(Statement driver) {
        return new ThrottledStatement(connection(), driver);
    }

    /** A connection of no database. */
    ThrottledConnection connection() {
        Gate gate = new Gate(throttle, InTransaction.APPLY, Dialect.GENERIC, sql -> false, null, new ManualTime());
        return new ThrottledConnection(gate, Mockito.mock(Connection.class), null);
    }

    /** Without the throttle. */
    int count(String sql) throws SQLException {
        try (Statement statement = keptOpen.createStatement(); var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getInt(1);
        }
    }

    /** Places of the rule that are held. */
    int held() {
        return (int) metric("sql_throttle_permits_in_use\\{rule=\"users\"\\}");
    }

    /** Decisions of the rule with this verdict. */
    int decided(String verdict) {
        return (int) metric("sql_throttle_decisions_total\\{rule=\"users\",verdict=\"" + verdict + "\"\\}");
    }

    private double metric(String pattern) {
        Matcher line = Pattern.compile("^" + pattern + " (\\S+)$", Pattern.MULTILINE).matcher(throttle.metrics());
        return line.find() ? Double.parseDouble(line.group(1)) : 0;
    }

    @Override
    public void close() throws SQLException {
        keptOpen.close();
        throttle.close();
        clock.close();
    }

    /** Time that passes as soon as somebody waits for it, for the throttle too. */
    final class ManualTime implements Wait.Time {
        @Override
        public long nanos() {
            return clock.now().toNanos();
        }

        @Override
        public void park(Object blocker, long nanos) {
            clock.advance(Duration.ofNanos(nanos));
        }
    }
}
