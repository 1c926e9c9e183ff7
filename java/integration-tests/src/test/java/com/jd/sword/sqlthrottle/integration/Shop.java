package com.jd.sword.sqlthrottle.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.jd.sword.sqlthrottle.ManualClock;
import com.jd.sword.sqlthrottle.Throttle;
import com.jd.sword.sqlthrottle.jdbc.ThrottledDataSource;
import com.jd.sword.sqlthrottle.jdbc.ThrottledSourceBuilder;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/**
 * A few users and their orders in a schema of a test's own, and a throttle before them whose time is the test's own too. Closed, it sees
 * that nothing is held any more.
 */
public final class Shop implements AutoCloseable {
    public static final int USERS = 5;
    public static final String SELECT = "select name from users order by id";
    public static final String UPDATE = "update users set seen = 1";

    public final Database database;
    public final String rules;
    public final String schema = Database.newSchema();
    public final ManualClock clock = new ManualClock();
    public final Throttle throttle;
    /** The driver's. */
    public final DataSource raw;
    /** Around the driver's. */
    public final DataSource source;

    private Shop(Database database, String rules, Consumer<ThrottledSourceBuilder<ThrottledDataSource>> options) throws SQLException {
        this.database = database;
        this.rules = rules;
        database.create(schema);
        raw = database.dataSource(schema);
        create();
        throttle = Throttle.builder().rules(rules).clock(clock).open();
        ThrottledSourceBuilder<ThrottledDataSource> builder = ThrottledDataSource.builder(raw, throttle);
        options.accept(builder);
        source = builder.build();
    }

    public static Shop on(Database database, String rules) throws SQLException {
        return new Shop(database, rules, options -> {});
    }

    static Shop on(Database database, String rules, Consumer<ThrottledSourceBuilder<ThrottledDataSource>> options) throws SQLException {
        return new Shop(database, rules, options);
    }

    private void create() throws SQLException {
        try (Connection connection = raw.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute("create table users (id int primary key, name varchar(20), seen int default 0)");
            statement.execute("create table orders (id " + database.generatedKey + ", customer int)");
            statement.execute("insert into users (id, name) values (1, 'user 1'), (2, 'user 2'), (3, 'user 3'), (4, 'user 4'), (5, 'user 5')");
        }
    }

    /** How many rows there are, without the throttle. */
    public int count(String tableAndCondition) throws SQLException {
        try (Connection connection = raw.getConnection(); Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select count(*) from " + tableAndCondition)) {
            rows.next();
            return rows.getInt(1);
        }
    }

    /** How many users a statement has reached. */
    public int seen() throws SQLException {
        return count("users where seen <> 0");
    }

    /** Places of the rule that are held. */
    public int held() {
        return metric("sql_throttle_permits_in_use\\{rule=\"users\"\\}");
    }

    /** Decisions of the rule with this verdict. */
    public int decided(String verdict) {
        return metric("sql_throttle_decisions_total\\{rule=\"users\",verdict=\"" + verdict + "\"\\}");
    }

    private int metric(String pattern) {
        Matcher line = Pattern.compile("^" + pattern + " (\\d+)$", Pattern.MULTILINE).matcher(throttle.metrics());
        return line.find() ? Integer.parseInt(line.group(1)) : 0;
    }

    @Override
    public void close() throws SQLException {
        try {
            if (!throttle.isClosed()) {
                assertThat(held()).as("places held at the end").isZero();
                throttle.close();
            }
        } finally {
            clock.close();
            database.drop(schema);
        }
    }
}
