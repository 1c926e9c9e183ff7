package com.jd.sword.mybatis.plugin.protector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jd.sword.mybatis.plugin.protector.exception.ProtectionAbortException;
import com.jd.sword.sqlthrottle.SqlThrottleException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who is asked for thresholds, when, and what is done where that fails. */
class ProviderTest {
    private static final Logger LOGGER = Logger.getLogger("com.jd.sword.sqlthrottle");

    private final List<String> asked = new ArrayList<>();

    @BeforeEach
    void failuresAreExpected() {
        LOGGER.setLevel(Level.OFF);
    }

    @AfterEach
    void andNotElsewhere() {
        LOGGER.setLevel(null);
    }

    private interface Action {
        void with(Users users, SQLBasedDatabaseProtectorPlugin plugin) throws Exception;
    }

    private static void with(ProtectorBuilder builder, Action action) throws Exception {
        try (Shop shop = Shop.with("{}"); SQLBasedDatabaseProtectorPlugin plugin = builder.build()) {
            SqlSessionFactory factory = shop.factory(shop.source, options -> options.addInterceptor(plugin));
            try (SqlSession session = factory.openSession()) {
                action.with(session.getMapper(Users.class), plugin);
            }
        }
    }

    @Test
    void itIsAskedOnceForAFingerprint() throws Exception {
        with(SQLBasedDatabaseProtectorPlugin.builder().thresholds(fingerprint -> {
            asked.add(fingerprint);
            return ThresholdConfig.of(2);
        }), (users, plugin) -> {
            users.name(1);
            users.name(2);
            assertThatThrownBy(() -> users.name(3)).satisfies(ExecutionTest::isAborted);
            assertThat(asked).containsExactly(plugin.throttle().fingerprint("select name from users where id = ?"));
        });
    }

    @Test
    void whereItHasNoneTheRuleFileDecides(@TempDir Path folder) throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yml"), "rules: [{name: file, match: {tables: [users]}, limit: {block: true}}]");
        with(SQLBasedDatabaseProtectorPlugin.builder().thresholds(fingerprint -> null).rules(rules), (users, plugin) -> {
            assertThatThrownBy(() -> users.name(1)).satisfies(e ->
                    assertThat(ProtectionAbortException.in(e).get().getRule()).isEqualTo("file"));
            assertThat(users.orders(1)).hasSize(2);
        });
    }

    @Test
    void oneThatFailsReachesNoCallerAndIsCounted() throws Exception {
        with(SQLBasedDatabaseProtectorPlugin.builder().thresholds(fingerprint -> {
            throw new IllegalStateException("the table of thresholds is gone");
        }), (users, plugin) -> {
            assertThat(users.name(1)).isEqualTo("user 1");
            assertThat(users.name(2)).isEqualTo("user 2");
            assertThat(plugin.throttle().snapshot()).containsPattern("\"provider_failures\": ?1\\b");
        });
    }

    @Test
    void aNameThatNobodyHasGivenIsAFailureToo() throws Exception {
        with(SQLBasedDatabaseProtectorPlugin.builder().thresholds(fingerprint -> ThresholdConfig.builder(1)
                .strategy(new com.jd.sword.mybatis.plugin.protector.strategy.NamedPolicy("unknown")).build()), (users, plugin) -> {
            assertThat(users.name(1)).isEqualTo("user 1");
            assertThat(plugin.throttle().snapshot()).containsPattern("\"provider_failures\": ?1\\b");
        });
    }

    @Test
    void theServiceLoaderFindsOne(@TempDir Path folder) throws Exception {
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.writeString(services.resolve(SqlThresholdProvider.class.getName()), One.class.getName());
        ClassLoader here = ProviderTest.class.getClassLoader();
        found(folder, here, plugin -> assertThat(plugin.throttle().check("select 1 from anything").limit()).isEqualTo(1));
        Files.writeString(services.resolve(SqlThresholdProvider.class.getName()), "no.such.Provider");
        assertThatThrownBy(() -> found(folder, here, plugin -> {})).isInstanceOf(SqlThrottleException.class).hasMessageContaining("no.such.Provider");
    }

    @Test
    void elseFilesAreRead(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("application.yml"), "mybatis.protector.thresholds.default: 4");
        found(folder, null, plugin -> assertThat(plugin.throttle().check("select 1 from anything").limit()).isEqualTo(4));
        Files.writeString(folder.resolve("application.yml"), "mybatis.protector.thresholds.default: four");
        assertThatThrownBy(() -> found(folder, null, plugin -> {})).isInstanceOf(SqlThrottleException.class).hasMessageContaining("`four`");
    }

    private interface Found {
        void is(SQLBasedDatabaseProtectorPlugin plugin);
    }

    private static void found(Path folder, ClassLoader parent, Found action) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()}, parent)) {
            thread.setContextClassLoader(loader);
            try (SQLBasedDatabaseProtectorPlugin plugin = new SQLBasedDatabaseProtectorPlugin()) {
                action.is(plugin);
            }
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Test
    void nothingAndTooMuchAreRefused(@TempDir Path folder) {
        assertThatThrownBy(() -> SQLBasedDatabaseProtectorPlugin.builder().build()).isInstanceOf(IllegalStateException.class);
        try (com.jd.sword.sqlthrottle.Throttle throttle = com.jd.sword.sqlthrottle.Throttle.of("{}")) {
            assertThatThrownBy(() -> SQLBasedDatabaseProtectorPlugin.builder().throttle(throttle).thresholds(fingerprint -> null).build())
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    /** What the service loader makes. */
    public static final class One implements SqlThresholdProvider {
        @Override
        public ThresholdConfig getThreshold(String fingerprint) {
            return ThresholdConfig.of(1);
        }
    }
}
