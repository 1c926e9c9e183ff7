package com.jd.sword.sqlthrottle.integration;

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

    /** Trap 8.15: where a connection cannot be wrapped it goes back to its pool, and the failure is told as it was. */
    @OnEveryDatabase
    void aConnectionThatCannotBeWrappedIsGivenBack(Database database) throws Exception {
        SQLException failure = new SQLException("it does not say what it is", "HY000");
        try (Shop shop = Shop.on(database, Rules.NONE); HikariDataSource pool = Pools.around(new Unidentified(shop.raw, failure))) {
            DataSource source = ThrottledDataSource.of(pool, shop.throttle);
            for (int i = 0; i < 2 * pool.getMaximumPoolSize(); i++) {
                assertThatThrownBy(source::getConnection).isSameAs(failure);
                Pools.assertAtRest(pool);
            }
        }
    }

    /** Trap 8.15: what fails of the throttle itself is told as callers of JDBC expect it. */
    @OnEveryDatabase
    void aClosedThrottleFailsAsAnSqlException(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.NONE); HikariDataSource pool = Pools.around(shop.raw)) {
            DataSource opened = ThrottledDataSource.of(pool, shop.throttle);
            opened.getConnection().close();
            DataSource unopened = ThrottledDataSource.of(pool, shop.throttle);
            shop.throttle.close();
            for (DataSource source : new DataSource[] {opened, unopened}) {
                assertThatThrownBy(() -> use(source)).isExactlyInstanceOf(SQLNonTransientException.class)
                        .hasCauseInstanceOf(IllegalStateException.class);
                Pools.assertAtRest(pool);
            }
        }
    }

    private static void use(DataSource source) throws SQLException {
        try (var connection = source.getConnection(); Statement statement = connection.createStatement()) {
            statement.executeQuery(Shop.SELECT);
        }
    }
}
