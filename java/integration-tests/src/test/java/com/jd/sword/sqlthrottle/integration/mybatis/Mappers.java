package com.jd.sword.sqlthrottle.integration.mybatis;

import static org.assertj.core.api.Assertions.assertThat;

import com.jd.sword.mybatis.plugin.protector.SQLBasedDatabaseProtectorPlugin;
import com.jd.sword.mybatis.plugin.protector.TestTime;
import com.jd.sword.mybatis.plugin.protector.strategy.ProtectedExecution;
import com.jd.sword.sqlthrottle.integration.Shop;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.TransactionFactory;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;

/** MyBatis before a shop, with the plugin in it. Closed, it sees that all connections are given back. */
class Mappers implements AutoCloseable {
    final Shop shop;
    final Connections connections;
    final SQLBasedDatabaseProtectorPlugin plugin;
    final SqlSessionFactory factory;
    final ExecutorType type;

    /**
     * @param source what sessions take their connections from
     * @param configuration an empty one
     * @param interceptors adds the plugin, and others
     */
    Mappers(Shop shop, ExecutorType type, DataSource source, Configuration configuration, Interceptors interceptors) {
        this.shop = shop;
        this.type = type;
        this.connections = new Connections(source);
        this.plugin = TestTime.of(shop.clock, SQLBasedDatabaseProtectorPlugin.builder().throttle(shop.throttle)
                .strategy("later", ProtectedExecution::proceed)).build();
        configuration.setEnvironment(new Environment("shop", transactions(), connections));
        interceptors.add(configuration, plugin);
        configuration.addMapper(Users.class);
        configuration.addMapper(CachedUsers.class);
        this.factory = factory(configuration);
    }

    /** With the plugin alone, over the driver's own source. */
    Mappers(Shop shop, ExecutorType type) {
        this(shop, type, shop.raw, new Configuration(), (configuration, plugin) -> configuration.addInterceptor(plugin));
    }

    TransactionFactory transactions() {
        return new JdbcTransactionFactory();
    }

    SqlSessionFactory factory(Configuration configuration) {
        return new SqlSessionFactoryBuilder().build(configuration);
    }

    /** In a session of its own, in which each statement is a transaction. */
    <T> T call(Work<T> work) throws Exception {
        try (SqlSession session = factory.openSession(type, true)) {
            T result = work.in(session);
            session.commit();
            return result;
        }
    }

    /** In a session that is one transaction: committed, or where the work fails rolled back. */
    void inTransaction(Consumer<SqlSession> work) {
        try (SqlSession session = factory.openSession(type, false)) {
            work.accept(session);
            session.commit();
        }
    }

    @Override
    public void close() throws Exception {
        assertThat(connections.open()).as("connections open at the end").isZero();
        plugin.close();
    }

    static Users users(SqlSession session) {
        return session.getMapper(Users.class);
    }

    /** What is done in a session. */
    interface Work<T> {
        T in(SqlSession session) throws Exception;
    }

    /** In which order the interceptors are. */
    interface Interceptors {
        void add(Configuration configuration, SQLBasedDatabaseProtectorPlugin plugin);
    }
}
