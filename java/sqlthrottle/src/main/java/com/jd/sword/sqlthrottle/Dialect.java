package com.jd.sword.sqlthrottle;

import java.util.Locale;
import java.util.Optional;

/** The SQL dialect by which a statement is read. It is said, never guessed from a statement. */
public enum Dialect {
    /** What the dialects have in common, as ANSI has it. */
    GENERIC("generic"),
    /** MySQL and MariaDB. */
    MYSQL("mysql"),
    /** PostgreSQL. */
    POSTGRESQL("postgresql"),
    /** SQLite. */
    SQLITE("sqlite"),
    /** Microsoft SQL Server. */
    MSSQL("mssql"),
    /** Oracle. */
    ORACLE("oracle");

    private final String text;

    Dialect(String text) {
        this.text = text;
    }

    /**
     * The dialect of the database that a JDBC URL leads to, from the part behind {@code jdbc:}; empty where the driver is not
     * known, and for databases whose dialect is none of these. Drivers that wrap others, whose URLs are
     * {@code jdbc:NAME:postgresql:…}, are looked through: those of this library, AWS, Datadog, log4jdbc, OpenTelemetry, p6spy and
     * Testcontainers.
     *
     * @param url any text, or null
     */
    public static Optional<Dialect> ofJdbcUrl(String url) {
        return Optional.ofNullable(JdbcUrls.dialect(url));
    }

    /** The dialect of a name as rule files have it, in any case, such as {@code postgresql}; empty for one that is none. */
    public static Optional<Dialect> ofName(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        for (Dialect dialect : values()) {
            if (dialect.text.equals(lower)) {
                return Optional.of(dialect);
            }
        }
        return Optional.empty();
    }

    /** The number that the native library has for it; 0 for null, which is the dialect of the rule file. */
    static int number(Dialect dialect) {
        return dialect == null ? 0 : dialect.ordinal() + 1;
    }

    /** How many numbers there are. */
    static int numbers() {
        return values().length + 1;
    }

    /** The name that rule files use. */
    @Override
    public String toString() {
        return text;
    }
}
