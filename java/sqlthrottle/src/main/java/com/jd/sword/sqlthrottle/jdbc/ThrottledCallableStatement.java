package com.jd.sword.sqlthrottle.jdbc;

import java.sql.Array;
import java.sql.CallableStatement;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import lombok.experimental.Delegate;

/** A call that asks before it is sent. What it returns nobody can make up, so one that is to be ignored is refused. */
final class ThrottledCallableStatement extends CallingStatement {
    @Delegate(types = CallableStatement.class, excludes = {
        PreparedStatement.class, NamedStatement.Setters.class, NamedStreamStatement.Setters.class, CallingStatement.Registrations.class,
        Intercepted.class})
    private final CallableStatement target;

    ThrottledCallableStatement(ThrottledConnection connection, CallableStatement target, String sql) throws SQLException {
        super(connection, target, sql);
        this.target = target;
    }

    @Override
    public Array getArray(int parameter) throws SQLException {
        return ThrottledArray.of(connection(), target.getArray(parameter));
    }

    @Override
    public Array getArray(String parameter) throws SQLException {
        return ThrottledArray.of(connection(), target.getArray(parameter));
    }

    @Override
    public Object getObject(int parameter) throws SQLException {
        return read(parameter, target.getObject(parameter));
    }

    @Override
    public Object getObject(String parameter) throws SQLException {
        return read(parameter, target.getObject(parameter));
    }

    @Override
    public Object getObject(int parameter, Map<String, Class<?>> types) throws SQLException {
        return read(parameter, target.getObject(parameter, types));
    }

    @Override
    public Object getObject(String parameter, Map<String, Class<?>> types) throws SQLException {
        return read(parameter, target.getObject(parameter, types));
    }

    @Override
    public <T> T getObject(int parameter, Class<T> type) throws SQLException {
        return typed(parameter, target.getObject(parameter, type), type);
    }

    @Override
    public <T> T getObject(String parameter, Class<T> type) throws SQLException {
        return typed(parameter, target.getObject(parameter, type), type);
    }

    private <T> T typed(Object parameter, T value, Class<T> type) {
        return ThrottledResultSet.canBe(type) ? type.cast(read(parameter, value)) : value;
    }

    /** What is not handed on as it is. */
    interface Intercepted {
        Array getArray(int parameter) throws SQLException;

        Array getArray(String parameter) throws SQLException;

        Object getObject(int parameter) throws SQLException;

        Object getObject(String parameter) throws SQLException;

        Object getObject(int parameter, Map<String, Class<?>> types) throws SQLException;

        Object getObject(String parameter, Map<String, Class<?>> types) throws SQLException;

        <T> T getObject(int parameter, Class<T> type) throws SQLException;

        <T> T getObject(String parameter, Class<T> type) throws SQLException;
    }
}
