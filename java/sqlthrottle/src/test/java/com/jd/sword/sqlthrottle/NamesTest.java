package com.jd.sword.sqlthrottle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {
    @ParameterizedTest
    @CsvSource({
        "jdbc:mysql://localhost/shop, MYSQL",
        "jdbc:mysql+srv://host/shop, MYSQL",
        "jdbc:mysql:loadbalance://localhost/shop, MYSQL",
        "JDBC:MariaDB://localhost/shop, MYSQL",
        "jdbc:postgresql://localhost/shop, POSTGRESQL",
        "jdbc:pgsql://localhost/shop, POSTGRESQL",
        "jdbc:sqlite:/oracle:/file.db, SQLITE",
        "jdbc:sqlserver://localhost;databaseName=shop, MSSQL",
        "jdbc:jtds:sqlserver://localhost/shop, MSSQL",
        "jdbc:oracle:thin:@//localhost/shop, ORACLE",
        "jdbc:sqlthrottle:postgresql://localhost/shop, POSTGRESQL",
        "jdbc:p6spy:mysql://localhost/shop, MYSQL",
        "jdbc:tc:postgresql:16:///shop, POSTGRESQL",
        "jdbc:aws-wrapper:mysql://localhost/shop, MYSQL",
        "jdbc:otel:p6spy:oracle:thin:@//localhost/shop, ORACLE",
    })
    void aUrlSaysTheDialect(String url, Dialect dialect) {
        assertThat(Dialect.ofJdbcUrl(url)).contains(dialect);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "jdbc:", "jdbc:mysql", "jdbc:h2:mem:mysql:x", "jdbc:h2:/oracle:/x", "mysql://localhost/shop", "jdbc:otel:",
        "jdbc:unknown:mysql://localhost"})
    void anyOtherUrlSaysNone(String url) {
        assertThat(Dialect.ofJdbcUrl(url)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "jdbc:mysql://localhost/shop|shop",
        "jdbc:mysql://one:3306,two:3307/shop?useSSL=false|shop",
        "jdbc:mysql:loadbalance://one,two/shop%20one|shop one",
        "jdbc:mariadb://address=(host=one)(port=3306)/shop|shop",
        "jdbc:mysql://localhost|",
        "jdbc:mysql://localhost/?user=a/b|",
        "jdbc:postgresql://one:5432,two/shop?user=ann|shop",
        "jdbc:postgresql:shop|shop",
        "jdbc:postgresql:///shop|shop",
        "jdbc:postgresql://[::1]:5432/|",
        "jdbc:postgresql:/|",
        "jdbc:postgresql://h/100%|100%",
        "jdbc:sqlserver://localhost\\one:1433;encrypt=true;databaseName=shop|shop",
        "jdbc:sqlserver://localhost;DATABASE={a;b};user=ann|a;b",
        "jdbc:sqlserver://localhost;user=ann|",
        "jdbc:jtds:sqlserver://localhost:1433/shop;instance=one|shop",
        "jdbc:oracle:thin:@//localhost:1521/shop|shop",
        "jdbc:oracle:thin:@localhost:1521/shop:dedicated/one|shop",
        "jdbc:oracle:thin:@localhost/shop|shop",
        "jdbc:oracle:thin:@localhost:1521:ORCL|ORCL",
        "jdbc:oracle:thin:ann/p@ss@tcps://localhost:1521/shop.example.org?x=y|shop.example.org",
        "jdbc:oracle:thin:@(DESCRIPTION=(ADDRESS=(HOST=h)(PORT=1))(CONNECT_DATA=(SERVICE_NAME = shop)))|shop",
        "jdbc:oracle:thin:@alias|",
        "jdbc:oracle:thin:@alias?TNS_ADMIN=/etc/x|",
        "jdbc:oracle:kprb:|",
        "jdbc:sqlite:/var/lib/shop.db?cache=shared|shop.db",
        "jdbc:sqlite:file:shop.db|shop.db",
        "jdbc:sqlite::memory:|",
        "jdbc:sqlite:|",
        "jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1|shop",
        "jdbc:h2:mem:|",
        "jdbc:h2:~/data/shop|shop",
        "jdbc:h2:tcp://localhost:9092/~/shop;IFEXISTS=TRUE|shop",
        "jdbc:h2:file:C:\\data\\shop|shop",
        "jdbc:sqlthrottle:p6spy:mysql://localhost/shop|shop",
        "jdbc:db2://localhost/shop|",
        "mysql://localhost/shop|",
    })
    void aUrlNamesTheDatabaseOrNone(String url, String database) {
        assertThat(DatabaseName.ofJdbcUrl(url)).isEqualTo(Optional.ofNullable(database));
    }

    @Test
    void noUrlSaysNone() {
        assertThat(DatabaseName.ofJdbcUrl(null)).isEmpty();
        assertThat(Dialect.ofJdbcUrl(null)).isEmpty();
    }

    /** Numbers go by places, so each name is what the engine takes or says for it. */
    @Test
    void dialectsAreCalledAsInRuleFiles() {
        String[] texts = {"select \"a\" from t", "select a from t -- x\n", "select `a` from t", "select 'a\\' from t", "select a # b from t"};
        for (Dialect dialect : Dialect.values()) {
            try (Throttle named = Throttle.of("dialect: " + dialect); Throttle other = Throttle.of("")) {
                for (String text : texts) {
                    assertThat(other.fingerprint(text, dialect)).as("%s, %s", dialect, text).isEqualTo(named.fingerprint(text));
                }
            }
            assertThat(Dialect.ofName(dialect.toString())).contains(dialect);
        }
        assertThat(Dialect.ofName("MySQL")).contains(Dialect.MYSQL);
        assertThat(Dialect.ofName("db2")).isEqualTo(Optional.empty());
    }

    @Test
    void namesAreThoseOfTheOtherLanguages() {
        for (Verdict verdict : Verdict.values()) {
            assertThat(verdict.toString()).isEqualTo(verdict.name().toLowerCase(java.util.Locale.ROOT));
        }
        for (Reason reason : Reason.values()) {
            assertThat(reason.toString()).isEqualTo(reason.name().toLowerCase(java.util.Locale.ROOT));
        }
        for (Dialect dialect : Dialect.values()) {
            assertThat(dialect.toString()).isEqualTo(dialect.name().toLowerCase(java.util.Locale.ROOT));
        }
    }

    @Test
    void aFingerprintIsItsDigits() {
        String digits = "0123456789abcdef".repeat(4);
        assertThat(Digest.parse(digits).toString()).isEqualTo(digits);
        assertThat(Digest.parse(digits.toUpperCase(java.util.Locale.ROOT))).isEqualTo(Digest.parse(digits));
        assertThat(Digest.parse(digits.substring(0, 40))).isNotEqualTo(Digest.parse(digits));
        for (String none : new String[] {"", "0", digits + "00", "g".repeat(32)}) {
            assertThatThrownBy(() -> Digest.parse(none)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    /** An answer keeps the names of the decision before: those of the next may differ in one of them, or have none. */
    @Test
    void eachDecisionHasItsOwnNames() {
        String rules = "rules: [{name: first, match: {tables: [a]}, limit: {fixed_window: {max: 9, window: 1h}}}, "
                + "{name: other, match: {tables: [b, c]}, limit: {fixed_window: {max: 9, window: 1h}}}]";
        String[][] asked = {{"select 1 from a", "first"}, {"select 1 from b", "other"}, {"select 1 from c", "other"}, {"select 1", null},
            {"select 1 from c", "other"}, {"select 1 from a", "first"}, {"select 1 from a", "first"}};
        try (Throttle throttle = Throttle.of(rules)) {
            for (int round = 0; round < 2; round++) {
                for (String[] one : asked) {
                    Decision decision = throttle.check(one[0]);
                    assertThat(decision.rule()).as(one[0]).isEqualTo(one[1]);
                    assertThat(decision.fingerprint()).as(one[0]).isEqualTo(throttle.fingerprint(one[0]));
                }
                assertThat(throttle.checkRequest(StatementContext.of("dev", null)).fingerprint()).isNull();
            }
        }
    }
}
