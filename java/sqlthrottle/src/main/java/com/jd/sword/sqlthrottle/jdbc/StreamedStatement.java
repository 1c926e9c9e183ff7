package com.jd.sword.sqlthrottle.jdbc;

import java.io.InputStream;
import java.io.Reader;
import java.net.URL;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.NClob;
import java.sql.PreparedStatement;
import java.sql.Ref;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLXML;

/**
 * A statement that binds what has no form as a constant too, such as a stream. Rules cannot look at that: it is kept as unknown, so that
 * no value of before stands in its place.
 */
abstract class StreamedStatement extends BoundStatement {
    private final PreparedStatement target;

    StreamedStatement(ThrottledConnection connection, PreparedStatement target) {
        super(connection, target);
        this.target = target;
    }

    @Override
    public void setBytes(int index, byte[] value) throws SQLException {
        target.setBytes(index, value);
        bound(index, null);
    }

    @Override
    public void setAsciiStream(int index, InputStream value, int length) throws SQLException {
        target.setAsciiStream(index, value, length);
        bound(index, null);
    }

    @Override
    public void setAsciiStream(int index, InputStream value, long length) throws SQLException {
        target.setAsciiStream(index, value, length);
        bound(index, null);
    }

    @Override
    public void setAsciiStream(int index, InputStream value) throws SQLException {
        target.setAsciiStream(index, value);
        bound(index, null);
    }

    @Override
    @Deprecated
    public void setUnicodeStream(int index, InputStream value, int length) throws SQLException {
        target.setUnicodeStream(index, value, length);
        bound(index, null);
    }

    @Override
    public void setBinaryStream(int index, InputStream value, int length) throws SQLException {
        target.setBinaryStream(index, value, length);
        bound(index, null);
    }

    @Override
    public void setBinaryStream(int index, InputStream value, long length) throws SQLException {
        target.setBinaryStream(index, value, length);
        bound(index, null);
    }

    @Override
    public void setBinaryStream(int index, InputStream value) throws SQLException {
        target.setBinaryStream(index, value);
        bound(index, null);
    }

    @Override
    public void setCharacterStream(int index, Reader value, int length) throws SQLException {
        target.setCharacterStream(index, value, length);
        bound(index, null);
    }

    @Override
    public void setCharacterStream(int index, Reader value, long length) throws SQLException {
        target.setCharacterStream(index, value, length);
        bound(index, null);
    }

    @Override
    public void setCharacterStream(int index, Reader value) throws SQLException {
        target.setCharacterStream(index, value);
        bound(index, null);
    }

    @Override
    public void setNCharacterStream(int index, Reader value, long length) throws SQLException {
        target.setNCharacterStream(index, value, length);
        bound(index, null);
    }

    @Override
    public void setNCharacterStream(int index, Reader value) throws SQLException {
        target.setNCharacterStream(index, value);
        bound(index, null);
    }

    @Override
    public void setRef(int index, Ref value) throws SQLException {
        target.setRef(index, value);
        bound(index, null);
    }

    @Override
    public void setBlob(int index, Blob value) throws SQLException {
        target.setBlob(index, value);
        bound(index, null);
    }

    @Override
    public void setBlob(int index, InputStream value, long length) throws SQLException {
        target.setBlob(index, value, length);
        bound(index, null);
    }

    @Override
    public void setBlob(int index, InputStream value) throws SQLException {
        target.setBlob(index, value);
        bound(index, null);
    }

    @Override
    public void setClob(int index, Clob value) throws SQLException {
        target.setClob(index, value);
        bound(index, null);
    }

    @Override
    public void setClob(int index, Reader value, long length) throws SQLException {
        target.setClob(index, value, length);
        bound(index, null);
    }

    @Override
    public void setClob(int index, Reader value) throws SQLException {
        target.setClob(index, value);
        bound(index, null);
    }

    @Override
    public void setNClob(int index, NClob value) throws SQLException {
        target.setNClob(index, value);
        bound(index, null);
    }

    @Override
    public void setNClob(int index, Reader value, long length) throws SQLException {
        target.setNClob(index, value, length);
        bound(index, null);
    }

    @Override
    public void setNClob(int index, Reader value) throws SQLException {
        target.setNClob(index, value);
        bound(index, null);
    }

    @Override
    public void setArray(int index, Array value) throws SQLException {
        target.setArray(index, ThrottledArray.raw(value));
        bound(index, null);
    }

    @Override
    public void setURL(int index, URL value) throws SQLException {
        target.setURL(index, value);
        bound(index, null);
    }

    @Override
    public void setRowId(int index, RowId value) throws SQLException {
        target.setRowId(index, value);
        bound(index, null);
    }

    @Override
    public void setSQLXML(int index, SQLXML value) throws SQLException {
        target.setSQLXML(index, value);
        bound(index, null);
    }

    /** What is bound here, and so is not handed on as it is. */
    interface Setters {
        void setBytes(int index, byte[] value) throws SQLException;

        void setAsciiStream(int index, InputStream value, int length) throws SQLException;

        void setAsciiStream(int index, InputStream value, long length) throws SQLException;

        void setAsciiStream(int index, InputStream value) throws SQLException;

        void setUnicodeStream(int index, InputStream value, int length) throws SQLException;

        void setBinaryStream(int index, InputStream value, int length) throws SQLException;

        void setBinaryStream(int index, InputStream value, long length) throws SQLException;

        void setBinaryStream(int index, InputStream value) throws SQLException;

        void setCharacterStream(int index, Reader value, int length) throws SQLException;

        void setCharacterStream(int index, Reader value, long length) throws SQLException;

        void setCharacterStream(int index, Reader value) throws SQLException;

        void setNCharacterStream(int index, Reader value, long length) throws SQLException;

        void setNCharacterStream(int index, Reader value) throws SQLException;

        void setRef(int index, Ref value) throws SQLException;

        void setBlob(int index, Blob value) throws SQLException;

        void setBlob(int index, InputStream value, long length) throws SQLException;

        void setBlob(int index, InputStream value) throws SQLException;

        void setClob(int index, Clob value) throws SQLException;

        void setClob(int index, Reader value, long length) throws SQLException;

        void setClob(int index, Reader value) throws SQLException;

        void setNClob(int index, NClob value) throws SQLException;

        void setNClob(int index, Reader value, long length) throws SQLException;

        void setNClob(int index, Reader value) throws SQLException;

        void setArray(int index, Array value) throws SQLException;

        void setURL(int index, URL value) throws SQLException;

        void setRowId(int index, RowId value) throws SQLException;

        void setSQLXML(int index, SQLXML value) throws SQLException;
    }
}
