package com.jd.sword.sqlthrottle.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.jd.sword.sqlthrottle.Reason;
import com.jd.sword.sqlthrottle.SqlThrottledException;
import com.jd.sword.sqlthrottle.Throttle;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DelayTest {
    private static final String SELECT = "select name from users";
    private static final String ONE_A_SECOND = "token_bucket: {capacity: 1, rate: 1/s}";
    private static final String UNTIL_ALLOWED = "strategy: delay, delay: until_allowed, max_delay: 3s";

    private interface Ending {
        void end(Connection connection, Statement statement) throws Exception;
    }

    /** Time that stands still, so a wait ends by nothing but what is to end it. */
    private static final class Standing implements Wait.Time {
        final CountDownLatch isWaiting = new CountDownLatch(1);

        @Override
        public long nanos() {
            return 0;
        }

        @Override
        public void park(Object blocker, long nanos) {
            isWaiting.countDown();
            LockSupport.park(blocker);
        }
    }

    @Test
    void aDelayedStatementIsSentAfterItsWait() throws SQLException {
        try (Shop shop = Shop.limiting(ONE_A_SECOND, UNTIL_ALLOWED); Connection connection = shop.connect();
                Statement statement = connection.createStatement()) {
            statement.executeQuery(SELECT).close();
            Duration before = shop.clock.now();
            for (int i = 1; i <= 3; i++) {
                assertThat(statement.executeQuery(SELECT).next()).isTrue();
                assertThat(shop.clock.now().minus(before)).isEqualTo(Duration.ofSeconds(i));
            }
        }
    }

    @Test
    void aWaitThatIsTooLongEndsInAnAbort() throws SQLException {
        try (Shop shop = Shop.limiting("block: true", UNTIL_ALLOWED.replace("delay: until_allowed, max_delay: 3s", "delay: 1s"));
                Connection connection = shop.connect(); Statement statement = connection.createStatement()) {
            assertThat(statement.executeQuery(SELECT).next()).isTrue();
        }
        try (Shop shop = Shop.limiting("concurrency: {max: 1}", UNTIL_ALLOWED); Connection connection = shop.connect();
                Statement statement = connection.createStatement(); Statement second = connection.createStatement()) {
            statement.executeQuery(SELECT).next();
            assertThatThrownBy(() -> second.executeQuery(SELECT)).isInstanceOfSatisfying(SqlThrottledException.class,
                    e -> assertThat(e.getReason()).isEqualTo(Reason.MAX_DELAY));
            assertThat(shop.clock.now()).isEqualTo(Duration.ofSeconds(3));
            assertThat(shop.held()).isEqualTo(1);
        }
    }

    @Test
    void nothingIsLockedDuringAWait() throws SQLException {
        boolean[] waited = {false};
        try (Shop shop = Shop.with(Shop.rule("block: true", "strategy: delay, delay: 1s"), options -> {}); Connection raw = shop.connect()) {
            Wait.Time time = shop.new ManualTime();
            Wait.Time looking = new Wait.Time() {
                @Override
                public long nanos() {
                    return time.nanos();
                }

                @Override
                public void park(Object blocker, long nanos) {
                    waited[0] = true;
                    ThreadInfo self = ManagementFactory.getThreadMXBean()
                            .getThreadInfo(new long[] {Thread.currentThread().getId()}, true, true)[0];
                    assertThat(self.getLockedMonitors()).noneMatch(monitor -> monitor.getClassName().contains("sqlthrottle"));
                    assertThat(self.getLockedSynchronizers()).isEmpty();
                    time.park(blocker, nanos);
                }
            };
            ThrottledDataSource source = ThrottledDataSource.builder(shop.h2, shop.throttle).time(looking).build();
            try (Connection connection = source.getConnection(); Statement statement = connection.createStatement()) {
                statement.executeQuery(SELECT).close();
            }
        }
        assertThat(waited[0]).isTrue();
    }

    @Test
    void anInterruptEndsAWaitAndIsKept() throws Exception {
        Throwable thrown = endedBy((connection, statement) -> waiting.interrupt());
        // Not a transient one: to try again is what an interrupt is to end.
        assertThat(thrown).isExactlyInstanceOf(SQLNonTransientException.class).hasCauseExactlyInstanceOf(SqlThrottledException.class)
                .hasRootCauseInstanceOf(InterruptedException.class);
        assertThat(((SQLException) thrown).getSQLState()).isEqualTo("HY008");
        assertThat(wasInterrupted).isTrue();
    }

    @Test
    void aThreadThatIsInterruptedAlreadyDoesNotWait() throws SQLException {
        try (Shop shop = Shop.limiting("block: true", "strategy: delay, delay: 1s"); Connection connection = shop.connect();
                Statement statement = connection.createStatement()) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> statement.executeQuery(SELECT)).isInstanceOf(SQLNonTransientException.class);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(statement.executeQuery(SELECT).next()).isTrue();
        }
    }

    @Test
    void toCancelEndsAWait() throws Exception {
        assertEnded((connection, statement) -> statement.cancel(), "HY008");
    }

    @Test
    void toCloseTheStatementEndsAWait() throws Exception {
        assertEnded((connection, statement) -> statement.close(), "HY008");
    }

    @Test
    void toCloseTheConnectionEndsAWait() throws Exception {
        assertEnded((connection, statement) -> connection.close(), "08003");
    }

    @Test
    void toAbortTheConnectionEndsAWait() throws Exception {
        assertEnded((connection, statement) -> connection.abort(Runnable::run), "08003");
    }

    @Test
    void toCloseTheThrottleEndsAWait() throws Exception {
        assertEnded((connection, statement) -> connection.unwrap(Throttle.class).close(), "HY000");
    }

    @Test
    void theQueryTimeoutEndsAWait() throws SQLException {
        try (Shop shop = Shop.limiting("block: true", "strategy: delay, delay: 1m"); Connection connection = shop.connect();
                Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(2);
            assertThatThrownBy(() -> statement.executeQuery(SELECT)).isExactlyInstanceOf(SqlThrottledException.class)
                    .hasCauseInstanceOf(SQLTimeoutException.class);
            assertThat(shop.clock.now()).isEqualTo(Duration.ofSeconds(2));
            statement.setQueryTimeout(0);
            assertThat(statement.executeQuery(SELECT).next()).isTrue();
        }
    }

    private volatile Thread waiting;
    private volatile boolean wasInterrupted;

    private void assertEnded(Ending ending, String state) throws Exception {
        assertThat(endedBy(ending)).isInstanceOfSatisfying(SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(state))
                .hasCauseInstanceOf(SqlThrottledException.class);
        assertThat(wasInterrupted).isFalse();
    }

    /** What a statement throws whose wait is ended so. */
    private Throwable endedBy(Ending ending) throws Exception {
        Standing time = new Standing();
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try (Shop shop = Shop.with(Shop.rule("block: true", "strategy: delay, delay: 1h"), options -> options.time(time));
                Connection connection = shop.connect(); Statement statement = connection.createStatement()) {
            Future<Throwable> thrown = threads.submit(() -> {
                waiting = Thread.currentThread();
                Throwable caught = catchThrowable(() -> statement.executeQuery(SELECT));
                wasInterrupted = Thread.interrupted();
                return caught;
            });
            time.isWaiting.await();
            ending.end(connection, statement);
            Throwable caught = thrown.get(30, TimeUnit.SECONDS);
            assertThat(shop.throttle.isClosed() ? 0 : shop.held()).isZero();
            return caught;
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void toCancelInTheLastMomentIsHeard() throws SQLException {
        Statement[] waiting = {null};
        try (Shop shop = Shop.atMost(1)) {
            shop.throttle.reload(Shop.rule("concurrency: {max: 1}", "strategy: delay, delay: 1s"));
            Wait.Time late = new Wait.Time() {
                @Override
                public long nanos() {
                    if (shop.clock.now().compareTo(Duration.ofSeconds(1)) >= 0) {
                        assertThatCode(waiting[0]::cancel).doesNotThrowAnyException();
                    }
                    return shop.clock.now().toNanos();
                }

                @Override
                public void park(Object blocker, long nanos) {
                    shop.clock.advance(Duration.ofNanos(nanos));
                }
            };
            ThrottledDataSource source = ThrottledDataSource.builder(shop.h2, shop.throttle).time(late).build();
            try (Connection connection = source.getConnection(); Statement first = connection.createStatement();
                    Statement second = connection.createStatement()) {
                first.executeQuery(SELECT).next();
                waiting[0] = second;
                assertThatThrownBy(() -> second.executeQuery(SELECT)).isInstanceOfSatisfying(SQLException.class,
                        e -> assertThat(e.getSQLState()).isEqualTo("HY008"));
                assertThat(shop.held()).isEqualTo(1);
            }
        }
    }

    @Test
    void whatComesAfterAWaitEndsNothing() {
        Wait wait = new Wait(Wait.Time.SYSTEM, 0);
        assertThat(wait.await(0)).isEqualTo(Wait.End.ELAPSED);
        assertThat(wait.finish()).isEqualTo(Wait.End.ELAPSED);
        assertThat(wait.end(Wait.End.CANCELLED)).isFalse();
        Wait ended = new Wait(Wait.Time.SYSTEM, 0);
        assertThat(ended.end(Wait.End.CLOSED)).isTrue();
        assertThat(ended.end(Wait.End.CANCELLED)).isTrue();
        assertThat(ended.finish()).isEqualTo(Wait.End.CLOSED);
    }

    @Test
    void aClosedStatementDoesNotWait() throws SQLException {
        try (Shop shop = Shop.limiting("block: true", "strategy: delay, delay: 1s"); Connection connection = shop.connect()) {
            Statement statement = connection.createStatement();
            statement.close();
            assertThatThrownBy(() -> statement.executeQuery(SELECT)).isInstanceOf(SQLException.class);
            assertThat(shop.clock.now()).isZero();
        }
    }
}
