package com.jd.sword.mybatis.plugin.protector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jd.sword.mybatis.plugin.protector.exception.ProtectionAbortException;
import com.jd.sword.sqlthrottle.Dialect;
import com.jd.sword.sqlthrottle.SqlThrottledException;
import java.sql.SQLNonTransientException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import javax.sql.DataSource;
import org.apache.ibatis.exceptions.PersistenceException;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.TransactionIsolationLevel;
import org.apache.ibatis.transaction.Transaction;
import org.apache.ibatis.transaction.jdbc.JdbcTransaction;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class DelayTest {
    private static final String ONE_A_SECOND = Shop.rule("token_bucket: {capacity: 1, rate: 1/s}",
            "strategy: delay, delay: until_allowed, max_delay: 3s");
    private static final String AN_HOUR = Shop.rule("block: true", "strategy: delay, delay: 1h");

    /** The same database, by a plugin that waits by the machine's time. */
    private static SqlSessionFactory waiting(Shop shop) {
        SQLBasedDatabaseProtectorPlugin plugin =
                SQLBasedDatabaseProtectorPlugin.builder().throttle(shop.throttle).dialect(Dialect.GENERIC).build();
        return shop.factory(shop.source, configuration -> configuration.addInterceptor(plugin));
    }

    @ParameterizedTest
    @EnumSource(ExecutorType.class)
    void aDelayedStatementIsSentAfterItsWait(ExecutorType type) throws Exception {
        try (Shop shop = Shop.with(ONE_A_SECOND); SqlSession session = shop.session(type)) {
            Users users = session.getMapper(Users.class);
            for (int i = 0; i < 3; i++) {
                session.clearCache();
                assertThat(users.names()).hasSize(Shop.USERS);
                assertThat(shop.clock.now()).isEqualTo(Duration.ofSeconds(i));
            }
            users.see(1);
            assertThat(shop.clock.now()).isEqualTo(Duration.ofSeconds(3));
            session.commit();
            assertThat(shop.seen()).isEqualTo(1);
        }
    }

    @Test
    void nestedSelectsWaitToo() throws Exception {
        try (Shop shop = Shop.with(ONE_A_SECOND); SqlSession session = shop.session()) {
            assertThat(session.getMapper(Users.class).eager(2)).hasSize(2);
            assertThat(shop.clock.now()).isEqualTo(Duration.ofSeconds(2));
        }
    }

    @Test
    void itTakesNoConnectionWhileItWaits() throws Exception {
        try (Shop shop = Shop.with(AN_HOUR)) {
            SqlSessionFactory factory = waiting(shop);
            Background<?> waiting = Background.start(() -> {
                try (SqlSession session = factory.openSession()) {
                    return session.getMapper(Users.class).names();
                }
            }).awaitDelayed();
            assertThat(shop.taken).hasValue(0);
            waiting.interrupt();
            waiting.failure();
            assertThat(shop.taken).hasValue(0);
        }
    }

    @Test
    void toCloseTheThrottleEndsTheWait() throws Exception {
        try (Shop shop = Shop.with(AN_HOUR)) {
            SqlSessionFactory factory = waiting(shop);
            Background<?> waiting = Background.start(() -> {
                try (SqlSession session = factory.openSession()) {
                    return session.getMapper(Users.class).names();
                }
            }).awaitDelayed();
            shop.throttle.close();
            assertThat(waiting.failure().getCause()).isInstanceOf(SQLNonTransientException.class)
                    .hasMessageContaining("the throttle was closed");
        }
    }

    @Test
    void anInterruptEndsTheWaitAndStays() throws Exception {
        try (Shop shop = Shop.with(AN_HOUR)) {
            SqlSessionFactory factory = waiting(shop);
            Background<?> waiting = Background.start(() -> {
                try (SqlSession session = factory.openSession()) {
                    return session.getMapper(Users.class).see(1);
                }
            }).awaitDelayed();
            waiting.interrupt();
            Throwable failure = waiting.failure();
            assertThat(failure).isInstanceOf(PersistenceException.class);
            assertThat(failure.getCause()).isInstanceOfSatisfying(SQLNonTransientException.class,
                    e -> assertThat(e.getSQLState()).isEqualTo("HY008"));
            assertThat(waiting.wasInterrupted()).isTrue();
            assertThat(shop.seen()).isZero();
            assertThat(shop.throttle.snapshot()).containsPattern("\"waiting\": ?0");
        }
    }

    @Test
    void theTimeoutOfTheStatementEndsTheWait() throws Exception {
        try (Shop shop = Shop.with(AN_HOUR); SqlSession session = shop.session()) {
            assertThatThrownBy(() -> session.getMapper(Users.class).timed()).satisfies(DelayTest::isTimedOut);
            assertThat(shop.clock.now()).isEqualTo(Duration.ofSeconds(7));
        }
    }

    @Test
    void soDoesThatOfTheConfiguration() throws Exception {
        try (Shop shop = Shop.with(AN_HOUR, options -> options.setDefaultStatementTimeout(9)); SqlSession session = shop.session()) {
            assertThatThrownBy(() -> session.getMapper(Users.class).names()).satisfies(DelayTest::isTimedOut);
            assertThat(shop.clock.now()).isEqualTo(Duration.ofSeconds(9));
        }
    }

    @Test
    void aWaitThatIsTooLongEndsInAnAbort() throws Exception {
        String rules = Shop.rule("concurrency: {max: 1}", "strategy: delay, delay: until_allowed, max_delay: 3s");
        try (Shop shop = Shop.with(rules); SqlSession session = shop.session(); SqlSession other = shop.session()) {
            session.getMapper(Users.class).cursor();
            assertThatThrownBy(() -> other.getMapper(Users.class).name(1)).satisfies(ExecutionTest::isAborted);
            assertThat(shop.clock.now()).isEqualTo(Duration.ofSeconds(3));
        }
    }

    private static void isTimedOut(Throwable e) {
        assertThat(ProtectionAbortException.in(e)).isPresent();
        assertThat(e).rootCause().isInstanceOf(SQLTimeoutException.class);
        assertThat(ProtectionAbortException.in(e).get()).hasCauseInstanceOf(SqlThrottledException.class);
    }

    @Test
    void aTimeoutThatCannotBeAskedLeavesItsPlaceToAnother() throws Exception {
        try (Shop shop = Shop.with(AN_HOUR)) {
            SqlSessionFactory factory = shop.factory(shop.source, configuration -> {
                configuration.addInterceptor(shop.plugin);
                Environment before = configuration.getEnvironment();
                // As Spring's does whose transaction is overdue.
                configuration.setEnvironment(new Environment("overdue", new JdbcTransactionFactory() {
                    @Override
                    public Transaction newTransaction(DataSource source, TransactionIsolationLevel level, boolean isAutoCommit) {
                        return new JdbcTransaction(source, level, isAutoCommit) {
                            @Override
                            public Integer getTimeout() {
                                throw new IllegalStateException("overdue");
                            }
                        };
                    }
                }, before.getDataSource()));
            });
            try (SqlSession session = factory.openSession()) {
                assertThatThrownBy(() -> session.getMapper(Users.class).names()).rootCause().hasMessage("overdue");
            }
            assertThat(shop.throttle.snapshot()).containsPattern("\"waiting\": ?0");
        }
    }
}
