package com.jd.sword.mybatis.plugin.protector;

import com.jd.sword.sqlthrottle.SqlThrottleException;
import java.util.Locale;
import java.util.function.Supplier;

/** The name of a setting of thresholds, in any of the ways that Spring Boot lets it be written. */
final class SettingName {
    static final String PREFIX = "mybatis.protector.thresholds.";

    /** What else begins so is a mistake, which would have all statements pass. */
    private static final String OF_PLUGIN = "mybatis.protector";
    private static final String OF_VARIABLES = "MYBATIS_PROTECTOR_THRESHOLDS_";

    /** Digits of a fingerprint, or {@code default}. */
    final String threshold;
    /** In lower case, without hyphens and underscores; empty where the value is that of the threshold itself. */
    final String field;

    private SettingName(String threshold, String field) {
        this.threshold = threshold;
        this.field = field;
    }

    /** Whether a name is of this plugin, well or badly written, or of all that it says. */
    static boolean isOurs(String written) {
        return written.regionMatches(true, 0, OF_PLUGIN, 0, OF_PLUGIN.length())
                && (written.length() == OF_PLUGIN.length() || ".[".indexOf(written.charAt(OF_PLUGIN.length())) >= 0);
    }

    /**
     * Whether something is said of thresholds.
     *
     * @throws SqlThrottleException it is said to this plugin, under a name that there is not
     */
    static boolean isOne(String written, Supplier<String> value) {
        if (of(written) != null) {
            return true;
        }
        // Without a value it is what stands over settings that are all commented out.
        if (isOurs(written) && !value.get().trim().isEmpty()) {
            throw new SqlThrottleException("threshold.unknown_key",
                    "`" + written + "` is no setting: write `" + PREFIX + "` and behind it a fingerprint or `default`");
        }
        return false;
    }

    /** Null for a name that is not of thresholds. */
    static SettingName of(String written) {
        String rest;
        int end;
        if (written.startsWith(OF_VARIABLES)) {
            rest = written.substring(OF_VARIABLES.length());
            end = rest.indexOf('_');
        } else {
            // A key in brackets is a key all the same.
            String plain = written.replace("[", ".").replace("]", "").replace("..", ".");
            if (!plain.regionMatches(true, 0, PREFIX, 0, PREFIX.length())) {
                return null;
            }
            rest = plain.substring(PREFIX.length());
            end = rest.indexOf('.');
        }
        String threshold = end < 0 ? rest : rest.substring(0, end);
        String field = end < 0 ? "" : rest.substring(end + 1).replace("-", "").replace("_", "");
        return new SettingName(threshold.toLowerCase(Locale.ROOT), field.toLowerCase(Locale.ROOT));
    }
}
