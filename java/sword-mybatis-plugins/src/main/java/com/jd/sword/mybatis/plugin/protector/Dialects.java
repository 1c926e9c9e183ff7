package com.jd.sword.mybatis.plugin.protector;

import com.jd.sword.sqlthrottle.Dialect;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Which dialect a {@code databaseId} of MyBatis stands for: a name that a program gives, or the product name that a driver tells. */
final class Dialects {
    /** By what the name has in it, in lower case and without spaces. */
    private static final Map<String, Dialect> BY_PART = new LinkedHashMap<>();

    static {
        BY_PART.put("mysql", Dialect.MYSQL);
        BY_PART.put("mariadb", Dialect.MYSQL);
        BY_PART.put("tidb", Dialect.MYSQL);
        BY_PART.put("postgres", Dialect.POSTGRESQL);
        BY_PART.put("pgsql", Dialect.POSTGRESQL);
        BY_PART.put("cockroach", Dialect.POSTGRESQL);
        BY_PART.put("yugabyte", Dialect.POSTGRESQL);
        BY_PART.put("redshift", Dialect.POSTGRESQL);
        BY_PART.put("opengauss", Dialect.POSTGRESQL);
        BY_PART.put("sqlite", Dialect.SQLITE);
        BY_PART.put("sqlserver", Dialect.MSSQL);
        BY_PART.put("mssql", Dialect.MSSQL);
        BY_PART.put("oracle", Dialect.ORACLE);
    }

    private Dialects() {}

    /** Null where it stands for none that is known. */
    static Dialect ofDatabaseId(String id) {
        if (id == null) {
            return null;
        }
        String name = id.toLowerCase(Locale.ROOT).replace(" ", "");
        for (Map.Entry<String, Dialect> part : BY_PART.entrySet()) {
            if (name.contains(part.getKey())) {
                return part.getValue();
            }
        }
        return null;
    }
}
