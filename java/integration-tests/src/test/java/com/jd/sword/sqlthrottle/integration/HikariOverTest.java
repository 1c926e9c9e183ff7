package com.jd.sword.sqlthrottle.integration;

import static com.jd.sword.sqlthrottle.integration.Shop.SELECT;
import static com.jd.sword.sqlthrottle.integration.Shop.UPDATE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jd.sword.sqlthrottle.Reason;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import javax.sql.DataSource;

@Shows("HikariCP over it")
class HikariOverTest extends SourceContract {
    @Override
    DataSource over(Shop shop) {
        return Pools.around(shop.source);
    }

    @Override
    void assertAtRest(DataSource source) {
        Pools.assertAtRest((HikariDataSource) source);
    }

    /** T7: a pool evicts connections by the SQLState of what they throw, and a throttled statement is no fault of its connection. */
    @OnEveryDatabase
    void noThrottledStatementCostsAConnection(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.ABORT); HikariDataSource pool = Pools.around(shop.source)) {
            Connection first = physical(shop, pool, Reason.BLOCKED);
            for (int i = 0; i < 3; i++) {
                assertThat(physical(shop, pool, Reason.BLOCKED)).isSameAs(first);
            }
            shop.throttle.reload(Rules.IGNORE);
            assertThat(physical(shop, pool, Reason.IGNORE_UNAVAILABLE)).isSameAs(first);
            shop.throttle.reload(Rules.FOR_EVER);
            try (Connection connection = pool.getConnection(); Statement statement = connection.createStatement()) {
                Background<Integer> cancelled = Background.start(() -> statement.executeUpdate(UPDATE)).awaitDelayed();
                statement.cancel();
                cancelled.failure();
                Background<Integer> interrupted = Background.start(() -> statement.executeUpdate(UPDATE)).awaitDelayed();
                interrupted.interrupt();
                interrupted.failure();
                statement.setQueryTimeout(1);
                assertThatThrownBy(() -> statement.executeUpdate(UPDATE)).hasCauseInstanceOf(SQLTimeoutException.class);
                assertThat(connection.isClosed()).isFalse();
            }
            shop.throttle.reload(Rules.ABORT);
            assertThat(physical(shop, pool, Reason.BLOCKED)).isSameAs(first);
            assertThat(pool.getHikariPoolMXBean().getTotalConnections()).isEqualTo(1);
        }
    }

    /** The driver's connection, after a statement of it was refused. */
    private static Connection physical(Shop shop, HikariDataSource pool, Reason reason) throws SQLException {
        try (Connection raw = shop.raw.getConnection(); Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            assertAborted(() -> statement.executeQuery(SELECT + " for update"), reason);
            return connection.unwrap(raw.getClass());
        }
    }

    /** T11: what a pool asks to see whether the database is there is never throttled. */
    @OnEveryDatabase
    void healthChecksPass(Database database) throws Exception {
        try (Shop shop = Shop.on(database, "rules: [{name: users, limit: {block: true}}]")) {
            HikariConfig config = Pools.config(shop.source);
            config.setConnectionTestQuery("select 1");
            config.setConnectionInitSql("SELECT 1");
            try (HikariDataSource pool = new HikariDataSource(config); Connection connection = pool.getConnection()) {
                assertThat(connection.isValid(10)).isTrue();
                assertAborted(() -> connection.createStatement().executeQuery(SELECT), Reason.BLOCKED);
            }
        }
    }
}
