package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.StatementContext;
import com.jd.sword.sqlthrottle.Throttle;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.ConnectionPoolDataSource;
import javax.sql.PooledConnection;
import lombok.experimental.Delegate;

/**
 * A source of the connections that a pool keeps, whose statements ask a {@link Throttle} before they are sent, as those of a
 * {@link ThrottledDataSource} do: for pools that make theirs of nothing else, as application servers do.
 */
public final class ThrottledConnectionPoolDataSource extends Jdbc43ConnectionPoolDataSource {
    @Delegate(types = ConnectionPoolDataSource.class, excludes = Intercepted.class)
    private final ConnectionPoolDataSource target;

    private final Gate gate;

    private ThrottledConnectionPoolDataSource(ConnectionPoolDataSource target, Gate gate) {
        this.target = target;
        this.gate = gate;
    }

    /** A source with everything as it is by default. */
    public static ThrottledConnectionPoolDataSource of(ConnectionPoolDataSource target, Throttle throttle) {
        return builder(target, throttle).build();
    }

    /** A builder for a source around this one. */
    public static ThrottledSourceBuilder<ThrottledConnectionPoolDataSource> builder(ConnectionPoolDataSource target, Throttle throttle) {
        Objects.requireNonNull(target, "target");
        return new ThrottledSourceBuilder<>(throttle, gate -> new ThrottledConnectionPoolDataSource(target, gate));
    }

    @Override
    ConnectionPoolDataSource target() {
        return target;
    }

    @Override
    Gate gate() {
        return gate;
    }

    @Override
    public PooledConnection getPooledConnection() throws SQLException {
        return ThrottledPooledConnection.of(gate, target.getPooledConnection(), null);
    }

    /** Statements of the connection are those of this user, where the context does not say another. */
    @Override
    public PooledConnection getPooledConnection(String user, String password) throws SQLException {
        return ThrottledPooledConnection.of(gate, target.getPooledConnection(user, password), StatementContext.of(user, null));
    }

    @Override
    public String toString() {
        return "throttled " + target;
    }

    /** What is not handed on as it is. */
    private interface Intercepted {
        PooledConnection getPooledConnection() throws SQLException;

        PooledConnection getPooledConnection(String user, String password) throws SQLException;
    }
}
