package com.jd.sword.sqlthrottle.jdbc;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.Statement;
import java.util.Map;
import lombok.experimental.Delegate;

/**
 * A result of a wrapped statement, which leads back to that and not to the driver's. Where its execution holds a place, that is given
 * back when the result is closed, read to its end, or fails.
 */
final class ThrottledResultSet implements ResultSet {
    @Delegate(types = ResultSet.class, excludes = Intercepted.class)
    private final ResultSet target;

    private final ThrottledConnection connection;
    /** Null until asked for, of a result that no wrapped statement has made. */
    private ExecutedStatement statement;
    private Pass pass;

    private ThrottledResultSet(ThrottledConnection connection, ExecutedStatement statement, ResultSet target, Pass pass) {
        this.connection = connection;
        this.statement = statement;
        this.target = target;
        this.pass = pass;
    }

    /** A result of a statement, which holds what its execution does. */
    static ThrottledResultSet of(ExecutedStatement statement, ResultSet target, Pass pass) {
        return new ThrottledResultSet(null, statement, target, pass);
    }

    /** A result of the connection itself, such as a list of its tables, or null for null. */
    static ThrottledResultSet of(ThrottledConnection connection, ResultSet target) {
        return target == null ? null : new ThrottledResultSet(connection, null, target, Pass.SEND);
    }

    /** Whether it wraps this one. */
    boolean isOf(ResultSet other) {
        return target == other;
    }

    /** Holds nothing any more: it is closed, or as good as that. */
    void letGo() {
        Pass held = pass;
        pass = Pass.SEND;
        held.drop();
    }

    @Override
    public boolean next() throws SQLException {
        return pass == Pass.SEND ? target.next() : nextHeld();
    }

    private boolean nextHeld() throws SQLException {
        boolean isRow = false;
        try {
            isRow = target.next();
            return isRow;
        } finally {
            // A scrollable one may go back, and read on.
            if (!isRow && !isScrollable()) {
                letGo();
            }
        }
    }

    private boolean isScrollable() {
        try {
            return target.getType() != TYPE_FORWARD_ONLY;
        } catch (SQLException | RuntimeException e) {
            // Closed behind its back, by the end of the transaction for one.
            return false;
        }
    }

    @Override
    public void close() throws SQLException {
        try {
            target.close();
        } finally {
            letGo();
        }
    }

    @Override
    public Statement getStatement() throws SQLException {
        if (statement == null) {
            Statement raw = target.getStatement();
            if (raw != null) {
                statement = new ThrottledStatement(connection, raw);
            }
        }
        return statement;
    }

    @Override
    public Array getArray(int column) throws SQLException {
        return ThrottledArray.of(connection(), target.getArray(column));
    }

    @Override
    public Array getArray(String column) throws SQLException {
        return ThrottledArray.of(connection(), target.getArray(column));
    }

    @Override
    public Object getObject(int column) throws SQLException {
        return nested(target.getObject(column));
    }

    @Override
    public Object getObject(String column) throws SQLException {
        return nested(target.getObject(column));
    }

    @Override
    public Object getObject(int column, Map<String, Class<?>> types) throws SQLException {
        return nested(target.getObject(column, types));
    }

    @Override
    public Object getObject(String column, Map<String, Class<?>> types) throws SQLException {
        return nested(target.getObject(column, types));
    }

    @Override
    public <T> T getObject(int column, Class<T> type) throws SQLException {
        return typed(target.getObject(column, type), type);
    }

    @Override
    public <T> T getObject(String column, Class<T> type) throws SQLException {
        return typed(target.getObject(column, type), type);
    }

    private <T> T typed(T value, Class<T> type) {
        return canBe(type) ? type.cast(nested(value)) : value;
    }

    /** Whether what is asked for as this type may be wrapped: not where it is to be of a type of the driver's. */
    static boolean canBe(Class<?> type) {
        return type.isAssignableFrom(ResultSet.class) || type.isAssignableFrom(Array.class);
    }

    /** What leads back in a column leads to the wrapped statement too, and a cursor holds what that does. */
    private Object nested(Object value) {
        if (!(value instanceof ResultSet)) {
            return value instanceof Array ? ThrottledArray.of(connection(), (Array) value) : value;
        }
        Pass held = pass;
        held.hold();
        return new ThrottledResultSet(connection, statement, (ResultSet) value, held);
    }

    @Override
    public void updateObject(int column, Object value) throws SQLException {
        target.updateObject(column, ThrottledArray.raw(value));
    }

    @Override
    public void updateObject(int column, Object value, int scale) throws SQLException {
        target.updateObject(column, ThrottledArray.raw(value), scale);
    }

    @Override
    public void updateObject(int column, Object value, SQLType type) throws SQLException {
        target.updateObject(column, ThrottledArray.raw(value), type);
    }

    @Override
    public void updateObject(int column, Object value, SQLType type, int scale) throws SQLException {
        target.updateObject(column, ThrottledArray.raw(value), type, scale);
    }

    @Override
    public void updateArray(int column, Array value) throws SQLException {
        target.updateArray(column, ThrottledArray.raw(value));
    }

    @Override
    public void updateObject(String column, Object value) throws SQLException {
        target.updateObject(column, ThrottledArray.raw(value));
    }

    @Override
    public void updateObject(String column, Object value, int scale) throws SQLException {
        target.updateObject(column, ThrottledArray.raw(value), scale);
    }

    @Override
    public void updateObject(String column, Object value, SQLType type) throws SQLException {
        target.updateObject(column, ThrottledArray.raw(value), type);
    }

    @Override
    public void updateObject(String column, Object value, SQLType type, int scale) throws SQLException {
        target.updateObject(column, ThrottledArray.raw(value), type, scale);
    }

    @Override
    public void updateArray(String column, Array value) throws SQLException {
        target.updateArray(column, ThrottledArray.raw(value));
    }

    private ThrottledConnection connection() {
        return statement == null ? connection : statement.connection();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return Unwrapping.unwrap(this, connection().gate(), target, type);
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
        boolean next() throws SQLException;

        void close() throws SQLException;

        Statement getStatement() throws SQLException;

        Array getArray(int column) throws SQLException;

        Array getArray(String column) throws SQLException;

        Object getObject(int column) throws SQLException;

        Object getObject(String column) throws SQLException;

        Object getObject(int column, Map<String, Class<?>> types) throws SQLException;

        Object getObject(String column, Map<String, Class<?>> types) throws SQLException;

        <T> T getObject(int column, Class<T> type) throws SQLException;

        <T> T getObject(String column, Class<T> type) throws SQLException;

        void updateObject(int column, Object value) throws SQLException;

        void updateObject(int column, Object value, int scale) throws SQLException;

        void updateObject(int column, Object value, SQLType type) throws SQLException;

        void updateObject(int column, Object value, SQLType type, int scale) throws SQLException;

        void updateArray(int column, Array value) throws SQLException;

        void updateObject(String column, Object value) throws SQLException;

        void updateObject(String column, Object value, int scale) throws SQLException;

        void updateObject(String column, Object value, SQLType type) throws SQLException;

        void updateObject(String column, Object value, SQLType type, int scale) throws SQLException;

        void updateArray(String column, Array value) throws SQLException;

        <T> T unwrap(Class<T> type) throws SQLException;

        boolean isWrapperFor(Class<?> type) throws SQLException;
    }
}
