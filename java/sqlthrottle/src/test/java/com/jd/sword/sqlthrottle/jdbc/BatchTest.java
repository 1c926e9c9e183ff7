package com.jd.sword.sqlthrottle.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import com.jd.sword.sqlthrottle.Dialect;
import com.jd.sword.sqlthrottle.Reason;
import com.jd.sword.sqlthrottle.SqlThrottledException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class BatchTest {
    private static final String INSERT = "insert into orders (customer) values (?)";

    private static void add(PreparedStatement insert, int rows) throws SQLException {
        for (int i = 0; i < rows; i++) {
            insert.setInt(1, i);
            insert.addBatch();
        }
    }

    @Test
    void aPreparedBatchIsOneCheckThatWeighsItsRows() throws SQLException {
        try (Shop shop = Shop.limiting("token_bucket: {capacity: 10, rate: 1/s}", "strategy: abort");
                Connection connection = shop.connect(); PreparedStatement insert = connection.prepareStatement(INSERT)) {
            add(insert, 7);
            assertThat(insert.executeBatch()).hasSize(7);
            assertThat(shop.decided("allow")).isEqualTo(1);
            add(insert, 4);
            assertThatThrownBy(insert::executeBatch).isInstanceOf(SqlThrottledException.class);
            assertThat(shop.count("select count(*) from orders")).isEqualTo(7);
        }
    }

    @Test
    void aRefusedBatchIsKeptAndMayBeSentLater() throws SQLException {
        try (Shop shop = Shop.limiting("token_bucket: {capacity: 5, rate: 1/s}", "strategy: abort");
                Connection connection = shop.connect(); PreparedStatement insert = connection.prepareStatement(INSERT)) {
            add(insert, 5);
            insert.executeLargeBatch();
            add(insert, 3);
            assertThatThrownBy(insert::executeLargeBatch).isInstanceOf(SqlThrottledException.class);
            shop.clock.advance(Duration.ofSeconds(3));
            assertThat(insert.executeLargeBatch()).hasSize(3);
            assertThat(shop.count("select count(*) from orders")).isEqualTo(8);
            // And it is empty after that, for the driver and for the check.
            assertThat(insert.executeBatch()).isEmpty();
        }
    }

    @Test
    void aClearedBatchWeighsNothing() throws SQLException {
        try (Shop shop = Shop.limiting("token_bucket: {capacity: 5, rate: 1/s}", "strategy: abort");
                Connection connection = shop.connect(); PreparedStatement insert = connection.prepareStatement(INSERT)) {
            add(insert, 6);
            assertThatThrownBy(insert::executeBatch).isInstanceOfSatisfying(SqlThrottledException.class,
                    e -> assertThat(e.getReason()).isEqualTo(Reason.NEVER));
            insert.clearBatch();
            add(insert, 5);
            assertThat(insert.executeBatch()).hasSize(5);
        }
    }

    @Test
    void textsOfOneShapeAreOneCheckAndOnePlace() throws SQLException {
        try (Shop shop = Shop.atMost(1); Connection connection = shop.connect(); Statement statement = connection.createStatement()) {
            for (int i = 0; i < 5; i++) {
                statement.addBatch("insert into orders (customer) values (" + i + ")");
            }
            assertThat(statement.executeBatch()).hasSize(5);
            assertThat(shop.decided("allow")).isEqualTo(1);
        }
    }

    @Test
    void ofSeveralShapesAllAreSentOrNone() throws SQLException {
        String rules = "rules: [{name: users, match: {tables: [users]}, limit: {concurrency: {max: 1}}},"
                + " {name: orders, match: {tables: [orders]}, limit: {block: true}}]";
        try (Shop shop = Shop.with(rules); Connection connection = shop.connect(); Statement statement = connection.createStatement()) {
            statement.addBatch("update users set seen = 1");
            statement.addBatch("insert into orders (customer) values (1)");
            assertThatThrownBy(statement::executeBatch).isInstanceOfSatisfying(SqlThrottledException.class,
                    e -> assertThat(e.getRule()).isEqualTo("orders"));
            assertThat(shop.held()).isZero();
            assertThat(shop.count("select sum(seen) from users")).isZero();
            shop.throttle.admin("SET GLOBAL sql_throttle_remove_rule = 'orders'");
            assertThat(statement.executeBatch()).containsExactly(Shop.USERS, 1);
            assertThat(shop.held()).isZero();
        }
    }

    @Test
    void ofSeveralShapesNoneIsIgnored() throws SQLException {
        try (Shop shop = Shop.ignoring(); Connection connection = shop.connect(); Statement statement = connection.createStatement()) {
            statement.addBatch("update users set seen = 1");
            statement.addBatch("insert into orders (customer) values (1)");
            assertThatThrownBy(statement::executeBatch).isInstanceOfSatisfying(SqlThrottledException.class,
                    e -> assertThat(e.getReason()).isEqualTo(Reason.IGNORE_UNAVAILABLE));
        }
    }

    @Test
    void oneThatTheDriverCannotSendSoIsNotDecidedAgain() throws SQLException {
        try (Shop shop = Shop.atMost(1)) {
            Statement driver = mock(Statement.class);
            when(driver.executeLargeBatch()).thenThrow(new UnsupportedOperationException());
            when(driver.executeBatch()).thenAnswer(call -> new int[] {shop.held()});
            try (Statement statement = shop.statement(driver)) {
                statement.addBatch("update users set seen = 1");
                assertThatThrownBy(statement::executeLargeBatch).isInstanceOf(UnsupportedOperationException.class);
                assertThat(statement.executeBatch()).containsExactly(1);
                assertThat(shop.held()).isZero();
                assertThat(shop.decided("allow")).isEqualTo(1);
                // Left alone, it holds its place no longer than the statement.
                statement.addBatch("update users set seen = 1");
                assertThatThrownBy(statement::executeLargeBatch).isInstanceOf(UnsupportedOperationException.class);
                assertThat(shop.held()).isEqualTo(1);
            }
            assertThat(shop.held()).isZero();
        }
    }

    @Test
    void oneThatFailedBeforeItRanIsCheckedAgain() throws SQLException {
        try (Shop shop = Shop.limiting("fixed_window: {max: 1, window: 1m}", "strategy: abort")) {
            Statement driver = mock(Statement.class);
            when(driver.executeBatch()).thenThrow(new SQLException("lost"));
            try (Statement statement = shop.statement(driver)) {
                statement.addBatch("update users set seen = 1");
                assertThatThrownBy(statement::executeBatch).hasMessage("lost");
                assertThatThrownBy(statement::executeBatch).isInstanceOf(SqlThrottledException.class);
            }
        }
    }

    @Test
    void ofSeveralShapesUnderOneRuleItDoesNotWaitForItself() throws SQLException {
        try (Shop shop = Shop.atMost(1); Connection connection = shop.connect(); Statement statement = connection.createStatement()) {
            statement.addBatch("update users set seen = 1");
            statement.addBatch("insert into orders (customer) values (1)");
            assertThat(statement.executeBatch()).containsExactly(Shop.USERS, 1);
            assertThat(shop.held()).isZero();
        }
    }

    @Test
    void shapesAreToldApartByTheDialectOfTheSource() throws SQLException {
        try (Shop shop = Shop.with(Shop.rule("block: true", "strategy: ignore"), options -> options.dialect(Dialect.MYSQL));
                Connection connection = shop.connect(); Statement statement = connection.createStatement()) {
            // Two constants there, and two columns elsewhere.
            statement.addBatch("update users set name = \"a\"");
            statement.addBatch("update users set name = \"b\"");
            assertThat(statement.executeBatch()).containsExactly(0, 0);
        }
    }

    @Test
    void anExemptTextExemptsNoOtherOfItsShape() throws SQLException {
        try (Shop shop = Shop.with(Shop.rule("block: true", "strategy: ignore"), options -> options.exempt(sql -> sql.contains("(1)")));
                Connection connection = shop.connect(); Statement statement = connection.createStatement()) {
            statement.addBatch("insert into orders (customer) values (1)");
            statement.addBatch("insert into orders (customer) values (2)");
            // Nor is it ignored with the other.
            assertThatThrownBy(statement::executeBatch).isInstanceOfSatisfying(SqlThrottledException.class,
                    e -> assertThat(e.getReason()).isEqualTo(Reason.IGNORE_UNAVAILABLE));
        }
    }
}
