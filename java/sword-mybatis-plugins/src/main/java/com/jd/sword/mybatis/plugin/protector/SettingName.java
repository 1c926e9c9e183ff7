package com.jd.sword.mybatis.plugin.protector;

import java.util.Locale;

/** The name of a setting of thresholds, in any of the ways that Spring Boot lets it be written. */
final class SettingName {
    static final String PREFIX = "mybatis.protector.thresholds.";

    private static final String OF_VARIABLES = "MYBATIS_PROTECTOR_THRESHOLDS_";

    /** Digits of a fingerprint, or {@code default}. */
    final String threshold;
    /** In lower case, without hyphens and underscores; empty where the value is that of the threshold itself. */
    final String field;

    private SettingName(String threshold, String field) {
        this.threshold = threshold;
        this.field = field;
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
