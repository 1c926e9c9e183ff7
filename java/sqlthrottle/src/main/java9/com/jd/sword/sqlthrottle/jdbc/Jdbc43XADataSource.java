package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.StatementContext;
import java.sql.SQLException;
import java.sql.ShardingKey;
import java.sql.ShardingKeyBuilder;
import javax.sql.XAConnection;
import javax.sql.XAConnectionBuilder;
import javax.sql.XADataSource;

/** What JDBC 4.3 has added to sources of XA connections, for Java 9 and later. */
abstract class Jdbc43XADataSource implements XADataSource {
    /** What is wrapped. */
    abstract XADataSource target();

    abstract Gate gate();

    @Override
    public XAConnectionBuilder createXAConnectionBuilder() throws SQLException {
        return new Builder(gate(), target().createXAConnectionBuilder());
    }

    @Override
    public ShardingKeyBuilder createShardingKeyBuilder() throws SQLException {
        return target().createShardingKeyBuilder();
    }

    private static final class Builder implements XAConnectionBuilder {
        private final Gate gate;
        private XAConnectionBuilder target;
        private StatementContext defaults;

        Builder(Gate gate, XAConnectionBuilder target) {
            this.gate = gate;
            this.target = target;
        }

        @Override
        public XAConnectionBuilder user(String name) {
            target = target.user(name);
            defaults = StatementContext.of(name, null);
            return this;
        }

        @Override
        public XAConnectionBuilder password(String password) {
            target = target.password(password);
            return this;
        }

        @Override
        public XAConnectionBuilder shardingKey(ShardingKey key) {
            target = target.shardingKey(key);
            return this;
        }

        @Override
        public XAConnectionBuilder superShardingKey(ShardingKey key) {
            target = target.superShardingKey(key);
            return this;
        }

        @Override
        public XAConnection build() throws SQLException {
            return ThrottledXAConnection.of(gate, target.build(), defaults);
        }
    }
}
