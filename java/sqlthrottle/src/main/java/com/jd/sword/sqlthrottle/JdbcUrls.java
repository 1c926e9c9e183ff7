package com.jd.sword.sqlthrottle;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Which driver a JDBC URL is for, and which dialect its database speaks. */
final class JdbcUrls {
    /** By what follows {@code jdbc:}; of drivers that keep more than one name, each. */
    private static final Map<String, Dialect> DIALECTS = new HashMap<>();

    /** Drivers that wrap another: their URL is its URL with their name in front. */
    private static final Set<String> WRAPPERS = new HashSet<>(Arrays.asList(
            "aws-wrapper", "datadog", "log4jdbc", "otel", "p6spy", "sqlthrottle", "tc", "tracing"));

    static {
        DIALECTS.put("mysql", Dialect.MYSQL);
        DIALECTS.put("mariadb", Dialect.MYSQL);
        DIALECTS.put("tidb", Dialect.MYSQL);
        DIALECTS.put("cloudsql", Dialect.MYSQL);
        DIALECTS.put("postgresql", Dialect.POSTGRESQL);
        DIALECTS.put("pgsql", Dialect.POSTGRESQL);
        DIALECTS.put("cockroachdb", Dialect.POSTGRESQL);
        DIALECTS.put("yugabytedb", Dialect.POSTGRESQL);
        DIALECTS.put("redshift", Dialect.POSTGRESQL);
        DIALECTS.put("opengauss", Dialect.POSTGRESQL);
        DIALECTS.put("sqlite", Dialect.SQLITE);
        DIALECTS.put("sqlserver", Dialect.MSSQL);
        DIALECTS.put("jtds", Dialect.MSSQL);
        DIALECTS.put("oracle", Dialect.ORACLE);
    }

    private JdbcUrls() {}

    static Dialect dialect(String url) {
        String target = withoutWrappers(url);
        if (target == null) {
            return null;
        }
        String name = target.substring(0, target.indexOf(':')).toLowerCase(Locale.ROOT);
        // What follows a plus says how to connect, as in `mysql+srv`.
        int plus = name.indexOf('+');
        return DIALECTS.get(plus < 0 ? name : name.substring(0, plus));
    }

    /** What stands behind {@code jdbc:} and the names of wrapping drivers: that of another, a colon and more; null where that is not so. */
    static String withoutWrappers(String url) {
        if (url == null || !url.regionMatches(true, 0, "jdbc:", 0, 5)) {
            return null;
        }
        int from = 5;
        while (true) {
            int colon = url.indexOf(':', from);
            if (colon < 0) {
                return null;
            }
            if (!WRAPPERS.contains(url.substring(from, colon).toLowerCase(Locale.ROOT))) {
                return url.substring(from);
            }
            from = colon + 1;
        }
    }
}
