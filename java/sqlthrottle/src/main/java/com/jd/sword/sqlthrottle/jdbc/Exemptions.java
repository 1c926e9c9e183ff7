package com.jd.sword.sqlthrottle.jdbc;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which statements a source never checks, by their text alone: those that programs send to manage their schema and to see whether the
 * database is there. To throttle them breaks a start or a health check, and to ignore them breaks more.
 *
 * <p>By default these are
 * <ul>
 * <li>texts that begin with CREATE, ALTER, DROP, TRUNCATE, COMMENT, RENAME, GRANT or REVOKE,
 * <li>statements on the tables in which Flyway and Liquibase keep their history: {@code flyway_schema_history},
 *     {@code databasechangelog} and {@code databasechangeloglock}, in any schema,
 * <li>what pools send to test a connection: {@code select 1}, {@code values 1}, {@code select 1 from dual} and their like.
 * </ul>
 * Of a text of several statements each one must be; what defines a routine is taken for one, as its body has semicolons of its own.
 * Data that a migration writes is checked like other data; {@link Decided#run} keeps a whole migration out.
 *
 * <p>Only what stands before the first constant is looked at, so no value that a text was built with can exempt it.
 */
public final class Exemptions implements Predicate<String> {
    private static final Set<String> DEFINITIONS = new HashSet<>(Arrays.asList(
            "create", "alter", "drop", "truncate", "comment", "rename", "grant", "revoke"));
    private static final Set<String> ROUTINES = new HashSet<>(Arrays.asList(
            "function", "procedure", "trigger", "event", "package", "rule"));
    private static final Set<String> OTHERS = new HashSet<>(Arrays.asList(
            "table", "view", "index", "schema", "database", "sequence", "user", "role", "type"));
    private static final Set<String> VALIDATIONS = new HashSet<>(Arrays.asList("select 1", "select 1 from dual", "values 1",
            "values(1)", "select 1 from sysibm.sysdummy1", "select 1 from rdb$database",
            "select 1 from information_schema.system_users", "select version()", "select 'x'", "/* ping */ select 1"));
    /** Most characters of one, with blanks in it. */
    private static final int LONGEST_VALIDATION = 64;
    private static final Set<String> HISTORIES = new LinkedHashSet<>(Arrays.asList(
            "flyway_schema_history", "databasechangelog", "databasechangeloglock"));

    private static final Exemptions STANDARD = new Exemptions(true, true, HISTORIES);
    private static final Exemptions NONE = new Exemptions(false, false, Collections.emptySet());

    private final boolean definitions;
    private final boolean validations;
    private final Set<String> tables;

    private Exemptions(boolean definitions, boolean validations, Set<String> tables) {
        this.definitions = definitions;
        this.validations = validations;
        this.tables = tables;
    }

    /** What is exempt by default. */
    public static Exemptions standard() {
        return STANDARD;
    }

    /** Nothing: rules see all that is sent. */
    public static Exemptions none() {
        return NONE;
    }

    /** The same, but definitions (CREATE, ALTER, DROP …) are checked, as rules of the kind {@code ddl} need it. */
    public Exemptions withoutDefinitions() {
        return new Exemptions(false, validations, tables);
    }

    /**
     * The same, and with it statements whose first table is one of these, such as the history of another tool.
     *
     * @param names without a schema, in any case
     */
    public Exemptions withTables(String... names) {
        Set<String> all = new LinkedHashSet<>(tables);
        for (String name : names) {
            all.add(name.toLowerCase(Locale.ROOT));
        }
        return new Exemptions(definitions, validations, all);
    }

    /** Whether a text is exempt. */
    @Override
    public boolean test(String sql) {
        if (validations && isValidation(sql)) {
            return true;
        }
        if (!definitions && tables.isEmpty()) {
            return false;
        }
        if (sql.indexOf(';') < 0 || definesRoutine(sql)) {
            return isOne(sql);
        }
        List<String> statements = Script.statements(sql);
        for (String statement : statements) {
            if (!isOne(statement)) {
                return false;
            }
        }
        return !statements.isEmpty();
    }

    /** Whether its body has semicolons of its own. */
    private static boolean definesRoutine(String sql) {
        Words words = new Words(sql);
        return "create".equals(words.next()) && words.defines(ROUTINES, OTHERS);
    }

    private boolean isOne(String sql) {
        Words words = new Words(sql);
        String verb = words.next();
        if (verb == null) {
            return false;
        }
        return definitions && DEFINITIONS.contains(verb) || !tables.isEmpty() && isOfTables(verb, words);
    }

    private boolean isOfTables(String verb, Words words) {
        String before;
        switch (verb) {
            case "select":
            case "delete":
                before = "from";
                break;
            case "insert":
                before = "into";
                break;
            case "update":
                before = null;
                break;
            case "lock":
                before = "table";
                break;
            default:
                return false;
        }
        if (before != null && !words.skipTo(before)) {
            return false;
        }
        String table = words.nextName();
        return table != null && tables.contains(table);
    }

    private static boolean isValidation(String sql) {
        int end = sql.length();
        while (end > 0 && (isBlank(sql.charAt(end - 1)) || sql.charAt(end - 1) == ';')) {
            end--;
        }
        int start = 0;
        while (start < end && isBlank(sql.charAt(start))) {
            start++;
        }
        // Asked of every text that is not kept, and most begin otherwise or are longer.
        return end - start <= LONGEST_VALIDATION && start < end && "sSvV/".indexOf(sql.charAt(start)) >= 0
                && VALIDATIONS.contains(squeezed(sql, start, end));
    }

    /** In lower case, with one space between words. */
    private static String squeezed(String sql, int start, int end) {
        StringBuilder squeezed = new StringBuilder(end - start);
        for (int i = start; i < end; i++) {
            char c = sql.charAt(i);
            if (!isBlank(c)) {
                squeezed.append(c);
            } else if (!isBlank(sql.charAt(i - 1))) {
                squeezed.append(' ');
            }
        }
        return squeezed.toString().toLowerCase(Locale.ROOT);
    }

    private static boolean isBlank(char c) {
        return c <= ' ';
    }
}
