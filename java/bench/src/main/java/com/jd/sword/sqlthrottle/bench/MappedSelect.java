package com.jd.sword.sqlthrottle.bench;

import com.jd.sword.mybatis.plugin.protector.SQLBasedDatabaseProtectorPlugin;
import com.jd.sword.sqlthrottle.Throttle;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;

/** A select by primary key on H2 in memory, as a mapper sends it: a session, one statement, one object of its row, and all of it closed. */
@State(Scope.Benchmark)
public class MappedSelect {
    static final int THREADS = 8;
    /** Before anything is timed. By time alone a busy machine would not come to what the compiler makes of it in the end. */
    private static final int WARM_UP_CALLS = 200_000;

    private final Throttle throttle = Ours.throttle();
    private HikariDataSource pool;
    private SqlSessionFactory plain;
    private SqlSessionFactory plugin;

    @Setup
    public void fill(BenchmarkParams chosen) throws SQLException {
        pool = Accounts.filled(THREADS);
        plain = new SqlSessionFactoryBuilder().build(configuration());
        Configuration intercepted = configuration();
        intercepted.addInterceptor(new SQLBasedDatabaseProtectorPlugin(throttle));
        plugin = new SqlSessionFactoryBuilder().build(intercepted);
        // That alone: the compiler is to see what it will be asked for.
        warmUp(chosen.getBenchmark().endsWith(".plain") ? plain : plugin);
    }

    private static void warmUp(SqlSessionFactory factory) {
        Turn turn = new Turn();
        for (int i = 0; i < WARM_UP_CALLS; i++) {
            account(factory, turn);
        }
    }

    private Configuration configuration() {
        Configuration configuration = new Configuration(new Environment("bench", new JdbcTransactionFactory(), pool));
        configuration.addMapper(Mapper.class);
        return configuration;
    }

    @Benchmark
    public Account plain(ThreadTime time, Turn turn) {
        return account(plain, turn);
    }

    @Benchmark
    public Account plugin(ThreadTime time, Turn turn) {
        return account(plugin, turn);
    }

    private static Account account(SqlSessionFactory factory, Turn turn) {
        // It commits each statement by itself, as sessions of Spring do outside of transactions.
        try (SqlSession session = factory.openSession(true)) {
            return session.getMapper(Mapper.class).account(turn.next());
        }
    }

    @TearDown
    public void close() {
        pool.close();
        throttle.close();
    }

    /** Which row is next. */
    @State(Scope.Thread)
    public static class Turn {
        private int id;

        int next() {
            id = (id + 1) % Accounts.ROWS;
            return id;
        }
    }

    interface Mapper {
        @org.apache.ibatis.annotations.Select("select id, name, email from accounts where id = #{id}")
        Account account(int id);
    }

    /** A row, whose fields MyBatis writes. */
    public static class Account {
        int id;
        String name;
        String email;
    }
}
