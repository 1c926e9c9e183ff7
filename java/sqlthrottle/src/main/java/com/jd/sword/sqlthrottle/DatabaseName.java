package com.jd.sword.sqlthrottle;

import java.io.UnsupportedEncodingException;
import java.net.URLDecoder;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The name of the database that a JDBC URL leads to. */
public final class DatabaseName {
    /** A value may stand in braces, with a semicolon in it. */
    private static final Pattern SQL_SERVER = Pattern.compile(";\\s*database(?:name)?\\s*=\\s*(?:\\{([^}]*)\\}|([^;]*))", Pattern.CASE_INSENSITIVE);
    private static final Pattern ORACLE_DESCRIPTION =
            Pattern.compile("\\(\\s*(?:service_name|sid)\\s*=\\s*([^)\\s]+)\\s*\\)", Pattern.CASE_INSENSITIVE);
    /** Host, port, and a service behind a slash, or a SID behind a colon. An alias is no name of a database. */
    private static final Pattern ORACLE_ADDRESS = Pattern.compile("(?:(?:tcps?:)?//)?[^/:?(]*(?::\\d+)?(?:/|(?<=:\\d{1,5}):)([^/:?]+).*");

    private DatabaseName() {}

    /**
     * The name as the URL has it: of MySQL, MariaDB, PostgreSQL, SQL Server and their kin the database; of Oracle the service, or the SID;
     * of SQLite and H2 the file without its directories, or the name of a database in memory. Empty where the URL names none, and for other
     * drivers. It asks nobody; wrapping drivers are looked through as in {@link Dialect#ofJdbcUrl}.
     *
     * @param url any text, or null
     */
    public static Optional<String> ofJdbcUrl(String url) {
        String target = JdbcUrls.withoutWrappers(url);
        if (target == null) {
            return Optional.empty();
        }
        String name = named(target);
        return name == null || name.isEmpty() ? Optional.empty() : Optional.of(name);
    }

    private static String named(String target) {
        int colon = target.indexOf(':');
        String rest = target.substring(colon + 1);
        if (target.regionMatches(true, 0, "h2:", 0, 3)) {
            return fileName(before(rest, ';'));
        }
        if (target.regionMatches(true, 0, "jtds:", 0, 5)) {
            return behindHosts(before(rest, ';'));
        }
        Dialect dialect = JdbcUrls.dialect("jdbc:" + target);
        if (dialect == null) {
            return null;
        }
        switch (dialect) {
            case MYSQL:
                return decoded(behindHosts(before(rest, '?')));
            case POSTGRESQL:
                return decoded(rest.startsWith("/") ? behindHosts(before(rest, '?')) : before(rest, '?'));
            case MSSQL:
                return sqlServer(rest);
            case ORACLE:
                return oracle(rest);
            default:
                return rest.startsWith(":") ? null : fileName(before(rest, '?'));
        }
    }

    /** Null where there are no hosts, or nothing behind them. */
    private static String behindHosts(String rest) {
        int hosts = rest.indexOf("//");
        int slash = hosts < 0 ? -1 : rest.indexOf('/', hosts + 2);
        return slash < 0 ? null : rest.substring(slash + 1);
    }

    private static String sqlServer(String rest) {
        Matcher property = SQL_SERVER.matcher(rest);
        if (!property.find()) {
            return null;
        }
        return property.group(1) != null ? property.group(1) : property.group(2).trim();
    }

    private static String oracle(String rest) {
        // A password may have an @ in it, and what stands behind the last one has none.
        int at = rest.lastIndexOf('@');
        if (at < 0) {
            return null;
        }
        String address = rest.substring(at + 1);
        Matcher name = ORACLE_DESCRIPTION.matcher(address);
        if (name.find()) {
            return name.group(1);
        }
        Matcher behind = ORACLE_ADDRESS.matcher(address);
        return behind.matches() ? behind.group(1) : null;
    }

    private static String fileName(String path) {
        int end = path.length();
        int start = end;
        while (start > 0 && "/\\:!".indexOf(path.charAt(start - 1)) < 0) {
            start--;
        }
        return path.substring(start, end);
    }

    private static String before(String text, char end) {
        int at = text.indexOf(end);
        return at < 0 ? text : text.substring(0, at);
    }

    private static String decoded(String name) {
        if (name == null || name.indexOf('%') < 0) {
            return name;
        }
        try {
            return URLDecoder.decode(name.replace("+", "%2B"), "UTF-8");
        } catch (UnsupportedEncodingException | IllegalArgumentException malformed) {
            return name;
        }
    }
}
