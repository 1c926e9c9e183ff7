package com.jd.sword.sqlthrottle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ThrottleTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Test
    void aStatementOverItsThresholdIsAborted() {
        try (ManualClock clock = new ManualClock();
                Throttle throttle = Throttle.builder().rules("default_threshold: 2").clock(clock).open()) {
            assertThat(throttle.check("select * from users where id = 1").isAllowed()).isTrue();
            assertThat(throttle.check("SELECT * FROM users WHERE id = 2").isAllowed()).isTrue();

            Decision decision = throttle.check("select * from users where id = 3");
            assertThat(decision.verdict()).isEqualTo(Verdict.ABORT);
            assertThat(decision.reason()).isEqualTo(Reason.OVER_LIMIT);
            assertThat(decision.rule()).isEqualTo("default_threshold");
            assertThat(decision.count()).isEqualTo(3);
            assertThat(decision.limit()).isEqualTo(2);
            assertThat(decision.retryAfter()).isEqualTo(Duration.ofSeconds(65));
            assertThat(decision.retryAfterNanos()).isEqualTo(65_000_000_000L);
            assertThat(decision.delay()).isNull();
            assertThat(decision.delayNanos()).isEqualTo(-1);
            assertThat(decision.observed()).isNull();
            assertThat(decision.custom()).isNull();
            assertThat(decision.overflow()).isFalse();
            assertThat(decision.hasPermit()).isFalse();
            assertThat(decision.fingerprint()).isEqualTo(throttle.fingerprint("select * from users where id = 4")).hasSize(64);

            clock.advance(Duration.ofSeconds(65));
            assertThat(throttle.check("select * from users where id = 5").isAllowed()).isTrue();
        }
    }

    @Test
    void aTextIsDecidedAlikeUnknownKnownAndPrepared() {
        try (Throttle throttle = Throttle.of("default_threshold: 6")) {
            String sql = "select name from users where id = 1";
            PreparedCheck prepared = throttle.prepare(sql);
            Decision unknown = throttle.check(sql);
            assertThat(throttle.statements(null).size()).isZero();
            Decision admitted = throttle.check(sql);
            assertThat(throttle.statements(null).size()).isEqualTo(1);
            Decision known = throttle.check(sql);
            Decision byHandle = prepared.check();
            for (Decision decision : Arrays.asList(admitted, known, byHandle)) {
                assertThat(decision.fingerprint()).isEqualTo(unknown.fingerprint());
                assertThat(decision.rule()).isEqualTo(unknown.rule());
                assertThat(decision.reason()).isEqualTo(unknown.reason());
            }
            assertThat(Arrays.asList(unknown.count(), admitted.count(), known.count(), byHandle.count()))
                    .containsExactly(1L, 2L, 3L, 4L);
            assertThat(throttle.isAllowed(sql)).isTrue();
            assertThat(prepared.isAllowed()).isTrue();
            assertThat(throttle.isAllowed(sql)).isFalse();
            assertThat(prepared.isAllowed()).isFalse();
        }
    }

    @Test
    void whatIsAllowedIsGivenBackOnce() {
        try (Throttle throttle = Throttle.of("rules: [{name: one, limit: {concurrency: {max: 1}}}]");
                Throttle other = Throttle.of("rules: [{name: one, limit: {concurrency: {max: 1}}}]")) {
            Decision first = throttle.check("select 1");
            assertThat(first.hasPermit()).isTrue();
            Decision second = throttle.check("select 1");
            assertThat(second.isAllowed()).isFalse();
            assertThat(throttle.release(second)).isFalse();
            assertThat(other.release(first)).as("the permit of another throttle").isFalse();
            assertThat(throttle.release(first)).isTrue();
            assertThat(throttle.release(first)).as("a second time").isFalse();
            assertThat(throttle.check("select 1").isAllowed()).isTrue();
        }
    }

    @Test
    void askingWhetherItIsAllowedHoldsNoPlace() {
        try (Throttle throttle = Throttle.of("rules: [{name: one, limit: {concurrency: {max: 1}}}]")) {
            PreparedCheck prepared = throttle.prepare("select 2");
            for (int i = 0; i < 4; i++) {
                assertThat(throttle.isAllowed("select 1")).isTrue();
                assertThat(throttle.isAllowed("select 1", StatementContext.of("dev", null))).isTrue();
                assertThat(prepared.isAllowed()).isTrue();
            }
            assertThat(rule(throttle, "one").get("in_use").asInt()).isZero();
        }
    }

    @Test
    void aContextIsWhatRulesGoBy() {
        String rules = "rules: [{name: per-user, per: [user], match: {databases: [shop], tags: {endpoint: report}},"
                + " limit: {fixed_window: {max: 1, window: 1h}}}]";
        try (Throttle throttle = Throttle.of(rules)) {
            StatementContext dev = StatementContext.builder().user("dev").database("shop").tag("endpoint", "report").build();
            StatementContext ops = dev.toBuilder().user("ops").build();
            StatementContext elsewhere = dev.toBuilder().tag("endpoint", "list").build();
            PreparedCheck prepared = throttle.prepare("select 1", dev);
            // Unknown, admitted, known; and each user has a limiter of its own.
            assertThat(throttle.check("select 1", dev).isAllowed()).isTrue();
            assertThat(throttle.check("select 1", dev).rule()).isEqualTo("per-user");
            assertThat(throttle.check("select 1", dev).isAllowed()).isFalse();
            assertThat(prepared.check().isAllowed()).isFalse();
            assertThat(throttle.check("select 1", ops).isAllowed()).isTrue();
            assertThat(throttle.check("select 1", ops).isAllowed()).isFalse();
            assertThat(throttle.check("select 1", elsewhere).rule()).isNull();
            assertThat(throttle.check("select 1").rule()).isNull();
        }
    }

    @Test
    void parametersTellKeysApartAndMayBeOfTheCall() {
        String rules = "rules: [{name: per-shop, per: ['column:orders.shop'], limit: {fixed_window: {max: 1, window: 1h}}}]";
        try (Throttle throttle = Throttle.of(rules)) {
            String sql = "select * from orders where shop = ?";
            StatementContext seven = StatementContext.builder().parameters("7").build();
            assertThat(throttle.check(sql, seven).isAllowed()).isTrue();
            assertThat(throttle.check(sql, seven).isAllowed()).isFalse();
            Statements statements = throttle.statements(Dialect.POSTGRESQL);
            List<String> eight = List.of("8");
            assertThat(statements.check(sql, Fakes.NONE, 1, null, eight).isAllowed()).isTrue();
            assertThat(statements.check(sql, Fakes.NONE, 1, seven, eight).isAllowed()).isFalse();
            assertThat(statements.check(sql, Fakes.NONE, 1, seven).isAllowed()).isFalse();
            assertThat(statements.check(sql, Fakes.NONE, 1, null).rule()).as("without a key").isNull();
        }
    }

    @Test
    void whatCanBeFakedIsIgnoredAndElseAborted() {
        String rules = "rules: [{name: quiet, limit: {block: true}, then: {strategy: ignore}}]";
        try (Throttle throttle = Throttle.of(rules)) {
            Statements statements = throttle.statements(null);
            // The same text, known after its second sight, with other fakes each time.
            for (int i = 0; i < 3; i++) {
                assertThat(statements.check("select 1", Fakes.ROWS, 1, null).verdict()).isEqualTo(Verdict.IGNORE);
                assertThat(statements.check("select 1", Fakes.ROWS_AND_COUNT, 1, null).verdict()).isEqualTo(Verdict.IGNORE);
                Decision unavailable = statements.check("select 1", Fakes.COUNT, 1, null);
                assertThat(unavailable.verdict()).isEqualTo(Verdict.ABORT);
                assertThat(unavailable.reason()).isEqualTo(Reason.IGNORE_UNAVAILABLE);
                assertThat(statements.check("update t set a = 1", Fakes.COUNT, 1, null).verdict()).isEqualTo(Verdict.IGNORE);
                assertThat(throttle.check("select 1").verdict()).isEqualTo(Verdict.ABORT);
            }
            StatementContext rows = StatementContext.builder().fakes(Fakes.ROWS).build();
            assertThat(throttle.check("select 1", rows).verdict()).isEqualTo(Verdict.IGNORE);
            assertThat(throttle.prepare("select 1", rows).check().verdict()).isEqualTo(Verdict.IGNORE);
            assertThat(throttle.isAllowed("select 1", rows)).isFalse();
        }
    }

    @Test
    void aBatchWeighsWhatItIs() {
        try (Throttle throttle = Throttle.of("default_threshold: 10")) {
            StatementContext four = StatementContext.builder().weight(4).build();
            assertThat(throttle.check("select 1", four).count()).isEqualTo(4);
            assertThat(throttle.prepare("select 1").check(3).count()).isEqualTo(7);
            assertThat(throttle.statements(null).check("select 1", Fakes.NONE, 3, null).count()).isEqualTo(10);
            assertThat(throttle.prepare("select 1", four).check().isAllowed()).isFalse();
            assertThatThrownBy(() -> throttle.prepare("select 1").check(0)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aDialectSaysHowATextIsRead() {
        try (Throttle throttle = Throttle.of("dialect: postgresql")) {
            String sql = "select \"a\" from t";
            assertThat(throttle.normalize(sql)).isEqualTo("select \"a\" from t");
            assertThat(throttle.normalize(sql, Dialect.MYSQL)).isEqualTo("select ? from t");
            assertThat(throttle.fingerprint(sql, Dialect.POSTGRESQL)).isEqualTo(throttle.fingerprint(sql));
            StatementContext mysql = StatementContext.builder().dialect(Dialect.MYSQL).build();
            for (int i = 0; i < 3; i++) {
                assertThat(throttle.check(sql).fingerprint()).isEqualTo(throttle.fingerprint(sql));
                assertThat(throttle.check(sql, mysql).fingerprint()).isEqualTo(throttle.fingerprint(sql, Dialect.MYSQL));
            }
        }
    }

    @Test
    void aRequestIsAskedByItsContext() {
        String rules = "rules: [{name: gate, 'on': request, per: [client], limit: {fixed_window: {max: 1, window: 1h}}}]";
        try (Throttle throttle = Throttle.of(rules)) {
            StatementContext client = StatementContext.of(null, "10.0.0.1");
            assertThat(throttle.checkRequest(client).rule()).isEqualTo("gate");
            Decision refused = throttle.checkRequest(client);
            assertThat(refused.isAllowed()).isFalse();
            assertThat(refused.fingerprint()).isNull();
            assertThat(throttle.checkRequest(StatementContext.empty()).isAllowed()).isTrue();
            assertThat(throttle.check("select 1", client).rule()).isNull();
        }
    }

    @Test
    void whatWaitsIsResumed() {
        String rules = "rules: [{name: slow, limit: {fixed_window: {max: 1, window: 1h}}, then: {strategy: delay, delay: 100ms}}]";
        try (ManualClock clock = new ManualClock();
                Throttle throttle = Throttle.builder().rules(rules).clock(clock).open()) {
            Decision first = throttle.check("select 1");
            assertThat(throttle.resume(first)).as("there is nothing to resume").isSameAs(first);
            Decision delayed = throttle.check("select 1");
            assertThat(delayed.verdict()).isEqualTo(Verdict.DELAY);
            assertThat(delayed.delay()).isEqualTo(Duration.ofMillis(100));
            clock.advance(Duration.ofMillis(100));
            assertThat(throttle.resume(delayed).isAllowed()).isTrue();
            assertThat(throttle.resume(delayed).verdict()).as("a ticket is good for one call").isEqualTo(Verdict.ABORT);
        }
    }

    @Test
    void whatIsObservedIsToldAndStrategiesOfTheProgramAreNamed() {
        String rules = "rules: [{name: watched, mode: observe, match: {tables: [a]}, limit: {block: true}},"
                + " {name: own, match: {tables: [b]}, limit: {block: true}, then: {strategy: 'custom:queue'}}]";
        try (Throttle throttle = Throttle.of(rules)) {
            Decision observed = throttle.check("select * from a");
            assertThat(observed.isAllowed()).isTrue();
            assertThat(observed.observed()).isEqualTo(Verdict.ABORT);
            assertThat(observed.toString()).contains("observed rules: abort");
            Decision custom = throttle.check("select * from b");
            assertThat(custom.verdict()).isEqualTo(Verdict.ABORT);
            assertThat(custom.custom()).isEqualTo("queue");
        }
    }

    /** Names of rules change under a text whose last one is kept. */
    @Test
    void rulesAreReloadedAndNamedAsTheyAre() {
        try (Throttle throttle = Throttle.of("rules: [{name: some-rule, limit: {block: true}}]")) {
            for (int i = 0; i < 3; i++) {
                assertThat(throttle.check("select 1").rule()).isEqualTo("some-rule");
            }
            for (String name : Arrays.asList("some-rula", "some-rul", "some-rule-of-more-words", "règle-😀", "n")) {
                assertThat(throttle.reload("rules: [{name: '" + name + "', limit: {block: true}}]")).isGreaterThan(1);
                assertThat(throttle.check("select 1").rule()).isEqualTo(name);
                assertThat(throttle.check("select 1 and unknown = '" + name + "'").rule()).isEqualTo(name);
            }
            assertThatThrownBy(() -> throttle.reload("rules: [{name: x, limit: {}}]"))
                    .isInstanceOfSatisfying(SqlThrottleException.class,
                            refused -> assertThat(refused.code()).startsWith("rule.limit."));
            assertThat(throttle.check("select 1").rule()).as("the rules before stay in force").isEqualTo("n");
            throttle.reload("fingerprint: {hash: md5}\ndefault_threshold: 5");
            assertThat(throttle.check("select 1").fingerprint()).hasSize(32).isEqualTo(throttle.fingerprint("select 2"));
        }
    }

    @Test
    void aFileIsOpenedRefreshedAndReloaded(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("sqlthrottle.yml");
        Files.writeString(file, "default_threshold: 1");
        try (Throttle throttle = Throttle.builder().ruleFile(file).refresh(false).open()) {
            assertThat(throttle.refresh()).isFalse();
            Files.writeString(file, "rules: [{name: from-file, limit: {block: true}}]");
            assertThat(throttle.refresh()).isTrue();
            assertThat(throttle.check("select 1").rule()).isEqualTo("from-file");
            Files.writeString(file, "mode: nonsense");
            assertThatThrownBy(throttle::refresh).isInstanceOf(SqlThrottleException.class).hasMessageContaining(file.toString())
                    .hasMessageContaining("enforce");
            assertThat(throttle.refresh()).as("refused once").isFalse();
            Path other = directory.resolve("other.yml");
            Files.writeString(other, "rules: [{name: other, limit: {block: true}}]");
            assertThat(throttle.reload(other)).isGreaterThan(2);
            assertThat(throttle.check("select 1").rule()).isEqualTo("other");
        }
        assertThatThrownBy(() -> Throttle.open(directory.resolve("nowhere.yml")))
                .isInstanceOfSatisfying(SqlThrottleException.class,
                        refused -> assertThat(refused.code()).isEqualTo("file.unreadable"))
                .hasMessageContaining("nowhere.yml");
    }

    @Test
    void everyFaultOfRulesIsNamedWithItsLine() {
        assertThatThrownBy(() -> Throttle.of("mode: enforced\nnonsense: 1\n"))
                .isInstanceOfSatisfying(SqlThrottleException.class, refused -> {
                    assertThat(refused.codes()).containsExactly("mode.unknown", "file.unknown_key");
                    assertThat(refused.code()).isEqualTo("mode.unknown");
                    assertThat(refused.getMessage()).contains("1:7", "did you mean `enforce`?", "2:1", "nonsense");
                });
    }

    @Test
    void administratorsAddListAndRemoveRules() throws Exception {
        try (Throttle throttle = Throttle.of("")) {
            JsonNode added = JSON.readTree(
                    throttle.admin("SET GLOBAL sql_throttle_add_rule = '{pattern: \"select.*\", capacity: 1, rate: 1}'"));
            assertThat(added.get("added").asText()).isEqualTo("admin-1");
            JsonNode shown = JSON.readTree(throttle.admin("SHOW GLOBAL sql_throttle_rules"));
            assertThat(shown.get("rules").get(0).get("name").asText()).isEqualTo("admin-1");
            JsonNode removed = JSON.readTree(throttle.admin("SET GLOBAL sql_throttle_remove_rule = 'admin-1'"));
            assertThat(removed.get("removed").asText()).isEqualTo("admin-1");
            assertThatThrownBy(() -> throttle.admin("drop table users")).isInstanceOf(SqlThrottleException.class);
        }
    }

    @Test
    void whatWasDoneIsTold() throws Exception {
        try (Throttle throttle = Throttle.of("default_threshold: 1")) {
            Decision decision = throttle.check("select a from t where id = 7");
            throttle.check("select a from t where id = 8");
            throttle.recordDuration(decision, Duration.ofSeconds(2));
            throttle.recordDuration(decision.fingerprint(), Duration.ofSeconds(1));
            throttle.recordDuration(throttle.checkRequest(StatementContext.empty()), Duration.ofSeconds(1));
            assertThatThrownBy(() -> throttle.recordDuration("zz", Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
            JsonNode top = JSON.readTree(throttle.top(5));
            assertThat(top.get("by_time").get(0).get("seconds").asDouble()).isEqualTo(3);
            assertThat(top.get("by_count").get(0).get("normalized").asText()).isEqualTo("select a from t where id=?");
            assertThatThrownBy(() -> throttle.top(-1)).isInstanceOf(IllegalArgumentException.class);
            assertThat(rule(throttle, "default_threshold").get("aborted").asInt()).isEqualTo(1);
            assertThat(throttle.metrics())
                    .contains("sql_throttle_decisions_total{rule=\"default_threshold\",verdict=\"abort\"} 1");

            PreparedCheck prepared = throttle.prepare("select b from t where id = 7");
            for (int n = 0; n < 50; n++) {
                prepared.check();
            }
            JsonNode first = JSON.readTree(throttle.top(1)).get("by_count").get(0);
            assertThat(first.get("count").asInt()).as("statements that come as handles are counted too").isEqualTo(50);
        }
    }

    @Test
    void aRestoredProcessKeepsCountsAndForgetsPlaces() {
        String rules = "default_threshold: 2\nrules: [{name: one, match: {tables: [t]}, limit: {concurrency: {max: 1}}}]";
        try (Throttle throttle = Throttle.of(rules)) {
            Decision held = throttle.check("select * from t");
            throttle.check("select 1");
            throttle.afterRestore();
            assertThat(throttle.release(held)).isFalse();
            assertThat(throttle.check("select * from t").isAllowed()).isTrue();
            assertThat(throttle.check("select 1").count()).isEqualTo(2);
        }
    }

    static JsonNode rule(Throttle throttle, String name) {
        try {
            for (JsonNode rule : JSON.readTree(throttle.snapshot()).get("rules")) {
                if (rule.get("name").asText().equals(name)) {
                    return rule;
                }
            }
        } catch (java.io.IOException malformed) {
            throw new java.io.UncheckedIOException(malformed);
        }
        throw new AssertionError("there is no rule " + name);
    }

    @Test
    void aFingerprintHasAsciiDigits() {
        try (Throttle throttle = Throttle.of("")) {
            assertThatThrownBy(() -> throttle.recordDuration("\uff11".repeat(64), Duration.ZERO))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aFaultOfAFileNamesItWhole(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("rules.yml"), "mode: nonsense");
        Path relative = Path.of("").toAbsolutePath().relativize(file);
        assertThatThrownBy(() -> Throttle.open(relative)).isInstanceOf(SqlThrottleException.class)
                .hasMessageContaining(relative.toAbsolutePath() + ":1:7");
        try (Throttle throttle = Throttle.of("")) {
            assertThatThrownBy(() -> throttle.reload(relative)).hasMessageContaining(relative.toAbsolutePath() + ":1:7");
        }
    }

    /** By its name there, a file of the machine would be read. */
    @Test
    void aFileWithinAJarIsRefused(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("rules.yml"), "default_threshold: 1");
        Path jar = directory.resolve("program.jar");
        try (FileSystem files = FileSystems.newFileSystem(jar, Map.of("create", "true"));
                Throttle throttle = Throttle.of("")) {
            Path inside = files.getPath(file.toString());
            Files.createDirectories(inside.getParent());
            Files.writeString(inside, "default_threshold: 2");
            for (ThrowingCallable call : new ThrowingCallable[] {() -> Throttle.open(inside), () -> throttle.reload(inside)}) {
                assertThatThrownBy(call).isInstanceOfSatisfying(SqlThrottleException.class,
                        refused -> assertThat(refused.code()).isEqualTo("file.foreign")).hasMessageContaining("program.jar");
            }
        }
    }
}
