package com.jd.sword.sqlthrottle.jdbc;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import lombok.experimental.Delegate;

/** An array whose results lead back to the wrapped connection. Drivers are given their own back, as they know no other. */
final class ThrottledArray implements Array {
    @Delegate(types = Array.class, excludes = Intercepted.class)
    private final Array target;

    private final ThrottledConnection connection;

    private ThrottledArray(ThrottledConnection connection, Array target) {
        this.connection = connection;
        this.target = target;
    }

    /** Null for null. */
    static Array of(ThrottledConnection connection, Array target) {
        return target == null ? null : new ThrottledArray(connection, target);
    }

    /** What a driver is to be given: its own array in place of a wrapped one, and whatever else it is as it is. */
    static Object raw(Object value) {
        return value instanceof ThrottledArray ? ((ThrottledArray) value).target : value;
    }

    static Array raw(Array value) {
        return (Array) raw((Object) value);
    }

    private ResultSet wrapped(ResultSet rows) {
        return ThrottledResultSet.of(connection, rows);
    }

    @Override
    public ResultSet getResultSet() throws SQLException {
        return wrapped(target.getResultSet());
    }

    @Override
    public ResultSet getResultSet(Map<String, Class<?>> types) throws SQLException {
        return wrapped(target.getResultSet(types));
    }

    @Override
    public ResultSet getResultSet(long index, int count) throws SQLException {
        return wrapped(target.getResultSet(index, count));
    }

    @Override
    public ResultSet getResultSet(long index, int count, Map<String, Class<?>> types) throws SQLException {
        return wrapped(target.getResultSet(index, count, types));
    }

    @Override
    public boolean equals(Object other) {
        return target.equals(raw(other));
    }

    @Override
    public int hashCode() {
        return target.hashCode();
    }

    /** As the driver has it, for some its literal in SQL. */
    @Override
    public String toString() {
        return target.toString();
    }

    /** What is not handed on as it is. */
    private interface Intercepted {
        ResultSet getResultSet() throws SQLException;

        ResultSet getResultSet(Map<String, Class<?>> types) throws SQLException;

        ResultSet getResultSet(long index, int count) throws SQLException;

        ResultSet getResultSet(long index, int count, Map<String, Class<?>> types) throws SQLException;
    }
}
