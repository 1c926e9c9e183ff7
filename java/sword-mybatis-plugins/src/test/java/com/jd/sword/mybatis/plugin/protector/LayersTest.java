package com.jd.sword.mybatis.plugin.protector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jd.sword.sqlthrottle.Throttle;
import com.jd.sword.sqlthrottle.jdbc.Decided;
import java.util.ArrayList;
import java.util.List;
import org.apache.ibatis.cursor.Cursor;
import org.apache.ibatis.executor.Executor;
import org.apache.ibatis.executor.statement.StatementHandler;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.plugin.Interceptor;
import org.apache.ibatis.plugin.Intercepts;
import org.apache.ibatis.plugin.Invocation;
import org.apache.ibatis.plugin.Plugin;
import org.apache.ibatis.plugin.Signature;
import org.apache.ibatis.reflection.SystemMetaObject;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.ResultHandler;
import org.apache.ibatis.session.RowBounds;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** However many layers a statement passes, it is counted once. */
class LayersTest {
    private static void sendAll(SqlSession session) throws Exception {
        Users users = session.getMapper(Users.class);
        users.eager(2);
        users.lazy(1).getOrders();
        users.insertKeyBefore(User.named("new"));
        users.see(1);
        users.see(2);
        users.name(1);
        try (Cursor<String> cursor = users.cursor()) {
            assertThat(cursor).isNotEmpty();
        }
    }

    /** What {@link #sendAll} comes to: with the select of a key, and two of orders, which the session remembers. */
    private static final int SENT = 10;

    @ParameterizedTest
    @EnumSource(ExecutorType.class)
    void overAWrappedSourceThePluginCountsAlone(ExecutorType type) throws Exception {
        try (Shop shop = Shop.counting()) {
            SqlSessionFactory factory = shop.factory(shop.throttle.wrap(shop.source), options -> options.addInterceptor(shop.plugin));
            for (int way = 0; way < 4; way++) {
                int before = shop.decided("allow");
                SqlSession session = factory.openSession(type);
                sendAll(session);
                session.getMapper(Users.class).see(3);
                if (way == 0) {
                    session.commit();
                } else if (way == 1) {
                    session.flushStatements();
                } else if (way == 2) {
                    session.getMapper(Users.class).name(5);
                }
                session.rollback();
                session.close();
                assertThat(shop.decided("allow") - before).isEqualTo(SENT + 1 + (way == 2 ? 1 : 0));
                shop.execute("delete from users where id > " + Shop.USERS);
            }
            assertThat(shop.held()).isZero();
        }
    }

    @Test
    void theSourceStillCountsWhatIsNoneOfTheMappers() throws Exception {
        try (Shop shop = Shop.counting()) {
            SqlSessionFactory factory = shop.factory(shop.throttle.wrap(shop.source), options -> options.addInterceptor(shop.plugin));
            try (SqlSession session = factory.openSession()) {
                session.getMapper(Users.class).names();
                session.getConnection().createStatement().executeQuery("select name from users").close();
            }
            assertThat(shop.decided("allow")).isEqualTo(2);
        }
    }

    @Test
    void whatIsDecidedElsewhereIsNotCountedHere() throws Exception {
        try (Shop shop = Shop.aborting(); SqlSession session = shop.session()) {
            Decided.call(shop.throttle, () -> {
                sendAll(session);
                return null;
            });
            assertThat(shop.decided("abort")).isZero();
            assertThatThrownBy(() -> sendAll(session)).satisfies(ExecutionTest::isAborted);
        }
    }

    @Test
    void aPluginThatIsThereTwiceCountsOnce() throws Exception {
        try (Shop shop = Shop.counting()) {
            SqlSessionFactory factory = shop.factory(shop.source, options -> {
                options.addInterceptor(shop.plugin);
                options.addInterceptor(new Passing());
                options.addInterceptor(shop.plugin);
            });
            try (SqlSession session = factory.openSession()) {
                sendAll(session);
            }
            assertThat(shop.decided("allow")).isEqualTo(SENT);
        }
    }

    @Test
    void soDoTwoPluginsOfOneThrottle() throws Exception {
        try (Shop shop = Shop.with(Shop.rule("concurrency: {max: 1000}", "strategy: abort"));
                SQLBasedDatabaseProtectorPlugin second = new SQLBasedDatabaseProtectorPlugin(shop.throttle)) {
            shop.factory().getConfiguration().addInterceptor(second);
            try (SqlSession session = shop.session()) {
                sendAll(session);
            }
            assertThat(shop.decided("allow")).isEqualTo(SENT);
        }
    }

    @Test
    void twoThrottlesCountEach() throws Exception {
        String rules = "rules: [{name: other, limit: {concurrency: {max: 1000}}}]";
        try (Shop shop = Shop.counting(); Throttle other = Throttle.of(rules)) {
            shop.factory().getConfiguration().addInterceptor(new SQLBasedDatabaseProtectorPlugin(other));
            try (SqlSession session = shop.session()) {
                sendAll(session);
            }
            assertThat(shop.decided("allow")).isEqualTo(SENT);
            assertThat(other.metrics()).contains("sql_throttle_decisions_total{rule=\"other\",verdict=\"allow\"} " + SENT);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void otherInterceptorsChangeNothing(boolean before) throws Exception {
        try (Shop shop = Shop.with(Shop.rule("fixed_window: {max: 11, window: 1m}", "strategy: ignore"))) {
            Passing passing = new Passing();
            SqlSessionFactory factory = shop.factory(shop.source, options -> {
                if (before) {
                    options.addInterceptor(passing);
                }
                options.addInterceptor(shop.plugin);
                if (!before) {
                    options.addInterceptor(passing);
                }
            });
            try (SqlSession session = factory.openSession()) {
                sendAll(session);
                assertThat(shop.decided("allow")).isEqualTo(SENT);
                Users users = session.getMapper(Users.class);
                assertThat(users.see(5)).isEqualTo(1);
                assertThat(users.see(5)).isZero();
                assertThat(users.names()).isEmpty();
                assertThat(users.cursor()).isEmpty();
                shop.throttle.reload(Shop.rule("block: true", "strategy: abort"));
                assertThatThrownBy(users::names).satisfies(ExecutionTest::isAborted);
            }
            assertThat(passing.seen).contains("query", "update");
        }
    }

    @Test
    void whoLooksBehindProxiesFindsTheTarget() throws Exception {
        try (Shop shop = Shop.counting()) {
            StatementHandler[] found = new StatementHandler[1];
            SqlSessionFactory factory = shop.factory(shop.source, options -> {
                options.addInterceptor(shop.plugin);
                options.addInterceptor(new Interceptor() {
                    @Override
                    public Object intercept(Invocation invocation) throws Throwable {
                        return invocation.proceed();
                    }

                    @Override
                    public Object plugin(Object target) {
                        if (target instanceof StatementHandler) {
                            found[0] = (StatementHandler) target;
                        }
                        return target;
                    }
                });
            });
            try (SqlSession session = factory.openSession()) {
                session.getMapper(Users.class).eager(1);
            }
            Object handler = java.lang.reflect.Proxy.getInvocationHandler(found[0]);
            assertThat(SystemMetaObject.forObject(handler).getValue("target.delegate.mappedStatement"))
                    .isInstanceOfSatisfying(MappedStatement.class, statement -> assertThat(statement.getId()).endsWith(".orders"));
        }
    }

    /** Looks on, as one that logs slow statements does. */
    @Intercepts({
        @Signature(type = Executor.class, method = "query",
                args = {MappedStatement.class, Object.class, RowBounds.class, ResultHandler.class}),
        @Signature(type = Executor.class, method = "update", args = {MappedStatement.class, Object.class}),
        @Signature(type = StatementHandler.class, method = "query", args = {java.sql.Statement.class, ResultHandler.class}),
        @Signature(type = StatementHandler.class, method = "update", args = java.sql.Statement.class)
    })
    static final class Passing implements Interceptor {
        final List<String> seen = new ArrayList<>();

        @Override
        public Object intercept(Invocation invocation) throws Throwable {
            seen.add(invocation.getMethod().getName());
            return invocation.proceed();
        }

        // The oldest MyBatis has no default of it.
        @Override
        public Object plugin(Object target) {
            return Plugin.wrap(target, this);
        }
    }
}
