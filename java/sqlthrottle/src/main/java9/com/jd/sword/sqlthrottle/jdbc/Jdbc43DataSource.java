package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.StatementContext;
import java.sql.Connection;
import java.sql.ConnectionBuilder;
import java.sql.SQLException;
import java.sql.ShardingKey;
import java.sql.ShardingKeyBuilder;
import javax.sql.DataSource;

/** What JDBC 4.3 has added to data sources, for Java 9 and later. */
abstract class Jdbc43DataSource implements DataSource {
    /** What is wrapped. */
    abstract DataSource target();

    abstract Gate gate();

    @Override
    public ConnectionBuilder createConnectionBuilder() throws SQLException {
        return new Builder(gate(), target().createConnectionBuilder());
    }

    @Override
    public ShardingKeyBuilder createShardingKeyBuilder() throws SQLException {
        return target().createShardingKeyBuilder();
    }

    private static final class Builder implements ConnectionBuilder {
        private final Gate gate;
        private ConnectionBuilder target;
        private StatementContext defaults;

        Builder(Gate gate, ConnectionBuilder target) {
            this.gate = gate;
            this.target = target;
        }

        @Override
        public ConnectionBuilder user(String name) {
            target = target.user(name);
            defaults = StatementContext.of(name, null);
            return this;
        }

        @Override
        public ConnectionBuilder password(String password) {
            target = target.password(password);
            return this;
        }

        @Override
        public ConnectionBuilder shardingKey(ShardingKey key) {
            target = target.shardingKey(key);
            return this;
        }

        @Override
        public ConnectionBuilder superShardingKey(ShardingKey key) {
            target = target.superShardingKey(key);
            return this;
        }

        @Override
        public Connection build() throws SQLException {
            return gate.wrap(target.build(), defaults);
        }
    }
}
