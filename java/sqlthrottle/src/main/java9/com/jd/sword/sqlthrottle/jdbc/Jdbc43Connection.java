package com.jd.sword.sqlthrottle.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.ShardingKey;

/** What JDBC 4.3 has added to connections, for Java 9 and later. */
abstract class Jdbc43Connection implements Connection {
    /** The driver's. */
    abstract Connection target();

    @Override
    public void beginRequest() throws SQLException {
        target().beginRequest();
    }

    @Override
    public void endRequest() throws SQLException {
        target().endRequest();
    }

    @Override
    public boolean setShardingKeyIfValid(ShardingKey key, ShardingKey superKey, int timeout) throws SQLException {
        return target().setShardingKeyIfValid(key, superKey, timeout);
    }

    @Override
    public boolean setShardingKeyIfValid(ShardingKey key, int timeout) throws SQLException {
        return target().setShardingKeyIfValid(key, timeout);
    }

    @Override
    public void setShardingKey(ShardingKey key, ShardingKey superKey) throws SQLException {
        target().setShardingKey(key, superKey);
    }

    @Override
    public void setShardingKey(ShardingKey key) throws SQLException {
        target().setShardingKey(key);
    }
}
