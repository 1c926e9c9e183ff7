package com.jd.sword.sqlthrottle.integration.mybatis;

import static com.jd.sword.sqlthrottle.integration.mybatis.Mappers.users;
import static org.assertj.core.api.Assertions.assertThat;

import com.jd.sword.sqlthrottle.integration.Database;
import com.jd.sword.sqlthrottle.integration.OnEveryDatabase;
import com.jd.sword.sqlthrottle.integration.Shop;
import com.jd.sword.sqlthrottle.integration.Shows;
import java.sql.Statement;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.ExecutorType;

/** Two layers of one throttle: the upper one counts. */
@Shows("Over a wrapped DataSource")
class WrappedSourceTest extends MapperContract {
    @Override
    Mappers over(Shop shop, ExecutorType type) {
        return new Mappers(shop, type, shop.source, new Configuration(), (configuration, plugin) -> configuration.addInterceptor(plugin));
    }

    /** However a batch is sent, the source beneath does not count it again; what no mapper sends it does. */
    @OnEveryDatabase
    void eachStatementIsCountedByOneLayer(Database database) throws Exception {
        try (Shop shop = Shop.on(database, COUNTING); Mappers mappers = over(shop, ExecutorType.BATCH)) {
            mappers.inTransaction(session -> {
                assertSends(shop, 3, () -> addThree(users(session)));
                assertSends(shop, 0, session::flushStatements);
                assertSends(shop, 3, () -> addThree(users(session)));
                assertSends(shop, 1, () -> users(session).names());
                assertSends(shop, 3, () -> addThree(users(session)));
                assertSends(shop, 0, session::commit);
                assertSends(shop, 1, () -> {
                    try (Statement statement = session.getConnection().createStatement()) {
                        statement.executeQuery(Shop.SELECT);
                    }
                });
            });
            assertThat(shop.seen()).isEqualTo(3);
        }
    }
}
