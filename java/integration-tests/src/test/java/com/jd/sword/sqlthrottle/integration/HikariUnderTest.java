package com.jd.sword.sqlthrottle.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jd.sword.sqlthrottle.jdbc.ThrottledDataSource;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.sql.Statement;
import javax.sql.DataSource;

@Shows("HikariCP under it")
class HikariUnderTest extends SourceContract {
    @Override
    DataSource over(Shop shop) {
        return ThrottledDataSource.of(Pools.around(shop.raw), shop.throttle);
    }

    @Override
    void assertAtRest(DataSource source) {
        try {
            // T9: the pool is found, however deep.
            Pools.assertAtRest(source.unwrap(HikariDataSource.class));
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Trap 8.15: what fails of the throttle itself leaves no connection behind, and says so as callers of JDBC expect it. */
    @OnEveryDatabase
    void aFailureOfTheThrottleLeaksNoConnection(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.NONE); HikariDataSource pool = Pools.around(shop.raw)) {
            DataSource opened = ThrottledDataSource.of(pool, shop.throttle);
            opened.getConnection().close();
            DataSource unopened = ThrottledDataSource.of(pool, shop.throttle);
            shop.throttle.close();
            for (int i = 0; i < 2 * pool.getMaximumPoolSize(); i++) {
                assertThatThrownBy(() -> use(unopened)).isExactlyInstanceOf(SQLNonTransientException.class)
                        .hasCauseInstanceOf(IllegalStateException.class);
                assertThatThrownBy(() -> use(opened)).isExactlyInstanceOf(SQLNonTransientException.class)
                        .hasCauseInstanceOf(IllegalStateException.class);
                Pools.assertAtRest(pool);
            }
            assertThat(pool.getHikariPoolMXBean().getTotalConnections()).isLessThanOrEqualTo(pool.getMaximumPoolSize());
        }
    }

    private static void use(DataSource source) throws SQLException {
        try (var connection = source.getConnection(); Statement statement = connection.createStatement()) {
            statement.executeQuery(Shop.SELECT);
        }
    }
}
