package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.StatementContext;
import com.jd.sword.sqlthrottle.Throttle;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import lombok.experimental.Delegate;

/**
 * A source of XA connections whose statements ask a {@link Throttle} before they are sent, as those of a {@link ThrottledDataSource}
 * do. Its XA resources are wrapped too: by them a connection knows that it is in a transaction, and when that is over.
 */
public final class ThrottledXADataSource extends Jdbc43XADataSource {
    @Delegate(types = XADataSource.class, excludes = Intercepted.class)
    private final XADataSource target;

    private final Gate gate;

    private ThrottledXADataSource(XADataSource target, Gate gate) {
        this.target = target;
        this.gate = gate;
    }

    /** A source with everything as it is by default. */
    public static ThrottledXADataSource of(XADataSource target, Throttle throttle) {
        return builder(target, throttle).build();
    }

    /** A builder for a source around this one. */
    public static ThrottledSourceBuilder<ThrottledXADataSource> builder(XADataSource target, Throttle throttle) {
        Objects.requireNonNull(target, "target");
        return new ThrottledSourceBuilder<>(throttle, gate -> new ThrottledXADataSource(target, gate));
    }

    @Override
    XADataSource target() {
        return target;
    }

    @Override
    Gate gate() {
        return gate;
    }

    @Override
    public XAConnection getXAConnection() throws SQLException {
        return ThrottledXAConnection.of(gate, target.getXAConnection(), null);
    }

    /** Statements of the connection are those of this user, where the context does not say another. */
    @Override
    public XAConnection getXAConnection(String user, String password) throws SQLException {
        return ThrottledXAConnection.of(gate, target.getXAConnection(user, password), StatementContext.of(user, null));
    }

    @Override
    public String toString() {
        return "throttled " + target;
    }

    /** What is not handed on as it is. */
    private interface Intercepted {
        XAConnection getXAConnection() throws SQLException;

        XAConnection getXAConnection(String user, String password) throws SQLException;
    }
}
