package com.jd.sword.sqlthrottle.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The result of a query that was not sent: no rows, and the columns that an earlier run showed. It answers as the result of a query
 * that found nothing does, and all that asks for a row is refused as JDBC has it.
 *
 * <p>A proxy, because nearly all of the two hundred methods of a {@link ResultSet} have one and the same answer here, those of
 * versions to come too.
 */
final class EmptyResultSet implements InvocationHandler {
    private final ExecutedStatement statement;
    private final Columns columns;
    private final ResultSet proxy;
    private int fetchSize;
    private int fetchDirection = ResultSet.FETCH_FORWARD;
    private volatile boolean closed;

    private EmptyResultSet(ExecutedStatement statement, Columns columns) {
        this.statement = statement;
        this.columns = columns;
        this.proxy = (ResultSet) Proxy.newProxyInstance(EmptyResultSet.class.getClassLoader(), new Class<?>[] {ResultSet.class}, this);
    }

    static ResultSet of(ExecutedStatement statement, Columns columns) {
        return new EmptyResultSet(statement, columns).proxy;
    }

    @Override
    public Object invoke(Object self, Method method, Object[] arguments) throws SQLException {
        switch (method.getName()) {
            case "close":
                close();
                return null;
            case "isClosed":
                return isClosed();
            case "unwrap":
                return unwrap((Class<?>) arguments[0]);
            case "isWrapperFor":
                return ((Class<?>) arguments[0]).isInstance(proxy);
            case "equals":
                return self == arguments[0];
            case "hashCode":
                return System.identityHashCode(self);
            case "toString":
                return "an empty result" + (isClosed() ? ", closed" : "");
            default:
                if (isClosed()) {
                    throw new SQLException("the result set is closed", "HY010");
                }
                return whileOpen(method.getName(), arguments);
        }
    }

    private Object whileOpen(String name, Object[] arguments) throws SQLException {
        switch (name) {
            case "next":
            case "isBeforeFirst":
            case "isAfterLast":
            case "isFirst":
            case "isLast":
            case "wasNull":
                return false;
            case "getRow":
                return 0;
            case "getStatement":
                return statement;
            case "getMetaData":
                return columns;
            case "findColumn":
                return find((String) arguments[0]);
            case "getType":
                return statement.getResultSetType();
            case "getConcurrency":
                return statement.getResultSetConcurrency();
            case "getHoldability":
                return statement.getResultSetHoldability();
            case "getFetchSize":
                return fetchSize;
            case "setFetchSize":
                fetchSize = atLeastZero((Integer) arguments[0]);
                return null;
            case "getFetchDirection":
                return fetchDirection;
            case "setFetchDirection":
                fetchDirection = direction((Integer) arguments[0]);
                return null;
            case "getWarnings":
            case "clearWarnings":
                return null;
            case "getCursorName":
                throw new SQLException("an ignored query has no cursor", "34000");
            case "beforeFirst":
            case "afterLast":
                onlyIfScrollable();
                return null;
            case "first":
            case "last":
            case "absolute":
            case "relative":
            case "previous":
                onlyIfScrollable();
                return false;
            case "insertRow":
            case "updateRow":
            case "deleteRow":
            case "cancelRowUpdates":
            case "moveToInsertRow":
                throw new SQLException("the result set is read only", "25006");
            default:
                throw new SQLException("the result set is not at a row: it has none", "24000");
        }
    }

    private int find(String label) throws SQLException {
        int number = columns.find(label);
        if (number == 0) {
            throw new SQLException("there is no column " + label, "42S22");
        }
        return number;
    }

    /** To execute its statement again closes it too. */
    private boolean isClosed() throws SQLException {
        return closed || !statement.isOpen(proxy);
    }

    private void close() throws SQLException {
        if (!closed) {
            closed = true;
            statement.closedWith(proxy);
        }
    }

    private Object unwrap(Class<?> type) throws SQLException {
        if (type.isInstance(proxy)) {
            return proxy;
        }
        throw new SQLException("an ignored query has no " + type.getName(), "HY000");
    }

    private static int atLeastZero(int rows) throws SQLException {
        if (rows < 0) {
            throw new SQLException("a fetch size is not below zero: " + rows, "HY024");
        }
        return rows;
    }

    private int direction(int direction) throws SQLException {
        if (direction == ResultSet.FETCH_REVERSE || direction == ResultSet.FETCH_UNKNOWN) {
            onlyIfScrollable();
        } else if (direction != ResultSet.FETCH_FORWARD) {
            throw new SQLException("there is no fetch direction " + direction, "HY024");
        }
        return direction;
    }

    private void onlyIfScrollable() throws SQLException {
        if (statement.getResultSetType() == ResultSet.TYPE_FORWARD_ONLY) {
            throw new SQLException("the result set only goes forward", "HY106");
        }
    }
}
