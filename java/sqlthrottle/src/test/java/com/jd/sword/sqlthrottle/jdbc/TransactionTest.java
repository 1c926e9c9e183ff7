package com.jd.sword.sqlthrottle.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jd.sword.sqlthrottle.SqlThrottledException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TransactionTest {
    private static final String SELECT = "select name from users";

    private static Shop shop(String limit, String then, InTransaction mode) {
        return Shop.with(Shop.rule(limit, then), options -> options.inTransaction(mode));
    }

    @Test
    void rulesApplyInATransactionUnlessToldOtherwise() throws SQLException {
        try (Shop shop = Shop.aborting(); Connection connection = shop.connect(); Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> statement.executeQuery(SELECT)).isInstanceOf(SqlThrottledException.class);
        }
    }

    @Test
    void bypassChecksNothingInATransaction() throws SQLException {
        try (Shop shop = shop("block: true", "strategy: abort", InTransaction.BYPASS); Connection connection = shop.connect();
                Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.executeQuery(SELECT)).isInstanceOf(SqlThrottledException.class);
            connection.setAutoCommit(false);
            assertThat(statement.executeQuery(SELECT).next()).isTrue();
            assertThat(shop.decided("abort")).isEqualTo(1);
            connection.setAutoCommit(true);
            assertThatThrownBy(() -> statement.executeQuery(SELECT)).isInstanceOf(SqlThrottledException.class);
        }
    }

    @Test
    void delayOnlyDelaysAndRefusesNothing() throws SQLException {
        try (Shop shop = shop("block: true", "strategy: delay, delay: 1s", InTransaction.DELAY_ONLY);
                Connection connection = shop.connect(); Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            assertThat(statement.executeQuery(SELECT).next()).isTrue();
            assertThat(shop.clock.now()).isEqualTo(Duration.ofSeconds(1));
        }
        for (String strategy : new String[] {"abort", "ignore"}) {
            try (Shop shop = shop("block: true", "strategy: " + strategy, InTransaction.DELAY_ONLY);
                    Connection connection = shop.connect(); Statement statement = connection.createStatement()) {
                connection.setAutoCommit(false);
                assertThat(statement.executeQuery(SELECT).next()).isTrue();
            }
        }
    }

    @Test
    void namesAreThoseOfConfiguration() {
        for (InTransaction mode : InTransaction.values()) {
            assertThat(InTransaction.ofName(mode.toString())).isEqualTo(mode);
        }
        assertThatThrownBy(() -> InTransaction.ofName("never")).hasMessageContaining("apply, delay-only or bypass");
    }
}
