package com.jd.sword.sqlthrottle.jdbc;

import java.sql.Array;
import java.sql.CallableStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.Types;
import java.util.HashSet;
import java.util.Set;

/**
 * A call with its parameters that are cursors. What it holds is held by each of them, and until all are asked for: they are open
 * although nobody has seen them.
 */
abstract class CallingStatement extends NamedStreamStatement {
    /** What Oracle's driver calls a cursor, beside the number that JDBC has given it since. */
    private static final int ORACLE_CURSOR = -10;

    private final CallableStatement target;
    /** The indexes and names of those that are registered. */
    private final Set<Object> cursors = new HashSet<>();
    /** Those that this execution was asked for. */
    private final Set<Object> asked = new HashSet<>();
    /** How many of this execution nobody has asked for. */
    private int unread;

    CallingStatement(ThrottledConnection connection, CallableStatement target, String sql) throws SQLException {
        super(connection, target, sql);
        this.target = target;
    }

    @Override
    final boolean opensCursors() {
        unread = cursors.size();
        asked.clear();
        return unread > 0;
    }

    /** What a parameter has: what leads back leads to the wrapped statement, and a cursor holds what the call does. */
    final Object read(Object parameter, Object value) {
        Pass held = held();
        boolean isLast = unread > 0 && asked.add(parameter) && --unread == 0;
        if (!(value instanceof ResultSet)) {
            if (isLast) {
                held.drop();
            }
            return value instanceof Array ? ThrottledArray.of(connection(), (Array) value) : value;
        }
        if (!isLast) {
            held.hold();
        }
        return ThrottledResultSet.of(this, (ResultSet) value, held);
    }

    private void registered(Object parameter, Integer type) {
        // PostgreSQL's has no type of its own there for a cursor.
        if (type != null && (type == Types.REF_CURSOR || type == Types.OTHER || type == ORACLE_CURSOR)) {
            cursors.add(parameter);
        } else {
            cursors.remove(parameter);
        }
    }

    @Override
    public void registerOutParameter(int parameter, int type) throws SQLException {
        target.registerOutParameter(parameter, type);
        registered(parameter, type);
    }

    @Override
    public void registerOutParameter(int parameter, int type, int scale) throws SQLException {
        target.registerOutParameter(parameter, type, scale);
        registered(parameter, type);
    }

    @Override
    public void registerOutParameter(int parameter, int type, String name) throws SQLException {
        target.registerOutParameter(parameter, type, name);
        registered(parameter, type);
    }

    @Override
    public void registerOutParameter(String parameter, int type) throws SQLException {
        target.registerOutParameter(parameter, type);
        registered(parameter, type);
    }

    @Override
    public void registerOutParameter(String parameter, int type, int scale) throws SQLException {
        target.registerOutParameter(parameter, type, scale);
        registered(parameter, type);
    }

    @Override
    public void registerOutParameter(String parameter, int type, String name) throws SQLException {
        target.registerOutParameter(parameter, type, name);
        registered(parameter, type);
    }

    @Override
    public void registerOutParameter(int parameter, SQLType type) throws SQLException {
        target.registerOutParameter(parameter, type);
        registered(parameter, type.getVendorTypeNumber());
    }

    @Override
    public void registerOutParameter(int parameter, SQLType type, int scale) throws SQLException {
        target.registerOutParameter(parameter, type, scale);
        registered(parameter, type.getVendorTypeNumber());
    }

    @Override
    public void registerOutParameter(int parameter, SQLType type, String name) throws SQLException {
        target.registerOutParameter(parameter, type, name);
        registered(parameter, type.getVendorTypeNumber());
    }

    @Override
    public void registerOutParameter(String parameter, SQLType type) throws SQLException {
        target.registerOutParameter(parameter, type);
        registered(parameter, type.getVendorTypeNumber());
    }

    @Override
    public void registerOutParameter(String parameter, SQLType type, int scale) throws SQLException {
        target.registerOutParameter(parameter, type, scale);
        registered(parameter, type.getVendorTypeNumber());
    }

    @Override
    public void registerOutParameter(String parameter, SQLType type, String name) throws SQLException {
        target.registerOutParameter(parameter, type, name);
        registered(parameter, type.getVendorTypeNumber());
    }

    /** What is noted here, and so is not handed on as it is. */
    interface Registrations {
        void registerOutParameter(int parameter, int type) throws SQLException;

        void registerOutParameter(int parameter, int type, int scale) throws SQLException;

        void registerOutParameter(int parameter, int type, String name) throws SQLException;

        void registerOutParameter(String parameter, int type) throws SQLException;

        void registerOutParameter(String parameter, int type, int scale) throws SQLException;

        void registerOutParameter(String parameter, int type, String name) throws SQLException;

        void registerOutParameter(int parameter, SQLType type) throws SQLException;

        void registerOutParameter(int parameter, SQLType type, int scale) throws SQLException;

        void registerOutParameter(int parameter, SQLType type, String name) throws SQLException;

        void registerOutParameter(String parameter, SQLType type) throws SQLException;

        void registerOutParameter(String parameter, SQLType type, int scale) throws SQLException;

        void registerOutParameter(String parameter, SQLType type, String name) throws SQLException;
    }
}
