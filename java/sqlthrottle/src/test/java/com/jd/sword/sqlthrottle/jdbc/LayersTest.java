package com.jd.sword.sqlthrottle.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jd.sword.sqlthrottle.SqlThrottledException;
import com.jd.sword.sqlthrottle.Throttle;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** However many layers a statement passes, it is counted once. */
class LayersTest {
    private static final String SELECT = "select name from users";
    private static final String UPDATE = "update users set seen = 1";

    /** A source that leads to another, as those do that route by tenant. */
    private static DataSource routing(DataSource target) {
        return (DataSource) Proxy.newProxyInstance(LayersTest.class.getClassLoader(), new Class<?>[] {DataSource.class},
                (self, method, arguments) -> method.invoke(target, arguments));
    }

    private static void sendAll(DataSource source) throws SQLException {
        try (Connection connection = source.getConnection(); Statement statement = connection.createStatement();
                PreparedStatement prepared = connection.prepareStatement(UPDATE)) {
            statement.executeQuery(SELECT).close();
            statement.execute(SELECT);
            statement.executeUpdate(UPDATE);
            prepared.executeUpdate();
            prepared.execute();
            prepared.addBatch();
            prepared.executeBatch();
        }
    }

    @Test
    void sourcesOverEachOtherCountOnce() throws SQLException {
        try (Shop shop = Shop.atMost(1)) {
            sendAll(ThrottledDataSource.of(routing(shop.source), shop.throttle));
            assertThat(shop.decided("allow")).isEqualTo(6);
            assertThat(shop.held()).isZero();
        }
    }

    @Test
    void anotherThrottleCountsForItself() throws SQLException {
        try (Shop shop = Shop.atMost(5); Shop other = Shop.atMost(5)) {
            DataSource middle = ThrottledDataSource.of(shop.source, other.throttle);
            sendAll(ThrottledDataSource.of(middle, shop.throttle));
            assertThat(shop.decided("allow")).isEqualTo(6);
            assertThat(other.decided("allow")).isEqualTo(6);
        }
    }

    @Test
    void whatIsDecidedElsewhereIsNotCountedHere() throws Exception {
        try (Shop shop = Shop.aborting()) {
            Decided.call(shop.throttle, () -> {
                assertThat(Decided.isBy(shop.throttle)).isTrue();
                sendAll(shop.source);
                return null;
            });
            assertThat(Decided.isBy(shop.throttle)).isFalse();
            assertThat(shop.decided("abort")).isZero();
            assertThatThrownBy(() -> sendAll(shop.source)).isInstanceOf(SqlThrottledException.class);
        }
    }

    @Test
    void aMarkHoldsFromItsEntryToItsExit() {
        try (Throttle throttle = Throttle.of("{}"); Throttle inner = Throttle.of("{}")) {
            Object outermost = Decided.enter(throttle);
            Object middle = Decided.enter(inner);
            Object innermost = Decided.enter(throttle);
            assertThat(Decided.isBy(throttle)).isTrue();
            Decided.exit(innermost);
            assertThat(Decided.isBy(throttle)).isTrue();
            assertThat(Decided.isBy(inner)).isTrue();
            Decided.exit(middle);
            assertThat(Decided.isBy(throttle)).isTrue();
            assertThat(Decided.isBy(inner)).isFalse();
            Decided.exit(outermost);
            assertThat(Decided.isBy(throttle)).isFalse();
        }
    }

    @Test
    void aMarkIsLeftNeitherByAFailureNorForAnotherThread() throws Exception {
        try (Throttle throttle = Throttle.of("{}"); Throttle inner = Throttle.of("{}")) {
            assertThatThrownBy(() -> Decided.run(throttle, () -> {
                throw new IllegalStateException("expected");
            })).hasMessage("expected");
            assertThat(Decided.isBy(throttle)).isFalse();
            Decided.run(throttle, () -> Decided.run(inner, () -> Decided.run(inner, () -> {
                assertThat(Decided.isBy(throttle)).isTrue();
                assertThat(Decided.isBy(inner)).isTrue();
                boolean[] elsewhere = {true};
                Thread thread = new Thread(() -> elsewhere[0] = Decided.isBy(throttle));
                thread.start();
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                assertThat(elsewhere[0]).isFalse();
            })));
            assertThat(Decided.isBy(inner)).isFalse();
        }
    }
}
