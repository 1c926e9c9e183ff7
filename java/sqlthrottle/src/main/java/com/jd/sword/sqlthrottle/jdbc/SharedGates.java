package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.Dialect;
import com.jd.sword.sqlthrottle.Fakes;
import com.jd.sword.sqlthrottle.SqlThrottleException;
import com.jd.sword.sqlthrottle.Throttle;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The gates of {@link ThrottledDriver}, which nobody holds who could close them. One throttle serves all connections with the same rule
 * file, one gate those that agree in everything else too.
 */
final class SharedGates {
    private final ConcurrentMap<Path, Shared> files = new ConcurrentHashMap<>();

    /** @throws SQLException an option or the rule file cannot be used */
    Gate of(DriverUrl url) throws SQLException {
        Path rules = rules(url);
        InTransaction mode = mode(url);
        Fakes fakes = fakes(url);
        Dialect dialect = dialect(url);
        Predicate<String> exempt = exempt(url);
        List<Object> key = Arrays.asList(mode, fakes, dialect, exempt);
        for (;;) {
            Shared shared = files.computeIfAbsent(rules, Shared::new);
            Gate gate = shared.gate(key, throttle -> new Gate(throttle, mode, fakes, dialect, exempt, null, Wait.Time.SYSTEM));
            if (gate != null) {
                return gate;
            }
            // It was closed, or could not be opened, since it was looked up.
            files.remove(rules, shared);
        }
    }

    void close() {
        files.values().forEach(Shared::close);
        files.clear();
    }

    /** What those have in common who name one rule file. It is opened with no other file waiting. */
    private static final class Shared {
        private final Path rules;
        private final Map<List<Object>, Gate> gates = new HashMap<>();
        private Throttle throttle;
        private boolean closed;

        Shared(Path rules) {
            this.rules = rules;
        }

        /** Null where it is closed: whoever asks is to look it up again. */
        synchronized Gate gate(List<Object> key, Function<Throttle, Gate> maker) throws SQLException {
            if (closed) {
                return null;
            }
            if (throttle == null) {
                throttle = opened();
            }
            return gates.computeIfAbsent(key, absent -> maker.apply(throttle));
        }

        private Throttle opened() throws SQLException {
            try {
                return Throttle.open(rules);
            } catch (SqlThrottleException e) {
                closed = true;
                throw new SQLException("the rule file cannot be used: " + e.getMessage(), "08001", e);
            } catch (RuntimeException | LinkageError e) {
                // No native library for this machine, for one. Callers of JDBC know how to go on after an SQLException.
                closed = true;
                throw new SQLException("the throttle cannot be opened: " + e, "08001", e);
            }
        }

        synchronized void close() {
            closed = true;
            if (throttle != null) {
                throttle.close();
            }
        }
    }

    private static Path rules(DriverUrl url) throws SQLException {
        String name = url.option("rules");
        if (name == null || name.isEmpty()) {
            throw new SQLException("no rule file is named: say (rules=PATH) in the URL, or set the connection property or system "
                    + "property sqlthrottle.rules", "08001");
        }
        try {
            // As it was named: a link that leads to another file later, as a mounted configuration does, leads the throttle there too.
            return Paths.get(name).toAbsolutePath().normalize();
        } catch (InvalidPathException e) {
            throw new SQLException("the rule file " + name + " has no possible name: " + e.getMessage(), "08001", e);
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

    /** Null where it is not said. */
    private static Fakes fakes(DriverUrl url) throws SQLException {
        String name = url.option("fakes");
        if (name == null) {
            return null;
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
