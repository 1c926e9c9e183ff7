package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.StatementContext;
import com.jd.sword.sqlthrottle.Throttle;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.DataSource;
import lombok.experimental.Delegate;

/**
 * A DataSource whose statements ask a {@link Throttle} before they are sent. What is to be aborted throws a
 * {@link com.jd.sword.sqlthrottle.SqlThrottledException}; what is to be ignored gives an empty result; what is to be delayed waits in
 * the thread that sends it, until it is let through, interrupted, cancelled, or its query timeout is over.
 *
 * <p>It goes around a pool, or into one. Of several around each other, by routing or by mistake, the outermost counts. Everything that
 * leads back to a connection or a statement leads to the wrapped one; {@code unwrap} gives what is inside, and the {@link Throttle} to
 * whoever asks for that.
 *
 * <p>Closing the throttle is left to whoever opened it: statements that are sent afterwards fail.
 */
public final class ThrottledDataSource extends Jdbc43DataSource implements AutoCloseable {
    @Delegate(types = DataSource.class, excludes = Intercepted.class)
    private final DataSource target;

    private final Gate gate;

    private ThrottledDataSource(DataSource target, Gate gate) {
        this.target = target;
        this.gate = gate;
    }

    /** A DataSource with everything as it is by default. */
    public static ThrottledDataSource of(DataSource target, Throttle throttle) {
        return builder(target, throttle).build();
    }

    /** A builder for a DataSource around this one. */
    public static ThrottledSourceBuilder<ThrottledDataSource> builder(DataSource target, Throttle throttle) {
        Objects.requireNonNull(target, "target");
        return new ThrottledSourceBuilder<>(throttle, gate -> new ThrottledDataSource(target, gate));
    }

    @Override
    DataSource target() {
        return target;
    }

    @Override
    Gate gate() {
        return gate;
    }

    @Override
    public Connection getConnection() throws SQLException {
        return gate.wrap(target.getConnection(), null);
    }

    /** Statements of the connection are those of this user, where the context does not say another. */
    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return gate.wrap(target.getConnection(user, password), StatementContext.of(user, null));
    }

    /**
     * Closes what is wrapped, as far as that can be closed: whoever made a pool only to wrap it needs not keep it. The throttle stays open.
     *
     * @throws Exception that has failed
     */
    @Override
    public void close() throws Exception {
        if (target instanceof AutoCloseable) {
            ((AutoCloseable) target).close();
        }
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return Unwrapping.unwrap(this, gate, target, type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return Unwrapping.isWrapperFor(this, target, type);
    }

    @Override
    public String toString() {
        return "throttled " + target;
    }

    /** What is not handed on as it is. */
    private interface Intercepted {
        Connection getConnection() throws SQLException;

        Connection getConnection(String user, String password) throws SQLException;

        <T> T unwrap(Class<T> type) throws SQLException;

        boolean isWrapperFor(Class<?> type) throws SQLException;
    }
}
