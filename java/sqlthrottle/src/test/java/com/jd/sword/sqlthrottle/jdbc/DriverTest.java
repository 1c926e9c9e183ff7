package com.jd.sword.sqlthrottle.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jd.sword.sqlthrottle.SqlThrottledException;
import com.jd.sword.sqlthrottle.Throttle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the driver manager finds by itself. */
class DriverTest {
    private static final String SELECT = "select 2 from information_schema.tables";

    @TempDir
    private Path folder;
    private Path rules;

    @BeforeEach
    void rules() throws IOException {
        rules = folder.resolve("rules.yml");
        Files.writeString(rules, "rules: [{name: once, match: {tables: tables}, limit: {fixed_window: {max: 1, window: 1h}}}]\nwatch: 0\n");
    }

    @AfterEach
    void forget() {
        System.clearProperty("sqlthrottle.rules");
    }

    private static void select(Connection connection) throws SQLException {
        try (connection; Statement statement = connection.createStatement()) {
            statement.executeQuery(SELECT).close();
        }
    }

    @Test
    void theUrlNamesTheRules() throws SQLException {
        String url = "jdbc:sqlthrottle:(rules=" + rules + "; in-transaction=bypass)h2:mem:";
        select(DriverManager.getConnection(url));
        // All connections share the limit, whatever else is said of them.
        assertThatThrownBy(() -> select(DriverManager.getConnection(url))).isInstanceOf(SqlThrottledException.class);
        String other = "jdbc:sqlthrottle:(rules=" + rules + ")jdbc:h2:mem:other";
        assertThatThrownBy(() -> select(DriverManager.getConnection(other))).isInstanceOf(SqlThrottledException.class);
        Connection transaction = DriverManager.getConnection(url);
        transaction.setAutoCommit(false);
        select(transaction);
    }

    @Test
    void aConnectionLeadsToTheThrottleOfItsRules() throws SQLException {
        String url = "jdbc:sqlthrottle:(rules=" + rules + ")h2:mem:";
        try (Connection connection = DriverManager.getConnection(url); Connection other = DriverManager.getConnection(url)) {
            Throttle throttle = connection.unwrap(Throttle.class);
            assertThat(throttle.snapshot()).startsWith("{");
            assertThat(throttle.isClosed()).isFalse();
            assertThat(other.unwrap(Throttle.class)).isSameAs(throttle);
        }
    }

    @Test
    void aPropertyNamesTheRules() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("sqlthrottle.rules", rules.toString());
        properties.setProperty("user", "sa");
        select(DriverManager.getConnection("jdbc:sqlthrottle:h2:mem:", properties));
        System.setProperty("sqlthrottle.rules", rules.toString());
        assertThatThrownBy(() -> select(DriverManager.getConnection("jdbc:sqlthrottle:h2:mem:"))).isInstanceOf(SqlThrottledException.class);
    }

    @Test
    void theDriverMayBeNamed() throws SQLException {
        String url = "jdbc:sqlthrottle:(rules=" + rules + ";driver=org.h2.Driver)h2:mem:";
        select(DriverManager.getConnection(url));
        assertThatThrownBy(() -> DriverManager.getConnection(url.replace("org.h2.Driver", "no.Driver"))).hasMessageContaining("no.Driver");
    }

    @Test
    void whatIsWrongIsSaid() {
        refuses("jdbc:sqlthrottle:h2:mem:", "no rule file is named");
        refuses("jdbc:sqlthrottle:(rules=" + folder.resolve("none") + ")h2:mem:", "none");
        refuses("jdbc:sqlthrottle:(rules=x", "closing parenthesis");
        refuses("jdbc:sqlthrottle:(rules)h2:mem:", "has no value");
        refuses("jdbc:sqlthrottle:(rule=x)h2:mem:", "no option rule");
        refuses("jdbc:sqlthrottle:(rules=" + rules + ";in-transaction=never)h2:mem:", "apply, delay-only or bypass");
        refuses("jdbc:sqlthrottle:(rules=" + rules + ";dialect=db2)h2:mem:", "no dialect db2");
        refuses("jdbc:sqlthrottle:(rules=" + rules + ";exempt=all)h2:mem:", "standard or none");
        refuses("jdbc:sqlthrottle:(rules=" + rules + ")nosuch://sa:secret@db/shop", "no driver for jdbc:nosuch");
    }

    private static void refuses(String url, String message) {
        assertThatThrownBy(() -> DriverManager.getConnection(url)).isInstanceOf(SQLException.class).hasMessageContaining(message)
                .hasMessageNotContaining("secret");
    }

    @Test
    void rulesWithFaultsAreRefusedWithTheirPlace() throws IOException {
        Files.writeString(rules, "rules: [{name: a, limit: {blok: true}}]");
        refuses("jdbc:sqlthrottle:(rules=" + rules + ")h2:mem:", "blok");
    }

    @Test
    void toolsMayAskForItsOptions() throws SQLException {
        ThrottledDriver driver = new ThrottledDriver();
        assertThat(driver.acceptsURL("jdbc:h2:mem:")).isFalse();
        assertThat(driver.acceptsURL(null)).isFalse();
        assertThat(driver.connect("jdbc:h2:mem:", new Properties())).isNull();
        DriverPropertyInfo[] described = driver.getPropertyInfo("jdbc:sqlthrottle:h2:mem:", new Properties());
        assertThat(Arrays.stream(described).map(info -> info.name)).contains("sqlthrottle.rules", "sqlthrottle.in-transaction");
        assertThat(driver.jdbcCompliant()).isFalse();
        assertThat(driver.getMinorVersion()).isEqualTo(1);
    }

    @Test
    void toDeregisterItClosesWhatItHasOpened() throws SQLException {
        SharedGates gates = new SharedGates();
        DriverUrl url = DriverUrl.parse("jdbc:sqlthrottle:(rules=" + rules + ")h2:mem:", null);
        Gate gate = gates.of(url);
        assertThat(gates.of(url)).isSameAs(gate);
        gates.close();
        assertThat(gate.throttle().isClosed()).isTrue();
        assertThat(gates.of(url)).isNotSameAs(gate);
        gates.close();
    }

    @Test
    void aLinkThatLeadsElsewhereLaterIsStillTheSameFile() throws Exception {
        Path first = Files.createDirectory(folder.resolve("first"));
        Path second = Files.createDirectory(folder.resolve("second"));
        Files.copy(rules, first.resolve("rules.yml"));
        Files.copy(rules, second.resolve("rules.yml"));
        Path link = Files.createSymbolicLink(folder.resolve("mounted"), first);
        SharedGates gates = new SharedGates();
        try {
            DriverUrl url = DriverUrl.parse("jdbc:sqlthrottle:(rules=" + link.resolve("rules.yml") + ")h2:mem:", null);
            Gate gate = gates.of(url);
            Files.delete(link);
            assertThat(gates.of(url)).isSameAs(gate);
            Files.createSymbolicLink(link, second);
            assertThat(gates.of(url)).isSameAs(gate);
        } finally {
            gates.close();
        }
    }

    @Test
    void afterAFileThatCouldNotBeOpenedTheNextTryOpensIt() throws Exception {
        SharedGates gates = new SharedGates();
        Path later = folder.resolve("later.yml");
        DriverUrl url = DriverUrl.parse("jdbc:sqlthrottle:(rules=" + later + ")h2:mem:", null);
        assertThatThrownBy(() -> gates.of(url)).isInstanceOf(SQLException.class).hasMessageContaining("later.yml");
        Files.copy(rules, later);
        assertThat(gates.of(url).throttle().isClosed()).isFalse();
        gates.close();
    }

    @Test
    void propertiesThatAreNoTextReachTheDriver() throws SQLException {
        Properties properties = new Properties();
        Object factory = new Object();
        properties.put("socketFactory", factory);
        properties.put("user", "sa");
        Properties handedOn = DriverUrl.parse("jdbc:sqlthrottle:h2:mem:", properties).properties();
        assertThat(handedOn).containsEntry("socketFactory", factory).containsEntry("user", "sa").hasSize(2);
    }

    /** A driver without something that it needs. */
    public static final class Unlinked extends org.h2.Driver {
        static {
            if (true) {
                throw new NoClassDefFoundError("missing");
            }
        }
    }

    @Test
    void aDriverThatDoesNotLinkIsAnSqlException() {
        refuses("jdbc:sqlthrottle:(rules=" + rules + ";driver=" + Unlinked.class.getName() + ")h2:mem:", "cannot be loaded");
    }
}
