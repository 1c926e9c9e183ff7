package com.jd.sword.sqlthrottle.integration.mybatis;

import static com.jd.sword.sqlthrottle.integration.Shop.USERS;
import static com.jd.sword.sqlthrottle.integration.mybatis.Mappers.users;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.jd.sword.mybatis.plugin.protector.SQLBasedDatabaseProtectorPlugin;
import com.jd.sword.mybatis.plugin.protector.exception.ProtectionAbortException;
import com.jd.sword.sqlthrottle.integration.Database;
import com.jd.sword.sqlthrottle.integration.OnEveryDatabase;
import com.jd.sword.sqlthrottle.integration.Rules;
import com.jd.sword.sqlthrottle.integration.Shop;
import java.io.StringReader;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.ibatis.datasource.pooled.PooledDataSource;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.io.TempDir;

/** A program that has MyBatis' configuration file, and thresholds in an {@code application.yml} on its class path; and beside them rules. */
class ThresholdsTest {
    private static final String NAME = "select name from users where id = ?";

    @OnEveryDatabase
    void thresholdsAreThoseOfApplicationYml(Database database, @TempDir Path folder) throws Exception {
        try (Shop shop = Shop.on(database, Rules.NONE)) {
            Files.writeString(folder.resolve("application.yml"), """
                    mybatis:
                      protector:
                        thresholds:
                          %s: 2
                          %s:
                            max-count: 1
                            strategy: ignore
                            window-size: 10m
                            buckets: 10
                          %s:
                            max-count: 10
                            rate: 2/3
                            window-size: 10m
                          default:
                            max-count: 3
                            window-size: 10m
                    """.formatted(digits(shop, Shop.SELECT), digits(shop, Shop.UPDATE), shop.throttle.fingerprint(NAME)));
            try (Configured configured = new Configured(shop, folder, "")) {
                Users users = users(configured.session);
                for (int i = 0; i < 2; i++) {
                    assertThat(users.names()).hasSize(USERS);
                }
                assertAborted(users::names, shop.throttle.fingerprint(Shop.SELECT), 2);
                assertThat(users.seeAll()).isEqualTo(USERS);
                assertThat(users.seeAll()).isZero();

                int passed = 0;
                for (int i = 0; i < 310; i++) {
                    if (catchThrowable(() -> users.name(1)) == null) {
                        passed++;
                    }
                }
                assertThat(passed).isEqualTo(110);

                for (int i = 0; i < 3; i++) {
                    assertThat(users.count()).isEqualTo(USERS);
                }
                assertAborted(users::count, shop.throttle.fingerprint("select count(*) from users"), 3);
                assertThat(users.order(1)).as("a threshold of its own for each").isEqualTo(1);
            }
        }
    }

    /** One throttle has both, and of each statement there is one decision: the one that refuses names itself. */
    @OnEveryDatabase
    void rulesAndThresholdsHoldTogether(Database database, @TempDir Path folder) throws Exception {
        try (Shop shop = Shop.on(database, Rules.NONE)) {
            Files.writeString(folder.resolve("application.yml"),
                    "mybatis.protector.thresholds: {" + digits(shop, Shop.SELECT) + ": 3, " + digits(shop, Shop.UPDATE) + ": 1}");
            Path rules = Files.writeString(folder.resolve("rules.yml"), Rules.atMost(3));
            try (Configured configured = new Configured(shop, folder, "<property name='rules' value='" + rules + "'/>")) {
                Users users = users(configured.session);
                users.seeAll();
                String update = shop.throttle.fingerprint(Shop.UPDATE);
                assertAborted(users::seeAll, update, 1);
                assertThat(users.names()).hasSize(USERS);
                assertThat(users.names()).hasSize(USERS);
                // Of the rule's three, one was the update's: what its threshold refused has taken none.
                ProtectionAbortException abort = abort(users::names);
                assertThat(abort.getRule()).isEqualTo("users");
                assertThat(abort.getFingerprint()).isEqualTo(shop.throttle.fingerprint(Shop.SELECT));
                assertThat(users.order(1)).isEqualTo(1);
            }
        }
    }

    /** As many digits of its fingerprint as are usual. */
    private static String digits(Shop shop, String sql) {
        return shop.throttle.fingerprint(sql).substring(0, 12);
    }

    private static ProtectionAbortException abort(ThrowingCallable call) {
        Throwable failure = catchThrowable(call);
        return ProtectionAbortException.in(failure).orElseThrow(() -> new AssertionError("another failure", failure));
    }

    private static void assertAborted(ThrowingCallable call, String fingerprint, int limit) {
        ProtectionAbortException abort = abort(call);
        assertThat(abort.getFingerprint()).isEqualTo(fingerprint);
        assertThat(abort.getLimit()).isEqualTo(limit);
        assertThat(abort.getCount()).isEqualTo(limit + 1);
    }

    /** MyBatis as its own file configures it, with a folder on the class path. */
    private static final class Configured implements AutoCloseable {
        private final SqlSessionFactory factory;
        final SqlSession session;

        Configured(Shop shop, Path folder, String properties) throws Exception {
            String text = """
                    <?xml version="1.0"?>
                    <!DOCTYPE configuration PUBLIC "-//mybatis.org//DTD Config 3.0//EN" "http://mybatis.org/dtd/mybatis-3-config.dtd">
                    <configuration>
                      <settings><setting name="localCacheScope" value="STATEMENT"/></settings>
                      <plugins><plugin interceptor="%s">%s</plugin></plugins>
                      <environments default="shop">
                        <environment id="shop">
                          <transactionManager type="JDBC"/>
                          <dataSource type="POOLED"><property name="driver" value="%s"/><property name="url" value="%s"/></dataSource>
                        </environment>
                      </environments>
                      <mappers><mapper class="%s"/></mappers>
                    </configuration>
                    """.formatted(SQLBasedDatabaseProtectorPlugin.class.getName(), properties, driver(shop.database),
                            shop.database.url(shop.schema).replace("&", "&amp;"), Users.class.getName());
            Thread thread = Thread.currentThread();
            ClassLoader before = thread.getContextClassLoader();
            try (URLClassLoader classPath = new URLClassLoader(new URL[] {folder.toUri().toURL()}, before)) {
                thread.setContextClassLoader(classPath);
                factory = new SqlSessionFactoryBuilder().build(new StringReader(text));
                session = factory.openSession(true);
            } finally {
                thread.setContextClassLoader(before);
            }
        }

        private static String driver(Database database) {
            return switch (database) {
                case H2 -> org.h2.Driver.class.getName();
                case MARIADB -> org.mariadb.jdbc.Driver.class.getName();
                case POSTGRESQL -> org.postgresql.Driver.class.getName();
            };
        }

        @Override
        public void close() {
            session.close();
            ((PooledDataSource) factory.getConfiguration().getEnvironment().getDataSource()).forceCloseAll();
            ((SQLBasedDatabaseProtectorPlugin) factory.getConfiguration().getInterceptors().get(0)).close();
        }
    }
}
