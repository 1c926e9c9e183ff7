package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.Fakes;
import java.math.BigDecimal;
import java.sql.CallableStatement;
import java.sql.Date;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;

/**
 * A call whose parameters are set by name. Which place a name has only the driver knows, so from then on no value is known: one of before
 * might stand in its place.
 */
abstract class NamedStatement extends ThrottledPreparedStatement implements CallableStatement {
    private final CallableStatement target;

    NamedStatement(ThrottledConnection connection, CallableStatement target, String sql) throws SQLException {
        super(connection, target, sql, Fakes.NONE, Fakes.NONE);
        this.target = target;
    }

    @Override
    public void setNull(String parameter, int type) throws SQLException {
        target.setNull(parameter, type);
        forgetParameters();
    }

    @Override
    public void setNull(String parameter, int type, String name) throws SQLException {
        target.setNull(parameter, type, name);
        forgetParameters();
    }

    @Override
    public void setBoolean(String parameter, boolean value) throws SQLException {
        target.setBoolean(parameter, value);
        forgetParameters();
    }

    @Override
    public void setByte(String parameter, byte value) throws SQLException {
        target.setByte(parameter, value);
        forgetParameters();
    }

    @Override
    public void setShort(String parameter, short value) throws SQLException {
        target.setShort(parameter, value);
        forgetParameters();
    }

    @Override
    public void setInt(String parameter, int value) throws SQLException {
        target.setInt(parameter, value);
        forgetParameters();
    }

    @Override
    public void setLong(String parameter, long value) throws SQLException {
        target.setLong(parameter, value);
        forgetParameters();
    }

    @Override
    public void setFloat(String parameter, float value) throws SQLException {
        target.setFloat(parameter, value);
        forgetParameters();
    }

    @Override
    public void setDouble(String parameter, double value) throws SQLException {
        target.setDouble(parameter, value);
        forgetParameters();
    }

    @Override
    public void setBigDecimal(String parameter, BigDecimal value) throws SQLException {
        target.setBigDecimal(parameter, value);
        forgetParameters();
    }

    @Override
    public void setString(String parameter, String value) throws SQLException {
        target.setString(parameter, value);
        forgetParameters();
    }

    @Override
    public void setNString(String parameter, String value) throws SQLException {
        target.setNString(parameter, value);
        forgetParameters();
    }

    @Override
    public void setBytes(String parameter, byte[] value) throws SQLException {
        target.setBytes(parameter, value);
        forgetParameters();
    }

    @Override
    public void setDate(String parameter, Date value) throws SQLException {
        target.setDate(parameter, value);
        forgetParameters();
    }

    @Override
    public void setDate(String parameter, Date value, Calendar calendar) throws SQLException {
        target.setDate(parameter, value, calendar);
        forgetParameters();
    }

    @Override
    public void setTime(String parameter, Time value) throws SQLException {
        target.setTime(parameter, value);
        forgetParameters();
    }

    @Override
    public void setTime(String parameter, Time value, Calendar calendar) throws SQLException {
        target.setTime(parameter, value, calendar);
        forgetParameters();
    }

    @Override
    public void setTimestamp(String parameter, Timestamp value) throws SQLException {
        target.setTimestamp(parameter, value);
        forgetParameters();
    }

    @Override
    public void setTimestamp(String parameter, Timestamp value, Calendar calendar) throws SQLException {
        target.setTimestamp(parameter, value, calendar);
        forgetParameters();
    }

    @Override
    public void setObject(String parameter, Object value) throws SQLException {
        target.setObject(parameter, ThrottledArray.raw(value));
        forgetParameters();
    }

    @Override
    public void setObject(String parameter, Object value, int type) throws SQLException {
        target.setObject(parameter, ThrottledArray.raw(value), type);
        forgetParameters();
    }

    @Override
    public void setObject(String parameter, Object value, int type, int scale) throws SQLException {
        target.setObject(parameter, ThrottledArray.raw(value), type, scale);
        forgetParameters();
    }

    @Override
    public void setObject(String parameter, Object value, SQLType type) throws SQLException {
        target.setObject(parameter, ThrottledArray.raw(value), type);
        forgetParameters();
    }

    @Override
    public void setObject(String parameter, Object value, SQLType type, int scale) throws SQLException {
        target.setObject(parameter, ThrottledArray.raw(value), type, scale);
        forgetParameters();
    }

    /** What is bound here, and so is not handed on as it is. */
    interface Setters {
        void setNull(String parameter, int type) throws SQLException;

        void setNull(String parameter, int type, String name) throws SQLException;

        void setBoolean(String parameter, boolean value) throws SQLException;

        void setByte(String parameter, byte value) throws SQLException;

        void setShort(String parameter, short value) throws SQLException;

        void setInt(String parameter, int value) throws SQLException;

        void setLong(String parameter, long value) throws SQLException;

        void setFloat(String parameter, float value) throws SQLException;

        void setDouble(String parameter, double value) throws SQLException;

        void setBigDecimal(String parameter, BigDecimal value) throws SQLException;

        void setString(String parameter, String value) throws SQLException;

        void setNString(String parameter, String value) throws SQLException;

        void setBytes(String parameter, byte[] value) throws SQLException;

        void setDate(String parameter, Date value) throws SQLException;

        void setDate(String parameter, Date value, Calendar calendar) throws SQLException;

        void setTime(String parameter, Time value) throws SQLException;

        void setTime(String parameter, Time value, Calendar calendar) throws SQLException;

        void setTimestamp(String parameter, Timestamp value) throws SQLException;

        void setTimestamp(String parameter, Timestamp value, Calendar calendar) throws SQLException;

        void setObject(String parameter, Object value) throws SQLException;

        void setObject(String parameter, Object value, int type) throws SQLException;

        void setObject(String parameter, Object value, int type, int scale) throws SQLException;

        void setObject(String parameter, Object value, SQLType type) throws SQLException;

        void setObject(String parameter, Object value, SQLType type, int scale) throws SQLException;
    }
}
