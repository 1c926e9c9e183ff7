package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.Dialect;
import com.jd.sword.sqlthrottle.Fakes;
import com.jd.sword.sqlthrottle.SqlThrottleException;
import com.jd.sword.sqlthrottle.Throttle;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The gates of {@link ThrottledDriver}, which nobody holds who could close them. One throttle serves all connections with the same rule
 * file, one gate those that agree in everything else too.
 */
final class SharedGates {
    private final Map<Path, Throttle> throttles = new HashMap<>();
    private final Map<List<Object>, Gate> gates = new HashMap<>();

    /** @throws SQLException an option or the rule file cannot be used */
    synchronized Gate of(DriverUrl url) throws SQLException {
        Path rules = rules(url);
        InTransaction mode = mode(url);
        Fakes fakes = fakes(url);
        Dialect dialect = dialect(url);
        Predicate<String> exempt = exempt(url);
        List<Object> key = Arrays.asList(rules, mode, fakes, dialect, exempt);
        Gate gate = gates.get(key);
        if (gate == null) {
            // Whatever else fails is to leave no throttle behind that nobody uses, so it comes last.
            gate = new Gate(throttle(rules), mode, fakes, dialect, exempt, null, Wait.Time.SYSTEM);
            gates.put(key, gate);
        }
        return gate;
    }

    synchronized void close() {
        throttles.values().forEach(Throttle::close);
        throttles.clear();
        gates.clear();
    }

    private Throttle throttle(Path rules) throws SQLException {
        Throttle open = throttles.get(rules);
        if (open == null) {
            try {
                open = Throttle.open(rules);
            } catch (SqlThrottleException e) {
                throw new SQLException("the rule file cannot be used: " + e.getMessage(), "08001", e);
            }
            throttles.put(rules, open);
        }
        return open;
    }

    private static Path rules(DriverUrl url) throws SQLException {
        String name = url.option("rules");
        if (name == null || name.isEmpty()) {
            throw new SQLException("no rule file is named: say (rules=PATH) in the URL, or set the connection property or system "
                    + "property sqlthrottle.rules", "08001");
        }
        try {
            return Paths.get(name).toRealPath();
        } catch (IOException | InvalidPathException e) {
            throw new SQLException("the rule file " + name + " cannot be read: " + e, "08001", e);
        }
    }

    private static InTransaction mode(DriverUrl url) throws SQLException {
        String name = url.option("in-transaction");
        try {
            return name == null ? InTransaction.APPLY : InTransaction.ofName(name);
        } catch (IllegalArgumentException e) {
            throw new SQLException(e.getMessage(), "08001", e);
        }
    }

    private static Fakes fakes(DriverUrl url) throws SQLException {
        String name = url.option("fakes");
        if (name == null) {
            return Fakes.ROWS_AND_COUNT;
        }
        for (Fakes fakes : Fakes.values()) {
            if (fakes.name().toLowerCase(Locale.ROOT).replace('_', '-').equals(name)) {
                return fakes;
            }
        }
        throw new SQLException("fakes is none, rows, count or rows-and-count, and not " + name, "08001");
    }

    /** The one that is named, else that of the URL, else null. */
    private static Dialect dialect(DriverUrl url) throws SQLException {
        String name = url.option("dialect");
        if (name == null) {
            return Dialect.ofJdbcUrl(url.target()).orElse(null);
        }
        Optional<Dialect> named = Dialect.ofName(name);
        if (!named.isPresent()) {
            throw new SQLException("there is no dialect " + name + ", but " + Arrays.toString(Dialect.values()), "08001");
        }
        return named.get();
    }

    private static Predicate<String> exempt(DriverUrl url) throws SQLException {
        String name = url.option("exempt");
        if (name == null || name.equals("standard")) {
            return Exemptions.standard();
        }
        if (name.equals("none")) {
            return Exemptions.none();
        }
        throw new SQLException("exempt is standard or none, and not " + name, "08001");
    }
}
