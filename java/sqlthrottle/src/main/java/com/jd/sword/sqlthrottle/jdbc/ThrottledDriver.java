package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.StatementContext;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.logging.Logger;

/**
 * Throttles a program that cannot be changed, by its JDBC URL: {@code jdbc:sqlthrottle:} before what stands behind {@code jdbc:} of
 * the URL of the database, as in {@code jdbc:sqlthrottle:postgresql://db/shop}.
 *
 * <p>Options stand in parentheses behind {@code jdbc:sqlthrottle:}, divided by semicolons:
 * {@code jdbc:sqlthrottle:(rules=/etc/sqlthrottle.yml;in-transaction=bypass)postgresql://db/shop}. Each may be given as a connection
 * property or a system property too, under its name behind {@code sqlthrottle.}; the URL goes before the connection property, and
 * that before the system property.
 *
 * <table><caption>Options</caption>
 * <tr><td>{@code rules}</td><td>the rule file; required</td></tr>
 * <tr><td>{@code in-transaction}</td><td>{@code apply}, {@code delay-only} or {@code bypass}, as {@link InTransaction}</td></tr>
 * <tr><td>{@code fakes}</td><td>{@code none}, {@code rows}, {@code count} or {@code rows-and-count}, as
 * {@link ThrottledSourceBuilder#fakes}</td></tr>
 * <tr><td>{@code dialect}</td><td>the dialect, where the URL does not tell it</td></tr>
 * <tr><td>{@code exempt}</td><td>{@code standard} or {@code none}, as {@link Exemptions}</td></tr>
 * <tr><td>{@code driver}</td><td>the class of the database's driver, where it does not register itself</td></tr>
 * </table>
 *
 * <p>All connections with the same rule file share one {@link com.jd.sword.sqlthrottle.Throttle}, so its limits hold for all of them. It
 * is opened with the first of them, and closed when this driver is deregistered, as containers do it with a program that they stop.
 * {@code connection.unwrap(Throttle.class)} gives it, for its snapshot and its metrics.
 */
public final class ThrottledDriver implements Driver {
    /** What its URLs begin with. */
    public static final String URL_PREFIX = "jdbc:sqlthrottle:";

    private static final SharedGates GATES = new SharedGates();

    static {
        try {
            DriverManager.registerDriver(new ThrottledDriver(), GATES::close);
        } catch (SQLException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** For {@link java.util.ServiceLoader}, and for pools that are told the class. */
    public ThrottledDriver() {}

    @Override
    public boolean acceptsURL(String url) {
        return url != null && url.startsWith(URL_PREFIX);
    }

    @Override
    public Connection connect(String url, Properties info) throws SQLException {
        if (!acceptsURL(url)) {
            return null;
        }
        DriverUrl parsed = DriverUrl.parse(url, info);
        Gate gate = GATES.of(parsed);
        Properties others = parsed.properties();
        Connection raw = driver(parsed).connect(parsed.target(), others);
        if (raw == null) {
            throw noDriver(parsed);
        }
        String user = others.getProperty("user");
        return gate.wrap(raw, user == null ? null : StatementContext.of(user, null));
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) throws SQLException {
        List<DriverPropertyInfo> all = new ArrayList<>(DriverUrl.describe(info));
        if (acceptsURL(url)) {
            DriverUrl parsed = DriverUrl.parse(url, info);
            all.addAll(Arrays.asList(driver(parsed).getPropertyInfo(parsed.target(), parsed.properties())));
        }
        return all.toArray(new DriverPropertyInfo[0]);
    }

    private static Driver driver(DriverUrl url) throws SQLException {
        String name = url.option("driver");
        if (name != null) {
            return load(name);
        }
        try {
            return DriverManager.getDriver(url.target());
        } catch (SQLException e) {
            SQLException missing = noDriver(url);
            missing.initCause(e);
            throw missing;
        }
    }

    private static Driver load(String name) throws SQLException {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        ClassLoader loader = context != null ? context : ThrottledDriver.class.getClassLoader();
        try {
            return Class.forName(name, true, loader).asSubclass(Driver.class).getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException | ClassCastException | LinkageError e) {
            throw new SQLException("the driver " + name + " cannot be loaded: " + e, "08001", e);
        }
    }

    private static SQLException noDriver(DriverUrl url) {
        // Behind the name of the driver there may be a password.
        return new SQLException("there is no driver for jdbc:" + url.name() + ": is it on the class path?", "08001");
    }

    @Override
    public int getMajorVersion() {
        return 0;
    }

    @Override
    public int getMinorVersion() {
        return 1;
    }

    /** No: it is not the database. */
    @Override
    public boolean jdbcCompliant() {
        return false;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return Logger.getLogger("com.jd.sword.sqlthrottle");
    }
}
