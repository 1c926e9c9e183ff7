package com.jd.sword.sqlthrottle.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.jd.sword.sqlthrottle.Reason;
import com.jd.sword.sqlthrottle.jdbc.ThrottledDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/** A source that is wrapped chooses among others that are wrapped, as it happens where all beans of a context are. */
@Shows("Routing over wrapped targets")
class RoutingTest extends SourceContract {
    @Override
    DataSource over(Shop shop) {
        return ThrottledDataSource.of(routing(shop), shop.throttle);
    }

    private static DataSource routing(Shop shop) {
        Map<Object, Object> targets = new HashMap<>();
        targets.put("primary", ThrottledDataSource.of(shop.raw, shop.throttle));
        targets.put("replica", ThrottledDataSource.of(shop.raw, shop.throttle));
        AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {
            private int connections;

            @Override
            protected Object determineCurrentLookupKey() {
                return connections++ % 2 == 0 ? "primary" : "replica";
            }
        };
        routing.setTargetDataSources(targets);
        routing.afterPropertiesSet();
        return routing;
    }

    /** T10. */
    @OnEveryDatabase
    void countsOnce(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.atMost(4))) {
            for (int i = 0; i < 2; i++) {
                assertCounted(ThrottledDataSource.of(routing(shop), shop.throttle), 2 * i + 1, shop);
                assertCounted(routing(shop), 2 * i + 2, shop);
            }
            try (Connection connection = over(shop).getConnection(); Statement statement = connection.createStatement()) {
                assertAborted(() -> statement.executeUpdate(Shop.UPDATE), Reason.OVER_LIMIT);
            }
            assertThat(shop.decided("abort")).isEqualTo(1);
        }
    }

    private static void assertCounted(DataSource source, int times, Shop shop) throws SQLException {
        try (Connection connection = source.getConnection(); Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate(Shop.UPDATE)).isEqualTo(Shop.USERS);
        }
        assertThat(shop.decided("allow")).isEqualTo(times);
    }
}
