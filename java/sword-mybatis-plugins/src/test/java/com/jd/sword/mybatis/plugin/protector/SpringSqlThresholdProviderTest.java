package com.jd.sword.mybatis.plugin.protector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import com.jd.sword.mybatis.plugin.protector.strategy.DelayPolicy;
import com.jd.sword.mybatis.plugin.protector.strategy.IgnorePolicy;
import com.jd.sword.mybatis.plugin.protector.strategy.NamedPolicy;
import com.jd.sword.sqlthrottle.SqlThrottleException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

class SpringSqlThresholdProviderTest {
    private static final String DIGITS = "9f2c41d07b6e";
    private static final String FINGERPRINT = DIGITS + String.join("", Collections.nCopies(52, "0"));
    private static final String OTHER = String.join("", Collections.nCopies(64, "e"));
    private static final String KEY = "mybatis.protector.thresholds." + DIGITS;

    @TempDir
    Path folder;

    /** What files in a class path's folder say. */
    private SqlThresholdProvider reading(String file, String text) throws Exception {
        Files.createDirectories(folder.resolve(file).getParent());
        Files.writeString(folder.resolve(file), text);
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()}, null)) {
            thread.setContextClassLoader(loader);
            return new SpringSqlThresholdProvider();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private SqlThresholdProvider yaml(String... lines) throws Exception {
        return reading("application.yml", "mybatis:\n  protector:\n    thresholds:\n      " + String.join("\n      ", lines) + "\n");
    }

    private static StandardEnvironment environment(Map<String, Object> said) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("said", said));
        return environment;
    }

    private static StandardEnvironment environment(String... said) {
        Map<String, Object> all = new LinkedHashMap<>();
        for (int i = 0; i < said.length; i += 2) {
            all.put(said[i], said[i + 1]);
        }
        return environment(all);
    }

    @Test
    void aNumberIsAThreshold() throws Exception {
        for (SqlThresholdProvider provider : new SqlThresholdProvider[] {
            new SpringSqlThresholdProvider(environment(KEY, "100")), yaml(DIGITS + ": 100"), reading("application.properties", KEY + "=100"),
        }) {
            ThresholdConfig config = provider.getThreshold(FINGERPRINT);
            assertThat(config.maxCount()).isEqualTo(100);
            assertThat(config.window()).isEqualTo(Duration.ofMillis(60_000));
            assertThat(config.buckets()).isEqualTo(12);
            assertThat(config.rate()).isEqualTo("1");
            assertThat(config.strategy()).hasToString("abort");
            assertThat(provider.getThreshold(OTHER)).isNull();
        }
    }

    @Test
    void aMapSaysMore() throws Exception {
        SqlThresholdProvider provider = yaml(
                DIGITS + ": {max-count: 5, rate: 2/3, strategy: delay, window-size: 10s, buckets: 10, delay: 250ms, max-delayed: 7}",
                "default: 1000");
        ThresholdConfig config = provider.getThreshold(FINGERPRINT);
        assertThat(config.maxCount()).isEqualTo(5);
        assertThat(config.rate()).isEqualTo("2/3");
        assertThat(config.window()).isEqualTo(Duration.ofSeconds(10));
        assertThat(config.buckets()).isEqualTo(10);
        assertThat(config.strategy()).isInstanceOf(DelayPolicy.class);
        assertThat(config.delay()).isEqualTo(Duration.ofMillis(250));
        assertThat(config.maxDelayed()).isEqualTo(7);
        assertThat(provider.getThreshold(OTHER).maxCount()).isEqualTo(1000);
    }

    @Test
    void strategiesHaveTheirNames() throws Exception {
        SqlThresholdProvider provider = yaml(DIGITS + ": {max-count: 1, strategy: IGNORE}",
                "aaaaaaaaaaaa: {max-count: 1, strategy: delay, delay: until_allowed, max-delay: 5s}",
                "bbbbbbbbbbbb: {max-count: 1, strategy: custom:queue}");
        assertThat(provider.getThreshold(FINGERPRINT).strategy()).isInstanceOf(IgnorePolicy.class);
        assertThat(provider.getThreshold("aaaaaaaaaaaa00").strategy()).isInstanceOfSatisfying(DelayPolicy.class, policy -> {
            assertThat(policy.isUntilAllowed()).isTrue();
            assertThat(policy.delay()).isEqualTo(Duration.ofSeconds(5));
        });
        assertThat(provider.getThreshold("bbbbbbbbbbbb00").strategy()).isInstanceOfSatisfying(NamedPolicy.class,
                policy -> assertThat(policy.name()).isEqualTo("queue"));
    }

    @ParameterizedTest
    @CsvSource({"max-count", "maxCount", "max_count", "MAX-COUNT"})
    void namesAreWrittenAsSpringBootTakesThem(String name) throws Exception {
        assertThat(yaml(DIGITS + ": {" + name + ": 3}").getThreshold(FINGERPRINT).maxCount()).isEqualTo(3);
        assertThat(new SpringSqlThresholdProvider(environment(KEY + "." + name, "3")).getThreshold(FINGERPRINT).maxCount()).isEqualTo(3);
        assertThat(new SpringSqlThresholdProvider(environment("mybatis.protector.thresholds[" + DIGITS.toUpperCase() + "]." + name, "3"))
                .getThreshold(FINGERPRINT).maxCount()).isEqualTo(3);
    }

    @Test
    void variablesAreNames() {
        StandardEnvironment environment = environment(KEY, "5");
        Map<String, Object> variables = new LinkedHashMap<>();
        variables.put("MYBATIS_PROTECTOR_THRESHOLDS_" + DIGITS.toUpperCase() + "_MAX_COUNT", "4");
        variables.put("MYBATIS_PROTECTOR_THRESHOLDS_DEFAULT", "9");
        environment.getPropertySources().addFirst(new SystemEnvironmentPropertySource("variables", variables));
        SqlThresholdProvider provider = new SpringSqlThresholdProvider(environment);
        assertThat(provider.getThreshold(FINGERPRINT).maxCount()).as("what goes first").isEqualTo(4);
        assertThat(provider.getThreshold(OTHER).maxCount()).isEqualTo(9);
    }

    @Test
    void ofTwoWaysToWriteANameTheFirstGoes() {
        StandardEnvironment environment = environment(KEY + ".max-count", "5");
        environment.getPropertySources().addFirst(new MapPropertySource("first", Collections.singletonMap(KEY + ".maxCount", "4")));
        assertThat(new SpringSqlThresholdProvider(environment).getThreshold(FINGERPRINT).maxCount()).isEqualTo(4);
    }

    @Test
    void digitsAreNotTakenForNumbers() throws Exception {
        SqlThresholdProvider provider = yaml("123456789012: 1", "12345e678901: 2", "012345670123: 3", "0x1234567890: 4".replace("0x", "00"));
        assertThat(provider.getThreshold("123456789012ff").maxCount()).isEqualTo(1);
        assertThat(provider.getThreshold("12345e678901ff").maxCount()).isEqualTo(2);
        assertThat(provider.getThreshold("012345670123ff").maxCount()).isEqualTo(3);
        assertThat(provider.getThreshold("001234567890ff").maxCount()).isEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource({"0.5, 1/2", "0.667, 667/1000", "4/6, 2/3", "1.0, 1", "1, 1", "3/3, 1", ".25, 1/4"})
    void aRateIsAFractionOrADecimal(String written, String rate) throws Exception {
        assertThat(yaml(DIGITS + ": {max-count: 1, rate: " + written + "}").getThreshold(FINGERPRINT).rate()).isEqualTo(rate);
    }

    @ParameterizedTest
    @CsvSource({"60000, 60000", "90s, 90000", "2m, 120000", "1h, 3600000", "PT15S, 15000", "3d, 259200000"})
    void aWindowIsMillisecondsOrHasAUnit(String written, long millis) throws Exception {
        assertThat(yaml(DIGITS + ": {max-count: 1, window-size: " + written + "}").getThreshold(FINGERPRINT).window().toMillis()).isEqualTo(millis);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "9f2c41d07b6e: many | 9f2c41d07b6e` cannot be `many`: write a whole number from 1 to 60000000",
        "9f2c41d07b6e: 0 | cannot be `0`",
        "9f2c41d07b6e: 60000001 | from 1 to 60000000",
        "9f2c41d07b6e: {max-count: 1, rate: 3/2} | .rate` cannot be `3/2`",
        "9f2c41d07b6e: {max-count: 1, rate: 50%} | .rate` cannot be `50%`",
        "9f2c41d07b6e: {max-count: 1, rate: ''} | .rate` cannot be ``",
        "9f2c41d07b6e: {max-count: 1, strategy: drop} | one of `abort`, `ignore`, `delay`",
        "9f2c41d07b6e: {max-count: 1, strategy: 'custom:a b'} | 1 to 64 letters",
        "9f2c41d07b6e: {max-count: 1, strategy: delay} | `delay`, such as `delay: 100ms`",
        "9f2c41d07b6e: {max-count: 1, strategy: delay, delay: until_allowed} | `max-delay`, such as",
        "9f2c41d07b6e: {max-count: 1, strategy: delay, delay: 2h} | at most an hour",
        "9f2c41d07b6e: {max-count: 1, strategy: delay, delay: 1s, max-delay: 2s} | `delay: until_allowed` alone",
        "9f2c41d07b6e: {max-count: 1, delay: 1s} | `strategy: delay` alone",
        "9f2c41d07b6e: {max-count: 1, window-size: soon} | a number of milliseconds",
        "9f2c41d07b6e: {max-count: 1, window-size: 5ms} | a millisecond a bucket",
        "9f2c41d07b6e: {max-count: 1, window-size: 367d} | at most 366 days",
        "9f2c41d07b6e: {max-count: 1, buckets: 241} | from 1 to 240",
        "9f2c41d07b6e: {max-count: 1, max-delayed: 0} | from 1 to 100000",
        "9f2c41d07b6e: {max-count: 1, colour: red} | no setting of a threshold",
        "9f2c41d07b6e: {rate: 1/2} | `max-count`",
        "9f2c41d07b: 1 | names no fingerprint",
        "9f2c41d07b6e00: 1, 9f2c41d07b6e: 2 | write more digits",
        "defaults: 1 | names no fingerprint",
    })
    void aWrongValueIsNamedWithItsKeyAndWhatWouldBeRight(String line, String message) {
        String[] lines = line.contains("{") ? new String[] {line} : line.split(", ");
        assertThatThrownBy(() -> yaml(lines)).isInstanceOf(SqlThrottleException.class)
                .hasMessageContaining("mybatis.protector.thresholds.").hasMessageContaining(message);
    }

    @Test
    void whatIsNoYamlIsNamedWithItsFile() {
        assertThatThrownBy(() -> reading("application.yml", "a: [b")).isInstanceOf(SqlThrottleException.class)
                .hasMessageContaining("application.yml");
        assertThatThrownBy(() -> reading("application.yml", "a: &a [*a]\nmybatis: *a")).isInstanceOf(SqlThrottleException.class);
        StringBuilder laughs = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for (int i = 1; i < 9; i++) {
            laughs.append("a").append(i).append(": &a").append(i).append(" [");
            for (int j = 0; j < 10; j++) {
                laughs.append(j == 0 ? "" : ", ").append("*a").append(i - 1);
            }
            laughs.append("]\n");
        }
        assertThatThrownBy(() -> reading("application.yml", laughs.toString())).isInstanceOf(SqlThrottleException.class);
    }

    @Test
    void documentsForAProfileArePassedOverAndMergesAreNot() throws Exception {
        SqlThresholdProvider provider = reading("application.yml", "usual: &usual {max-count: 3, rate: 1/2}\n"
                + "mybatis.protector.thresholds:\n  " + DIGITS + ": {<<: *usual, rate: 1/3}\n"
                + "---\nspring.config.activate.on-profile: test\nmybatis: {protector: {thresholds: {default: 1}}}\n"
                + "---\nspring: {profiles: {active: test}}\nmybatis: {protector: {thresholds: {aaaaaaaaaaaa: 8}}}\n");
        assertThat(provider.getThreshold(FINGERPRINT).maxCount()).isEqualTo(3);
        assertThat(provider.getThreshold(FINGERPRINT).rate()).isEqualTo("1/3");
        assertThat(provider.getThreshold("aaaaaaaaaaaa00").maxCount()).isEqualTo(8);
        assertThat(provider.getThreshold(OTHER)).isNull();
    }

    @Test
    void theFolderConfigGoesFirstAndPropertiesBeforeYaml() throws Exception {
        yaml(DIGITS + ": 1", "aaaaaaaaaaaa: 1", "bbbbbbbbbbbb: 1");
        reading("application.properties", KEY + "=2\nmybatis.protector.thresholds.aaaaaaaaaaaa=2");
        SqlThresholdProvider provider = reading("config/application.yaml", KEY + ": 3");
        assertThat(provider.getThreshold(FINGERPRINT).maxCount()).isEqualTo(3);
        assertThat(provider.getThreshold("aaaaaaaaaaaa00").maxCount()).isEqualTo(2);
        assertThat(provider.getThreshold("bbbbbbbbbbbb00").maxCount()).isEqualTo(1);
    }

    @Test
    void placeholdersAreReplaced() throws Exception {
        System.setProperty("sqlthrottle.test.most", "6");
        try {
            SqlThresholdProvider provider = yaml(DIGITS + ": ${sqlthrottle.test.most}", "aaaaaaaaaaaa: ${sqlthrottle.test.none:7}");
            assertThat(provider.getThreshold(FINGERPRINT).maxCount()).isEqualTo(6);
            assertThat(provider.getThreshold("aaaaaaaaaaaa00").maxCount()).isEqualTo(7);
            assertThatThrownBy(() -> yaml(DIGITS + ": ${sqlthrottle.test.none}")).isInstanceOf(SqlThrottleException.class)
                    .hasMessageContaining("`sqlthrottle.test.none`");
            assertThat(new SpringSqlThresholdProvider(environment(KEY, "${sqlthrottle.test.most}")).getThreshold(FINGERPRINT).maxCount())
                    .isEqualTo(6);
        } finally {
            System.clearProperty("sqlthrottle.test.most");
        }
        assertThatThrownBy(() -> new SpringSqlThresholdProvider(environment(KEY, "${unclosed"))).isInstanceOf(SqlThrottleException.class);
    }

    @Test
    void whatCannotBeListedIsAskedForByName() {
        Environment environment = mock(Environment.class);
        when(environment.getProperty("mybatis.protector.thresholds." + FINGERPRINT + ".max-count")).thenReturn("5");
        when(environment.getProperty("mybatis.protector.thresholds." + FINGERPRINT + ".strategy")).thenReturn("ignore");
        when(environment.getProperty("mybatis.protector.thresholds.default")).thenReturn("6");
        SqlThresholdProvider provider = new SpringSqlThresholdProvider(environment);
        assertThat(provider.getThreshold(FINGERPRINT).maxCount()).isEqualTo(5);
        assertThat(provider.getThreshold(FINGERPRINT).strategy()).hasToString("ignore");
        assertThat(provider.getThreshold(OTHER).maxCount()).isEqualTo(6);
        when(environment.getProperty("mybatis.protector.thresholds." + OTHER)).thenReturn("-1");
        assertThatThrownBy(() -> provider.getThreshold(OTHER)).isInstanceOf(SqlThrottleException.class).hasMessageContaining("`-1`");
    }

    @Test
    void withoutFilesThereAreNoThresholds() throws Exception {
        assertThat(reading("other.yml", "a: 1").getThreshold(FINGERPRINT)).isNull();
        assertThat(reading("application.yml", "").getThreshold(FINGERPRINT)).isNull();
        assertThat(reading("application.yml", "mybatis: {protector: {thresholds: }}").getThreshold(FINGERPRINT)).isNull();
    }

    @Test
    void whatIsSaidTwiceIsAFault() {
        assertThatThrownBy(() -> yaml(DIGITS + ": 100", DIGITS + ": 5")).isInstanceOf(SqlThrottleException.class)
                .hasMessageContaining("`" + KEY + "` twice");
        assertThatThrownBy(() -> yaml(DIGITS + ":", "  max-count: 100", "  max-count: 5")).hasMessageContaining("max-count` twice");
    }

    @Test
    void aNameThatThereIsNotIsAFault() throws Exception {
        for (String text : new String[] {"treshold: {default: 3}", "thresholds: 100"}) {
            assertThatThrownBy(() -> reading("application.yml", "mybatis: {protector: {" + text + "}}")).isInstanceOf(SqlThrottleException.class)
                    .hasMessageContaining("is no setting: write `mybatis.protector.thresholds.`");
        }
        assertThatThrownBy(() -> new SpringSqlThresholdProvider(environment("mybatis.protector.treshold.default", "3")))
                .hasMessageContaining("is no setting");
        assertThat(reading("application.yml", "mybatis: {protector: {thresholds: }, protectors: 1}").getThreshold(FINGERPRINT)).isNull();
        assertThat(new SpringSqlThresholdProvider(environment("mybatis.protector.thresholds", "")).getThreshold(FINGERPRINT)).isNull();
    }

    @Test
    void aFileThatIsNoYamlIsNotQuoted() {
        assertThatThrownBy(() -> reading("application.yml", "server: 1\npassword: \"hunter2\n")).isInstanceOfSatisfying(SqlThrottleException.class, e -> {
            assertThat(e).hasMessageContaining("`application.yml` is no YAML: see line");
            StringWriter trace = new StringWriter();
            e.printStackTrace(new PrintWriter(trace));
            assertThat(trace.toString()).doesNotContain("hunter2");
        });
    }
}
