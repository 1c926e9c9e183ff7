package com.jd.sword.sqlthrottle.jdbc;

import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** A URL of {@link ThrottledDriver}: its options, and the URL of the database. */
final class DriverUrl {
    private static final String PROPERTY_PREFIX = "sqlthrottle.";
    private static final List<String> OPTIONS = Arrays.asList("rules", "in-transaction", "fakes", "dialect", "exempt", "driver");
    private static final String SAYS = "the options of a URL stand in parentheses and are divided by semicolons, as in "
            + "jdbc:sqlthrottle:(rules=/etc/sqlthrottle.yml;in-transaction=bypass)postgresql://db/shop";

    private final String target;
    private final Map<String, String> options;
    private final Properties properties;

    private DriverUrl(String target, Map<String, String> options, Properties properties) {
        this.target = target;
        this.options = options;
        this.properties = properties;
    }

    /**
     * @param info connection properties, or null
     * @throws SQLException the URL has an option that there is not, or is cut off
     */
    static DriverUrl parse(String url, Properties info) throws SQLException {
        String rest = url.substring(ThrottledDriver.URL_PREFIX.length());
        Map<String, String> options = new HashMap<>();
        if (rest.startsWith("(")) {
            int end = rest.indexOf(')');
            if (end < 0) {
                throw new SQLException("the URL has no closing parenthesis: " + SAYS, "08001");
            }
            parseOptions(rest.substring(1, end), options);
            rest = rest.substring(end + 1);
        }
        Properties others = new Properties();
        if (info != null) {
            for (String name : info.stringPropertyNames()) {
                if (name.startsWith(PROPERTY_PREFIX)) {
                    options.putIfAbsent(known(name.substring(PROPERTY_PREFIX.length())), info.getProperty(name));
                } else {
                    others.setProperty(name, info.getProperty(name));
                }
            }
            // Some drivers take objects, which such a look-up passes over.
            info.forEach((name, value) -> {
                if (!(name instanceof String && value instanceof String)) {
                    others.put(name, value);
                }
            });
        }
        return new DriverUrl(rest.startsWith("jdbc:") ? rest : "jdbc:" + rest, options, others);
    }

    private static void parseOptions(String text, Map<String, String> options) throws SQLException {
        for (String option : text.split(";")) {
            if (option.trim().isEmpty()) {
                continue;
            }
            int equals = option.indexOf('=');
            if (equals < 0) {
                throw new SQLException("the option " + option.trim() + " has no value: " + SAYS, "08001");
            }
            options.put(known(option.substring(0, equals).trim()), option.substring(equals + 1).trim());
        }
    }

    private static String known(String option) throws SQLException {
        if (!OPTIONS.contains(option)) {
            throw new SQLException("there is no option " + option + ", but " + String.join(", ", OPTIONS), "08001");
        }
        return option;
    }

    /** The URL of the database. */
    String target() {
        return target;
    }

    /** The name of its driver. */
    String name() {
        String rest = target.substring("jdbc:".length());
        int end = rest.indexOf(':');
        return end < 0 ? rest : rest.substring(0, end);
    }

    /** The connection properties of its driver. */
    Properties properties() {
        return properties;
    }

    /** What an option was set to, by the URL, a connection property or a system property; null where it was not. */
    String option(String name) {
        String value = options.get(name);
        return value != null ? value : System.getProperty(PROPERTY_PREFIX + name);
    }

    /** The options as a tool may ask for them. */
    static List<DriverPropertyInfo> describe(Properties info) {
        List<DriverPropertyInfo> all = new ArrayList<>();
        for (String option : OPTIONS) {
            String name = PROPERTY_PREFIX + option;
            String value = info == null ? null : info.getProperty(name);
            DriverPropertyInfo described = new DriverPropertyInfo(name, value == null ? System.getProperty(name) : value);
            described.required = option.equals("rules");
            if (option.equals("in-transaction")) {
                described.choices = new String[] {"apply", "delay-only", "bypass"};
            } else if (option.equals("fakes")) {
                described.choices = new String[] {"none", "rows", "count", "rows-and-count"};
            } else if (option.equals("exempt")) {
                described.choices = new String[] {"standard", "none"};
            }
            all.add(described);
        }
        return all;
    }
}
