package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.StatementContext;
import java.sql.SQLException;
import java.sql.ShardingKey;
import java.sql.ShardingKeyBuilder;
import javax.sql.ConnectionPoolDataSource;
import javax.sql.PooledConnection;
import javax.sql.PooledConnectionBuilder;

/** What JDBC 4.3 has added to sources of pooled connections, for Java 9 and later. */
abstract class Jdbc43ConnectionPoolDataSource implements ConnectionPoolDataSource {
    /** What is wrapped. */
    abstract ConnectionPoolDataSource target();

    abstract Gate gate();

    @Override
    public PooledConnectionBuilder createPooledConnectionBuilder() throws SQLException {
        return new Builder(gate(), target().createPooledConnectionBuilder());
    }

    @Override
    public ShardingKeyBuilder createShardingKeyBuilder() throws SQLException {
        return target().createShardingKeyBuilder();
    }

    private static final class Builder implements PooledConnectionBuilder {
        private final Gate gate;
        private PooledConnectionBuilder target;
        private StatementContext defaults;

        Builder(Gate gate, PooledConnectionBuilder target) {
            this.gate = gate;
            this.target = target;
        }

        @Override
        public PooledConnectionBuilder user(String name) {
            target = target.user(name);
            defaults = StatementContext.of(name, null);
            return this;
        }

        @Override
        public PooledConnectionBuilder password(String password) {
            target = target.password(password);
            return this;
        }

        @Override
        public PooledConnectionBuilder shardingKey(ShardingKey key) {
            target = target.shardingKey(key);
            return this;
        }

        @Override
        public PooledConnectionBuilder superShardingKey(ShardingKey key) {
            target = target.superShardingKey(key);
            return this;
        }

        @Override
        public PooledConnection build() throws SQLException {
            return ThrottledPooledConnection.of(gate, target.build(), defaults);
        }
    }
}
