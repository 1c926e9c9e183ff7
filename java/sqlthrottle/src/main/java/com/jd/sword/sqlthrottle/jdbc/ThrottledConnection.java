package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.StatementContext;
import java.sql.Array;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Executor;
import lombok.experimental.Delegate;

/** A connection whose statements pass the gate, and which gives back what they hold when it ends. */
final class ThrottledConnection extends Jdbc43Connection {
    @Delegate(types = Connection.class, excludes = Intercepted.class)
    private final Connection target;

    private final Gate gate;
    private final Origin origin;
    /** Null where it takes part in no distributed transaction. */
    private final Branch branch;
    private final Held held = new Held();

    /** @param defaults who uses it, or null */
    ThrottledConnection(Gate gate, Connection target, StatementContext defaults) {
        this(gate, target, defaults, null);
    }

    /** @param branch of a distributed transaction, or null */
    ThrottledConnection(Gate gate, Connection target, StatementContext defaults, Branch branch) {
        this.gate = gate;
        this.target = target;
        this.origin = new Origin(target, defaults);
        this.branch = branch;
    }

    @Override
    Connection target() {
        return target;
    }

    Gate gate() {
        return gate;
    }

    /**
     * Who uses it, and which database it leads to; null where neither is known.
     *
     * @param withDatabase whether that is to be found out, which is not for nothing
     */
    StatementContext defaults(boolean withDatabase) {
        return withDatabase ? origin.context() : origin.user();
    }

    Held held() {
        return held;
    }

    /** Drivers know that themselves, and send nothing to tell. */
    boolean isInTransaction() throws SQLException {
        return branch != null && branch.isActive() || !target.getAutoCommit();
    }

    /** It cannot be used any more, and nobody may close it: all that it holds is given back. */
    void lost() {
        held.closing();
        held.rolledBack();
    }

    @Override
    public Statement createStatement() throws SQLException {
        return new ThrottledStatement(this, target.createStatement());
    }

    @Override
    public Statement createStatement(int type, int concurrency) throws SQLException {
        return using(concurrency, new ThrottledStatement(this, target.createStatement(type, concurrency)));
    }

    @Override
    public Statement createStatement(int type, int concurrency, int holdability) throws SQLException {
        return using(concurrency, new ThrottledStatement(this, target.createStatement(type, concurrency, holdability)));
    }

    @Override
    public PreparedStatement prepareStatement(String sql) throws SQLException {
        return prepared(target.prepareStatement(sql), sql, false);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int type, int concurrency) throws SQLException {
        return using(concurrency, prepared(target.prepareStatement(sql, type, concurrency), sql, false));
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int type, int concurrency, int holdability) throws SQLException {
        return using(concurrency, prepared(target.prepareStatement(sql, type, concurrency, holdability), sql, false));
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int keys) throws SQLException {
        return prepared(target.prepareStatement(sql, keys), sql, keys != Statement.NO_GENERATED_KEYS);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int[] keys) throws SQLException {
        return prepared(target.prepareStatement(sql, keys), sql, true);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, String[] keys) throws SQLException {
        return prepared(target.prepareStatement(sql, keys), sql, true);
    }

    @Override
    public CallableStatement prepareCall(String sql) throws SQLException {
        return called(target.prepareCall(sql), sql);
    }

    @Override
    public CallableStatement prepareCall(String sql, int type, int concurrency) throws SQLException {
        return called(target.prepareCall(sql, type, concurrency), sql);
    }

    @Override
    public CallableStatement prepareCall(String sql, int type, int concurrency, int holdability) throws SQLException {
        return called(target.prepareCall(sql, type, concurrency, holdability), sql);
    }

    private static <S extends ExecutedStatement> S using(int concurrency, S statement) {
        statement.concurrency(concurrency);
        return statement;
    }

    private ThrottledPreparedStatement prepared(PreparedStatement statement, String sql, boolean hasKeys) throws SQLException {
        try {
            return new ThrottledPreparedStatement(this, statement, sql, hasKeys);
        } catch (SQLException e) {
            throw closing(statement, e);
        }
    }

    private CallableStatement called(CallableStatement statement, String sql) throws SQLException {
        try {
            return new ThrottledCallableStatement(this, statement, sql);
        } catch (SQLException e) {
            throw closing(statement, e);
        }
    }

    /** A statement that could not be wrapped is closed: nobody else would. */
    private static SQLException closing(Statement statement, SQLException failure) {
        try {
            statement.close();
        } catch (SQLException | RuntimeException e) {
            failure.addSuppressed(e);
        }
        return failure;
    }

    @Override
    public Array createArrayOf(String type, Object[] elements) throws SQLException {
        return ThrottledArray.of(this, target.createArrayOf(type, elements));
    }

    @Override
    public DatabaseMetaData getMetaData() throws SQLException {
        DatabaseMetaData metaData = target.getMetaData();
        return metaData == null ? null : new ThrottledMetaData(this, metaData);
    }

    @Override
    public void setCatalog(String catalog) throws SQLException {
        target.setCatalog(catalog);
        origin.moved(catalog);
    }

    @Override
    public void commit() throws SQLException {
        try {
            target.commit();
        } finally {
            held.committed();
        }
    }

    @Override
    public void rollback() throws SQLException {
        try {
            target.rollback();
        } finally {
            held.rolledBack();
        }
    }

    @Override
    public void setAutoCommit(boolean on) throws SQLException {
        // To turn it on within a transaction commits that.
        boolean commits = on && !held.isEmpty() && !target.getAutoCommit();
        try {
            target.setAutoCommit(on);
        } finally {
            if (commits) {
                held.committed();
            }
        }
    }

    @Override
    public void close() throws SQLException {
        held.closing();
        try {
            target.close();
        } finally {
            held.rolledBack();
        }
    }

    @Override
    public void abort(Executor executor) throws SQLException {
        held.closing();
        try {
            target.abort(executor);
        } finally {
            held.rolledBack();
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
        Statement createStatement() throws SQLException;

        Statement createStatement(int type, int concurrency) throws SQLException;

        Statement createStatement(int type, int concurrency, int holdability) throws SQLException;

        PreparedStatement prepareStatement(String sql) throws SQLException;

        PreparedStatement prepareStatement(String sql, int type, int concurrency) throws SQLException;

        PreparedStatement prepareStatement(String sql, int type, int concurrency, int holdability) throws SQLException;

        PreparedStatement prepareStatement(String sql, int keys) throws SQLException;

        PreparedStatement prepareStatement(String sql, int[] keys) throws SQLException;

        PreparedStatement prepareStatement(String sql, String[] keys) throws SQLException;

        CallableStatement prepareCall(String sql) throws SQLException;

        CallableStatement prepareCall(String sql, int type, int concurrency) throws SQLException;

        CallableStatement prepareCall(String sql, int type, int concurrency, int holdability) throws SQLException;

        Array createArrayOf(String type, Object[] elements) throws SQLException;

        DatabaseMetaData getMetaData() throws SQLException;

        void setCatalog(String catalog) throws SQLException;

        void commit() throws SQLException;

        void rollback() throws SQLException;

        void setAutoCommit(boolean on) throws SQLException;

        void close() throws SQLException;

        void abort(Executor executor) throws SQLException;

        <T> T unwrap(Class<T> type) throws SQLException;

        boolean isWrapperFor(Class<?> type) throws SQLException;
    }
}
