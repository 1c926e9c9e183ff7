package com.jd.sword.sqlthrottle.jdbc;

import java.io.InputStream;
import java.io.Reader;
import java.net.URL;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.NClob;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLXML;

/** A call whose parameters are set by name, to what has no form as a constant too, such as a stream. */
abstract class NamedStreamStatement extends NamedStatement {
    private final CallableStatement target;

    NamedStreamStatement(ThrottledConnection connection, CallableStatement target, String sql) throws SQLException {
        super(connection, target, sql);
        this.target = target;
    }

    @Override
    public void setAsciiStream(String parameter, InputStream value, int length) throws SQLException {
        target.setAsciiStream(parameter, value, length);
        forgetParameters();
    }

    @Override
    public void setAsciiStream(String parameter, InputStream value, long length) throws SQLException {
        target.setAsciiStream(parameter, value, length);
        forgetParameters();
    }

    @Override
    public void setAsciiStream(String parameter, InputStream value) throws SQLException {
        target.setAsciiStream(parameter, value);
        forgetParameters();
    }

    @Override
    public void setBinaryStream(String parameter, InputStream value, int length) throws SQLException {
        target.setBinaryStream(parameter, value, length);
        forgetParameters();
    }

    @Override
    public void setBinaryStream(String parameter, InputStream value, long length) throws SQLException {
        target.setBinaryStream(parameter, value, length);
        forgetParameters();
    }

    @Override
    public void setBinaryStream(String parameter, InputStream value) throws SQLException {
        target.setBinaryStream(parameter, value);
        forgetParameters();
    }

    @Override
    public void setCharacterStream(String parameter, Reader value, int length) throws SQLException {
        target.setCharacterStream(parameter, value, length);
        forgetParameters();
    }

    @Override
    public void setCharacterStream(String parameter, Reader value, long length) throws SQLException {
        target.setCharacterStream(parameter, value, length);
        forgetParameters();
    }

    @Override
    public void setCharacterStream(String parameter, Reader value) throws SQLException {
        target.setCharacterStream(parameter, value);
        forgetParameters();
    }

    @Override
    public void setNCharacterStream(String parameter, Reader value, long length) throws SQLException {
        target.setNCharacterStream(parameter, value, length);
        forgetParameters();
    }

    @Override
    public void setNCharacterStream(String parameter, Reader value) throws SQLException {
        target.setNCharacterStream(parameter, value);
        forgetParameters();
    }

    @Override
    public void setBlob(String parameter, Blob value) throws SQLException {
        target.setBlob(parameter, value);
        forgetParameters();
    }

    @Override
    public void setBlob(String parameter, InputStream value, long length) throws SQLException {
        target.setBlob(parameter, value, length);
        forgetParameters();
    }

    @Override
    public void setBlob(String parameter, InputStream value) throws SQLException {
        target.setBlob(parameter, value);
        forgetParameters();
    }

    @Override
    public void setClob(String parameter, Clob value) throws SQLException {
        target.setClob(parameter, value);
        forgetParameters();
    }

    @Override
    public void setClob(String parameter, Reader value, long length) throws SQLException {
        target.setClob(parameter, value, length);
        forgetParameters();
    }

    @Override
    public void setClob(String parameter, Reader value) throws SQLException {
        target.setClob(parameter, value);
        forgetParameters();
    }

    @Override
    public void setNClob(String parameter, NClob value) throws SQLException {
        target.setNClob(parameter, value);
        forgetParameters();
    }

    @Override
    public void setNClob(String parameter, Reader value, long length) throws SQLException {
        target.setNClob(parameter, value, length);
        forgetParameters();
    }

    @Override
    public void setNClob(String parameter, Reader value) throws SQLException {
        target.setNClob(parameter, value);
        forgetParameters();
    }

    @Override
    public void setURL(String parameter, URL value) throws SQLException {
        target.setURL(parameter, value);
        forgetParameters();
    }

    @Override
    public void setRowId(String parameter, RowId value) throws SQLException {
        target.setRowId(parameter, value);
        forgetParameters();
    }

    @Override
    public void setSQLXML(String parameter, SQLXML value) throws SQLException {
        target.setSQLXML(parameter, value);
        forgetParameters();
    }

    /** What is bound here, and so is not handed on as it is. */
    interface Setters {
        void setAsciiStream(String parameter, InputStream value, int length) throws SQLException;

        void setAsciiStream(String parameter, InputStream value, long length) throws SQLException;

        void setAsciiStream(String parameter, InputStream value) throws SQLException;

        void setBinaryStream(String parameter, InputStream value, int length) throws SQLException;

        void setBinaryStream(String parameter, InputStream value, long length) throws SQLException;

        void setBinaryStream(String parameter, InputStream value) throws SQLException;

        void setCharacterStream(String parameter, Reader value, int length) throws SQLException;

        void setCharacterStream(String parameter, Reader value, long length) throws SQLException;

        void setCharacterStream(String parameter, Reader value) throws SQLException;

        void setNCharacterStream(String parameter, Reader value, long length) throws SQLException;

        void setNCharacterStream(String parameter, Reader value) throws SQLException;

        void setBlob(String parameter, Blob value) throws SQLException;

        void setBlob(String parameter, InputStream value, long length) throws SQLException;

        void setBlob(String parameter, InputStream value) throws SQLException;

        void setClob(String parameter, Clob value) throws SQLException;

        void setClob(String parameter, Reader value, long length) throws SQLException;

        void setClob(String parameter, Reader value) throws SQLException;

        void setNClob(String parameter, NClob value) throws SQLException;

        void setNClob(String parameter, Reader value, long length) throws SQLException;

        void setNClob(String parameter, Reader value) throws SQLException;

        void setURL(String parameter, URL value) throws SQLException;

        void setRowId(String parameter, RowId value) throws SQLException;

        void setSQLXML(String parameter, SQLXML value) throws SQLException;
    }
}
