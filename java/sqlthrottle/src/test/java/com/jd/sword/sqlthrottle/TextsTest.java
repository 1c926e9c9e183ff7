package com.jd.sword.sqlthrottle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TextsTest {
    @ParameterizedTest
    @ValueSource(strings = {"", ";", "\0", "select 😀 from t", "select 'a\0b' from \"c\0d\"", "select 名前 from 表 where é = ?", "\ud83d",
        "\ude00\ud83d", "select \ud800 from t"})
    void anyTextIsDecidedAlikeUnknownAndKnown(String sql) {
        try (Throttle throttle = Throttle.of("default_threshold: 3")) {
            String fingerprint = throttle.fingerprint(sql);
            for (long count = 1; count <= 3; count++) {
                Decision decision = throttle.check(sql);
                assertThat(decision.isAllowed()).isTrue();
                assertThat(decision.fingerprint()).isEqualTo(fingerprint);
                assertThat(decision.count()).isEqualTo(count);
            }
            assertThat(throttle.prepare(sql).check().isAllowed()).isFalse();
        }
    }

    @Test
    void namesAreKeptAsTheyAre() {
        try (Throttle throttle = Throttle.of("")) {
            assertThat(throttle.normalize("SELECT 😀, \"a\0b\" FROM 表 WHERE x = '😀'")).isEqualTo("select 😀,\"a\0b\" from 表 where x=?");
        }
    }

    /** To be a question mark, as the library of Java makes it, it would be a parameter. */
    @Test
    void halfOfAPairIsNoParameter() {
        assertThat(Utf8.encode("a\ud83db")).isEqualTo("a\ufffdb".getBytes(StandardCharsets.UTF_8));
        assertThat(Utf8.encode("\ude00\ud83d😀")).isEqualTo("\ufffd\ufffd😀".getBytes(StandardCharsets.UTF_8));
        assertThat(Utf8.encode("😀é\0")).isEqualTo("😀é\0".getBytes(StandardCharsets.UTF_8));
        try (Throttle throttle = Throttle.of("")) {
            assertThat(throttle.normalize("select \ud83d from t")).isEqualTo("select \ufffd from t");
        }
    }

    @Test
    void usersAndTagsAreAnyText() {
        String rules = "rules: [{name: per, per: [user, 'tag:t'], limit: {fixed_window: {max: 1, window: 1h}}}]";
        try (Throttle throttle = Throttle.of(rules)) {
            String[] users = {"😀", "a\0b", "a\0c", "a", "", "é", null};
            for (String user : users) {
                StatementContext context = StatementContext.builder().user(user).tag("t", "名\0").build();
                assertThat(throttle.check("select 1", context).isAllowed()).as("%s", user).isTrue();
                assertThat(throttle.check("select 1", context).isAllowed()).as("%s", user).isFalse();
            }
        }
    }

    @Test
    void aTextOfMegabytesIsDecided() {
        try (Throttle throttle = Throttle.of("default_threshold: 2")) {
            StringBuilder sql = new StringBuilder("select * from t where id in (0");
            while (sql.length() < 3 << 20) {
                sql.append(",'some value'");
            }
            String text = sql.append(')').toString();
            assertThat(throttle.check(text).fingerprint()).isEqualTo(throttle.fingerprint("select * from t where id in (1)"));
            assertThat(throttle.isAllowed(text)).isTrue();
            assertThat(throttle.isAllowed("select * from t where id in (2)")).isFalse();
            assertThat(throttle.statements(null).size()).as("too long to be kept").isZero();
        }
    }

    @Test
    void nullIsNoText() {
        try (Throttle throttle = Throttle.of("")) {
            assertThatThrownBy(() -> throttle.check(null)).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> throttle.isAllowed(null)).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> throttle.prepare(null)).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> throttle.guardAsync(null)).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> throttle.normalize(null)).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> throttle.check("select 1", null)).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> Throttle.of(null)).isInstanceOf(NullPointerException.class);
        }
    }
}
