package com.jd.sword.mybatis.plugin.protector;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.springframework.core.env.Environment;

/**
 * Reads thresholds from the settings of a program, with Spring from its {@link Environment}, without it from {@code application.yml} or
 * {@code application.properties} on the class path:
 *
 * <pre>{@code
 * mybatis:
 *   protector:
 *     thresholds:
 *       9f2c41d07b6e: 100
 *       41aa03c97d10:
 *         max-count: 100
 *         rate: 2/3
 *         strategy: delay
 *         window-size: 10s
 *         buckets: 10
 *         delay: 100ms
 *       default: 1000
 * }</pre>
 *
 * <p>A key is a fingerprint, or 12 or more of its first digits; {@code default} is for all that nothing names. {@code window-size},
 * {@code delay} and {@code max-delay} are milliseconds, or have a unit; {@code rate} may be a decimal; {@code strategy} is {@code abort},
 * {@code ignore}, {@code delay} or {@code custom:NAME}; with {@code delay: until_allowed} goes a {@code max-delay}, and with either
 * {@code max-delayed}. Names may be written as Spring Boot takes them: {@code maxCount}, {@code max_count}, keys in brackets, variables.
 *
 * <p>What an Environment says may change: it is looked at again, at most once in ten seconds. Files are read once.
 */
public final class SpringSqlThresholdProvider implements SqlThresholdProvider {
    private static final long GOOD_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final String[] FIELDS = {"max-count", "rate", "strategy", "window-size", "buckets", "delay", "max-delay", "max-delayed"};

    private final Settings settings;
    private volatile Read read;

    /**
     * From files on the class path, as the loader of the thread's context finds them. Without any there are no thresholds.
     *
     * @throws com.jd.sword.sqlthrottle.SqlThrottleException they have faults: the message names the key, the value and what would be right
     */
    public SpringSqlThresholdProvider() {
        this(new ApplicationFiles(ApplicationFiles.usualLoader()));
    }

    /**
     * From what Spring says.
     *
     * @throws com.jd.sword.sqlthrottle.SqlThrottleException it has faults: the message names the key, the value and what would be right.
     *     What Spring cannot list is looked at when a fingerprint is asked for
     */
    public SpringSqlThresholdProvider(Environment environment) {
        this(new EnvironmentSettings(environment));
    }

    SpringSqlThresholdProvider(Settings settings) {
        this.settings = settings;
        this.read = new Read(new ThresholdSettings(settings.list()), System.nanoTime());
    }

    @Override
    public ThresholdConfig getThreshold(String fingerprint) {
        ThresholdSettings listed = listed();
        if (listed.names(fingerprint)) {
            return listed.of(fingerprint);
        }
        ThresholdConfig named = unlisted(fingerprint, fingerprint);
        if (named != null) {
            return named;
        }
        ThresholdConfig ofOthers = listed.of(fingerprint);
        return ofOthers != null ? ofOthers : unlisted("default", fingerprint);
    }

    private ThresholdSettings listed() {
        Read last = read;
        long now = System.nanoTime();
        if (settings.changes() && now - last.at > GOOD_NANOS) {
            last = new Read(new ThresholdSettings(settings.list()), now);
            read = last;
        }
        return last.thresholds;
    }

    /** What is said under a name that cannot be listed; null for nothing. */
    private ThresholdConfig unlisted(String threshold, String fingerprint) {
        Map<String, String> said = new LinkedHashMap<>();
        String name = SettingName.PREFIX + threshold;
        put(said, name);
        for (String field : FIELDS) {
            put(said, name + "." + field);
        }
        return said.isEmpty() ? null : new ThresholdSettings(said).of(fingerprint);
    }

    private void put(Map<String, String> said, String name) {
        String value = settings.get(name);
        if (value != null) {
            said.put(name, value);
        }
    }

    /** What was read, and when. */
    private static final class Read {
        final ThresholdSettings thresholds;
        final long at;

        Read(ThresholdSettings thresholds, long at) {
            this.thresholds = thresholds;
            this.at = at;
        }
    }
}
