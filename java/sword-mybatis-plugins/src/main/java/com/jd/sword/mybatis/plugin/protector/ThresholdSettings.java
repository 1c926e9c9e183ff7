package com.jd.sword.mybatis.plugin.protector;

import com.jd.sword.mybatis.plugin.protector.strategy.AbortPolicy;
import com.jd.sword.mybatis.plugin.protector.strategy.DelayPolicy;
import com.jd.sword.mybatis.plugin.protector.strategy.IgnorePolicy;
import com.jd.sword.mybatis.plugin.protector.strategy.NamedPolicy;
import com.jd.sword.mybatis.plugin.protector.strategy.ProtectionStrategy;
import com.jd.sword.sqlthrottle.SqlThrottleException;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The thresholds that settings say: each is read and checked once. */
final class ThresholdSettings {
    /** As rule files have it: fewer digits of a fingerprint are those of too many others. */
    private static final Pattern FINGERPRINT = Pattern.compile("[0-9a-f]{12,64}");
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,15})(ns|us|ms|s|m|h|d)?");
    private static final Pattern COUNT = Pattern.compile("[0-9]{1,9}");
    private static final String CUSTOM = "custom:";
    private static final String UNTIL_ALLOWED = "until_allowed";
    private static final String DEFAULT = "default";

    /** By the digits that begin a fingerprint, none of which begin another's. */
    private final TreeMap<String, ThresholdConfig> byFingerprint = new TreeMap<>();
    private ThresholdConfig ofOthers;

    /**
     * @param said by the name as it is written; of several ways to write one, the first goes
     * @throws SqlThrottleException something is wrong: the message names the key, the value, and what would be right
     */
    ThresholdSettings(Map<String, String> said) {
        Map<String, Map<String, Said>> thresholds = new LinkedHashMap<>();
        said.forEach((written, value) -> {
            SettingName name = SettingName.of(written);
            if (name != null) {
                thresholds.computeIfAbsent(name.threshold, unused -> new LinkedHashMap<>()).putIfAbsent(name.field, new Said(written, value));
            }
        });
        thresholds.forEach(this::add);
    }

    /** Null where nothing is said, of others neither. */
    ThresholdConfig of(String fingerprint) {
        Map.Entry<String, ThresholdConfig> nearest = byFingerprint.floorEntry(fingerprint);
        return nearest != null && fingerprint.startsWith(nearest.getKey()) ? nearest.getValue() : ofOthers;
    }

    /** Whether there is a threshold of this fingerprint, and not only one for all others. */
    boolean names(String fingerprint) {
        Map.Entry<String, ThresholdConfig> nearest = byFingerprint.floorEntry(fingerprint);
        return nearest != null && fingerprint.startsWith(nearest.getKey());
    }

    private void add(String threshold, Map<String, Said> fields) {
        ThresholdConfig config = read(fields);
        if (threshold.equals(DEFAULT)) {
            ofOthers = config;
            return;
        }
        String written = fields.values().iterator().next().name;
        if (!FINGERPRINT.matcher(threshold).matches()) {
            throw new SqlThrottleException("threshold.fingerprint", "`" + written
                    + "` names no fingerprint: write 12 to 64 of its hexadecimal digits, or `default` for all others");
        }
        String before = byFingerprint.floorKey(threshold);
        String after = byFingerprint.higherKey(threshold);
        if (before != null && threshold.startsWith(before) || after != null && after.startsWith(threshold)) {
            throw new SqlThrottleException("threshold.overlap", "`" + written + "` names fingerprints that `"
                    + (before != null && threshold.startsWith(before) ? before : after) + "` names too: write more digits");
        }
        byFingerprint.put(threshold, config);
    }

    private static ThresholdConfig read(Map<String, Said> fields) {
        Said count = fields.containsKey("maxcount") ? fields.get("maxcount") : fields.get("");
        if (count == null) {
            Said any = fields.values().iterator().next();
            throw new SqlThrottleException("threshold.max_count",
                    "`" + any.name + "` is of a threshold that allows no number: write `max-count` beside it, such as `max-count: 100`");
        }
        ThresholdConfig.Builder builder = count.applied(() -> ThresholdConfig.builder(count.number(1, ThresholdConfig.MOST_COUNT)));
        Said strategy = null;
        Said window = null;
        for (Map.Entry<String, Said> field : fields.entrySet()) {
            Said said = field.getValue();
            switch (field.getKey()) {
                case "":
                case "maxcount":
                case "delay":
                case "maxdelay":
                    break;
                case "rate":
                    said.applied(() -> builder.rate(said.value));
                    break;
                case "strategy":
                    strategy = said;
                    break;
                case "window":
                case "windowsize":
                    window = said;
                    said.applied(() -> builder.window(said.duration()));
                    break;
                case "buckets":
                    builder.buckets(said.number(1, ThresholdConfig.MOST_BUCKETS));
                    break;
                case "maxdelayed":
                    builder.maxDelayed(said.number(1, ThresholdConfig.MOST_DELAYED));
                    break;
                default:
                    throw new SqlThrottleException("threshold.unknown_key", "`" + said.name + "` is no setting of a threshold: write one of "
                            + "`max-count`, `rate`, `strategy`, `window-size`, `buckets`, `delay`, `max-delay`, `max-delayed`");
            }
        }
        builder.strategy(strategy(strategy, fields.get("delay"), fields.get("maxdelay")));
        return (window == null ? count : window).applied(builder::build);
    }

    private static ProtectionStrategy strategy(Said said, Said delay, Said longest) {
        String name = said == null ? "abort" : said.value.toLowerCase(Locale.ROOT);
        if (!name.equals("delay") && (delay != null || longest != null)) {
            Said any = delay != null ? delay : longest;
            throw any.wrong("it goes with `strategy: delay` alone");
        }
        switch (name) {
            case "abort":
                return new AbortPolicy();
            case "ignore":
                return new IgnorePolicy();
            case "delay":
                return delayed(said, delay, longest);
            default:
                if (name.startsWith(CUSTOM)) {
                    return said.applied(() -> new NamedPolicy(said.value.substring(CUSTOM.length())));
                }
                throw said.wrong("write one of `abort`, `ignore`, `delay`, or `custom:NAME` for a strategy that the plugin was given");
        }
    }

    private static ProtectionStrategy delayed(Said said, Said delay, Said longest) {
        if (delay == null) {
            throw said.wrong("say for how long beside it: `delay`, such as `delay: 100ms`");
        }
        if (delay.value.replace('-', '_').equalsIgnoreCase(UNTIL_ALLOWED)) {
            if (longest == null) {
                throw delay.wrong("say for how long at most beside it: `max-delay`, such as `max-delay: 5s`");
            }
            return longest.applied(() -> DelayPolicy.untilAllowed(longest.duration()));
        }
        if (longest != null) {
            throw longest.wrong("it goes with `delay: until_allowed` alone");
        }
        return delay.applied(() -> DelayPolicy.of(delay.duration()));
    }

    /** A value and where it stands. */
    private static final class Said {
        final String name;
        final String value;

        Said(String name, String value) {
            this.name = name;
            this.value = value.trim();
        }

        int number(int least, int most) {
            if (COUNT.matcher(value).matches() && Integer.parseInt(value) >= least && Integer.parseInt(value) <= most) {
                return Integer.parseInt(value);
            }
            throw wrong("write a whole number from " + least + " to " + most);
        }

        /** Without a unit in milliseconds. */
        Duration duration() {
            Matcher matcher = DURATION.matcher(value);
            try {
                if (!matcher.matches()) {
                    return Duration.parse(value);
                }
                long number = Long.parseLong(matcher.group(1));
                switch (matcher.group(2) == null ? "ms" : matcher.group(2)) {
                    case "ns":
                        return Duration.ofNanos(number);
                    case "us":
                        return Duration.ofNanos(Math.multiplyExact(number, 1_000L));
                    case "s":
                        return Duration.ofSeconds(number);
                    case "m":
                        return Duration.ofMinutes(number);
                    case "h":
                        return Duration.ofHours(number);
                    case "d":
                        return Duration.ofDays(number);
                    default:
                        return Duration.ofMillis(number);
                }
            } catch (DateTimeParseException | ArithmeticException e) {
                throw wrong("write a number of milliseconds, or a number and `ns`, `us`, `ms`, `s`, `m`, `h` or `d`, such as `10s`");
            }
        }

        /** What a value makes of it, and where that refuses it, why. */
        <T> T applied(Supplier<T> use) {
            try {
                return use.get();
            } catch (IllegalArgumentException e) {
                throw wrong(e.getMessage());
            }
        }

        SqlThrottleException wrong(String right) {
            return ProtectorBuilder.wrong("threshold.value", name, value, right);
        }
    }
}
