package com.jd.sword.mybatis.plugin.protector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jd.sword.mybatis.plugin.protector.exception.ProtectionAbortException;
import com.jd.sword.sqlthrottle.SqlThrottledException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.ibatis.cache.CacheKey;
import org.apache.ibatis.cursor.Cursor;
import org.apache.ibatis.executor.Executor;
import org.apache.ibatis.executor.SimpleExecutor;
import org.apache.ibatis.mapping.BoundSql;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.RowBounds;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.transaction.Transaction;
import org.apache.ibatis.transaction.jdbc.JdbcTransaction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever reaches the database is counted, once. */
class ExecutionTest {
    @ParameterizedTest
    @EnumSource(ExecutorType.class)
    void whatIsSentIsCountedOnce(ExecutorType type) throws Exception {
        try (Shop shop = Shop.counting(); SqlSession session = shop.session(type)) {
            Users users = session.getMapper(Users.class);
            assertThat(users.names()).hasSize(Shop.USERS);
            assertThat(shop.decided("allow")).isEqualTo(1);
            users.see(1);
            assertThat(shop.decided("allow")).isEqualTo(2);
            session.clearCache();
            assertThat(users.names()).hasSize(Shop.USERS);
            users.see(1);
            users.see(2);
            assertThat(shop.decided("allow")).isEqualTo(5);
            try (Cursor<String> cursor = users.cursor()) {
                assertThat(cursor).hasSize(Shop.USERS);
            }
            assertThat(shop.decided("allow")).isEqualTo(6);
            session.commit();
            assertThat(shop.decided("allow")).isEqualTo(6);
            assertThat(shop.seen()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @EnumSource(ExecutorType.class)
    void whatIsAbortedIsNotSent(ExecutorType type) throws Exception {
        try (Shop shop = Shop.aborting(); SqlSession session = shop.session(type)) {
            Users users = session.getMapper(Users.class);
            List<Runnable> calls = Arrays.asList(users::names, users::cursor, () -> users.see(1), users::seeAll, () -> users.name(1));
            for (Runnable call : calls) {
                assertThatThrownBy(call::run).satisfies(e -> {
                    ProtectionAbortException abort = ProtectionAbortException.in(e).get();
                    assertThat(abort.getRule()).isEqualTo("users");
                    assertThat(abort).hasCauseInstanceOf(SqlThrottledException.class);
                    assertThat(abort.getMessage()).doesNotContain("select").doesNotContain("update");
                });
            }
            session.commit(true);
            assertThat(shop.seen()).isZero();
            assertThat(shop.decided("abort")).isEqualTo(calls.size());
        }
    }

    @Test
    void aQueryThatAnotherInterceptorHasPreparedIsCountedOnce() throws Exception {
        try (Shop shop = Shop.counting()) {
            Configuration configuration = shop.factory().getConfiguration();
            Transaction transaction = new JdbcTransaction(shop.source, null, false);
            Executor executor = configuration.newExecutor(transaction, ExecutorType.SIMPLE);
            MappedStatement statement = configuration.getMappedStatement(Users.class.getName() + ".name");
            BoundSql sql = statement.getBoundSql(1);
            CacheKey key = executor.createCacheKey(statement, 1, RowBounds.DEFAULT, sql);
            assertThat(executor.<Object>query(statement, 1, RowBounds.DEFAULT, null, key, sql)).containsExactly("user 1");
            assertThat(executor.isCached(statement, key)).isTrue();
            executor.close(false);
            assertThat(shop.decided("allow")).isEqualTo(1);
        }
    }

    @Test
    void anExecutorThatKnowsNothingOfThePluginIsCountedByItsHandlers() throws Exception {
        try (Shop shop = Shop.counting()) {
            Configuration configuration = shop.factory().getConfiguration();
            Executor executor = new SimpleExecutor(configuration, new JdbcTransaction(shop.source, null, false));
            MappedStatement statement = configuration.getMappedStatement(Users.class.getName() + ".names");
            executor.query(statement, null, RowBounds.DEFAULT, null);
            executor.update(configuration.getMappedStatement(Users.class.getName() + ".seeAll"), null);
            try (Cursor<Object> cursor = executor.queryCursor(statement, null, RowBounds.DEFAULT)) {
                assertThat(shop.held()).isEqualTo(1);
            }
            executor.close(true);
            assertThat(shop.decided("allow")).isEqualTo(3);
        }
    }

    @Test
    void nestedSelectsAreCountedEach() throws Exception {
        try (Shop shop = Shop.counting(); SqlSession session = shop.session()) {
            assertThat(session.getMapper(Users.class).eager(3)).extracting(User::getOrders)
                    .containsExactly(Arrays.asList("tea", "cup"), Arrays.asList("pot"), new ArrayList<>());
            assertThat(shop.decided("allow")).isEqualTo(4);
            assertThat(shop.held()).isZero();
        }
    }

    @Test
    void nestedSelectsOfACursorAreCountedEach() throws Exception {
        try (Shop shop = Shop.counting(); SqlSession session = shop.session(); Cursor<User> cursor = session.getMapper(Users.class).eagerCursor()) {
            assertThat(cursor).hasSize(Shop.USERS);
            assertThat(shop.decided("allow")).isEqualTo(1 + Shop.USERS);
        }
    }

    @Test
    void aNestedSelectThatIsAbortedAbortsTheWhole() throws Exception {
        try (Shop shop = Shop.with(ordersOnly("strategy: abort")); SqlSession session = shop.session()) {
            Users users = session.getMapper(Users.class);
            assertThatThrownBy(() -> users.eager(3)).satisfies(ExecutionTest::isAborted);
            assertThat(users.names()).hasSize(Shop.USERS);
        }
    }

    @Test
    void aNestedSelectIsNeverIgnored() throws Exception {
        try (Shop shop = Shop.with(ordersOnly("strategy: ignore")); SqlSession session = shop.session()) {
            Users users = session.getMapper(Users.class);
            assertThatThrownBy(() -> users.eager(3)).satisfies(e -> assertThat(ProtectionAbortException.in(e).get().getReason())
                    .hasToString("ignore_unavailable"));
            assertThat(users.orders(1)).isEmpty();
            shop.throttle.reload("{}");
            assertThat(users.eager(1).get(0).getOrders()).containsExactly("tea", "cup");
        }
    }

    @Test
    void aLazySelectIsCountedWhenItIsLoaded() throws Exception {
        try (Shop shop = Shop.counting(); SqlSession session = shop.session()) {
            User user = session.getMapper(Users.class).lazy(1);
            assertThat(shop.decided("allow")).isEqualTo(1);
            assertThat(user.getOrders()).hasSize(2);
            assertThat(shop.decided("allow")).isEqualTo(2);
            user.getOrders();
            assertThat(shop.decided("allow")).isEqualTo(2);
        }
    }

    @Test
    void nestedSelectsOfALazyOneAreCountedEach() throws Exception {
        try (Shop shop = Shop.counting(); SqlSession session = shop.session()) {
            User user = session.getMapper(Users.class).lazyOfEager(2);
            assertThat(shop.decided("allow")).isEqualTo(1);
            assertThat(user.getPeers()).hasSize(2);
            assertThat(shop.decided("allow")).isEqualTo(4);
        }
    }

    @Test
    void soIsOneOfAnotherThread() throws Exception {
        try (Shop shop = Shop.counting(); SqlSession session = shop.session()) {
            User user = session.getMapper(Users.class).lazy(1);
            assertThat(Background.start(user::getOrders).get()).hasSize(2);
            assertThat(shop.decided("allow")).isEqualTo(2);
        }
    }

    @Test
    void soIsOneOfASessionThatIsClosed() throws Exception {
        try (Shop shop = Shop.counting()) {
            User user;
            try (SqlSession session = shop.session()) {
                user = session.getMapper(Users.class).lazy(1);
            }
            assertThat(user.getOrders()).hasSize(2);
            assertThat(shop.decided("allow")).isEqualTo(2);
        }
    }

    @Test
    void aLazySelectThatIsAbortedTellsItsGetter() throws Exception {
        try (Shop shop = Shop.with(ordersOnly("strategy: abort")); SqlSession session = shop.session()) {
            User user = session.getMapper(Users.class).lazy(1);
            assertThatThrownBy(user::getOrders).isInstanceOf(ProtectionAbortException.class);
            shop.throttle.reload("{}");
            assertThat(session.getMapper(Users.class).orders(1)).hasSize(2);
        }
    }

    @Test
    void aKeyThatIsSelectedIsCountedBesideItsInsert() throws Exception {
        try (Shop shop = Shop.counting(); SqlSession session = shop.session()) {
            Users users = session.getMapper(Users.class);
            User before = User.named("new");
            assertThat(users.insertKeyBefore(before)).isEqualTo(1);
            assertThat(before.getId()).isEqualTo(6);
            assertThat(shop.decided("allow")).isEqualTo(2);
            User after = User.named("jug");
            assertThat(users.insertKeyAfter(after)).isEqualTo(1);
            assertThat(after.getId()).isEqualTo(4);
            assertThat(shop.decided("allow")).isEqualTo(4);
        }
    }

    @Test
    void aKeyThatIsSelectedIsNeverIgnored() throws Exception {
        String keys = "rules: [{name: users, match: {pattern: 'select max'}, limit: {block: true}, then: {strategy: ignore}}]";
        try (Shop shop = Shop.with(keys); SqlSession session = shop.session()) {
            Users users = session.getMapper(Users.class);
            assertThatThrownBy(() -> users.insertKeyBefore(User.named("new"))).satisfies(ExecutionTest::isAborted);
            assertThatThrownBy(() -> users.insertKeyAfter(User.named("jug"))).satisfies(ExecutionTest::isAborted);
            session.rollback();
            assertThat(shop.count("users")).isEqualTo(Shop.USERS);
            assertThat(shop.held()).isZero();
        }
    }

    @Test
    void aFailureOfTheDatabaseIsLeftAsItIs() throws Exception {
        try (Shop shop = Shop.counting(); SqlSession session = shop.session()) {
            Users users = session.getMapper(Users.class);
            assertThatThrownBy(users::broken).hasMessageContaining("NOWHERE").satisfies(e ->
                    assertThat(ProtectionAbortException.in(e)).isEmpty());
            assertThat(shop.held()).isZero();
            assertThat(users.names()).hasSize(Shop.USERS);
        }
    }

    @Test
    void aThrottleThatIsClosedLetsNothingPass() throws Exception {
        try (Shop shop = Shop.counting(); SqlSession session = shop.session()) {
            shop.throttle.close();
            assertThatThrownBy(() -> session.getMapper(Users.class).names()).rootCause().hasMessage("the throttle is closed");
        }
    }

    static void isAborted(Throwable e) {
        assertThat(ProtectionAbortException.in(e)).isPresent();
        // As mybatis-spring looks for it.
        assertThat(e.getCause()).isInstanceOf(ProtectionAbortException.class);
        assertThat(e.getCause().getCause()).isInstanceOf(SqlThrottledException.class);
    }

    private static String ordersOnly(String then) {
        return "rules: [{name: users, match: {tables: [orders]}, limit: {block: true}, then: {" + then + "}}]";
    }
}
