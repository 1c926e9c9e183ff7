package com.jd.sword.sqlthrottle.jdbc;

import java.math.BigDecimal;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;
import java.util.List;

/**
 * A statement whose parameters are bound. Their values are kept beside the driver's where rules look at them.
 */
abstract class BoundStatement extends ThrottledStatement implements PreparedStatement {
    private final PreparedStatement target;
    /** Null as long as no rule looks at them. */
    private Parameters parameters;

    BoundStatement(ThrottledConnection connection, PreparedStatement target) {
        super(connection, target);
        this.target = target;
    }

    @Override
    List<String> parameters() {
        return parameters == null ? null : parameters.list();
    }

    private boolean isRead() {
        if (!gate().readsParameters()) {
            return false;
        }
        if (parameters == null) {
            parameters = new Parameters();
        }
        return true;
    }

    final void bound(int index, Object value) {
        if (isRead()) {
            parameters.set(index, Parameters.text(value));
        }
    }

    @Override
    public void clearParameters() throws SQLException {
        target.clearParameters();
        forgetParameters();
    }

    /** None is known any more. */
    final void forgetParameters() {
        if (parameters != null) {
            parameters.clear();
        }
    }

    @Override
    public void setNull(int index, int type) throws SQLException {
        target.setNull(index, type);
        bound(index, null);
    }

    @Override
    public void setNull(int index, int type, String name) throws SQLException {
        target.setNull(index, type, name);
        bound(index, null);
    }

    @Override
    public void setBoolean(int index, boolean value) throws SQLException {
        target.setBoolean(index, value);
        if (isRead()) {
            parameters.set(index, Boolean.toString(value));
        }
    }

    @Override
    public void setByte(int index, byte value) throws SQLException {
        target.setByte(index, value);
        if (isRead()) {
            parameters.set(index, Integer.toString(value));
        }
    }

    @Override
    public void setShort(int index, short value) throws SQLException {
        target.setShort(index, value);
        if (isRead()) {
            parameters.set(index, Integer.toString(value));
        }
    }

    @Override
    public void setInt(int index, int value) throws SQLException {
        target.setInt(index, value);
        if (isRead()) {
            parameters.set(index, Integer.toString(value));
        }
    }

    @Override
    public void setLong(int index, long value) throws SQLException {
        target.setLong(index, value);
        if (isRead()) {
            parameters.set(index, Long.toString(value));
        }
    }

    @Override
    public void setFloat(int index, float value) throws SQLException {
        target.setFloat(index, value);
        if (isRead()) {
            parameters.set(index, Float.toString(value));
        }
    }

    @Override
    public void setDouble(int index, double value) throws SQLException {
        target.setDouble(index, value);
        if (isRead()) {
            parameters.set(index, Double.toString(value));
        }
    }

    @Override
    public void setBigDecimal(int index, BigDecimal value) throws SQLException {
        target.setBigDecimal(index, value);
        bound(index, value);
    }

    @Override
    public void setString(int index, String value) throws SQLException {
        target.setString(index, value);
        bound(index, value);
    }

    @Override
    public void setNString(int index, String value) throws SQLException {
        target.setNString(index, value);
        bound(index, value);
    }

    @Override
    public void setDate(int index, Date value) throws SQLException {
        target.setDate(index, value);
        bound(index, value);
    }

    @Override
    public void setDate(int index, Date value, Calendar calendar) throws SQLException {
        target.setDate(index, value, calendar);
        bound(index, value);
    }

    @Override
    public void setTime(int index, Time value) throws SQLException {
        target.setTime(index, value);
        bound(index, value);
    }

    @Override
    public void setTime(int index, Time value, Calendar calendar) throws SQLException {
        target.setTime(index, value, calendar);
        bound(index, value);
    }

    @Override
    public void setTimestamp(int index, Timestamp value) throws SQLException {
        target.setTimestamp(index, value);
        bound(index, value);
    }

    @Override
    public void setTimestamp(int index, Timestamp value, Calendar calendar) throws SQLException {
        target.setTimestamp(index, value, calendar);
        bound(index, value);
    }

    @Override
    public void setObject(int index, Object value) throws SQLException {
        target.setObject(index, ThrottledArray.raw(value));
        bound(index, value);
    }

    @Override
    public void setObject(int index, Object value, int type) throws SQLException {
        target.setObject(index, ThrottledArray.raw(value), type);
        bound(index, value);
    }

    @Override
    public void setObject(int index, Object value, int type, int scale) throws SQLException {
        target.setObject(index, ThrottledArray.raw(value), type, scale);
        bound(index, value);
    }

    @Override
    public void setObject(int index, Object value, SQLType type) throws SQLException {
        target.setObject(index, ThrottledArray.raw(value), type);
        bound(index, value);
    }

    @Override
    public void setObject(int index, Object value, SQLType type, int scale) throws SQLException {
        target.setObject(index, ThrottledArray.raw(value), type, scale);
        bound(index, value);
    }

    /** What is bound here, and so is not handed on as it is. */
    interface Setters {
        void clearParameters() throws SQLException;

        void setNull(int index, int type) throws SQLException;

        void setNull(int index, int type, String name) throws SQLException;

        void setBoolean(int index, boolean value) throws SQLException;

        void setByte(int index, byte value) throws SQLException;

        void setShort(int index, short value) throws SQLException;

        void setInt(int index, int value) throws SQLException;

        void setLong(int index, long value) throws SQLException;

        void setFloat(int index, float value) throws SQLException;

        void setDouble(int index, double value) throws SQLException;

        void setBigDecimal(int index, BigDecimal value) throws SQLException;

        void setString(int index, String value) throws SQLException;

        void setNString(int index, String value) throws SQLException;

        void setDate(int index, Date value) throws SQLException;

        void setDate(int index, Date value, Calendar calendar) throws SQLException;

        void setTime(int index, Time value) throws SQLException;

        void setTime(int index, Time value, Calendar calendar) throws SQLException;

        void setTimestamp(int index, Timestamp value) throws SQLException;

        void setTimestamp(int index, Timestamp value, Calendar calendar) throws SQLException;

        void setObject(int index, Object value) throws SQLException;

        void setObject(int index, Object value, int type) throws SQLException;

        void setObject(int index, Object value, int type, int scale) throws SQLException;

        void setObject(int index, Object value, SQLType type) throws SQLException;

        void setObject(int index, Object value, SQLType type, int scale) throws SQLException;
    }
}
