package com.jd.sword.sqlthrottle.integration;

import static com.jd.sword.sqlthrottle.integration.Shop.SELECT;
import static com.jd.sword.sqlthrottle.integration.Shop.UPDATE;
import static com.jd.sword.sqlthrottle.integration.Shop.USERS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.jd.sword.sqlthrottle.Reason;
import com.jd.sword.sqlthrottle.SqlThrottledException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.sql.Statement;
import java.util.Arrays;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** What programs that speak JDBC see of a throttled source, however it is come by. */
abstract class SourceContract {
    /** The source under test, over the database of a shop. It is closed where it can be. */
    abstract DataSource over(Shop shop) throws Exception;

    /** Places that are held. */
    int held(Shop shop, DataSource source) throws SQLException {
        return shop.held();
    }

    /** Looks at what is left when all connections are closed. */
    void assertAtRest(DataSource source) {}

    final class Case implements AutoCloseable {
        final Shop shop;
        final DataSource source;

        Case(Database database, String rules) throws Exception {
            shop = Shop.on(database, rules);
            source = over(shop);
        }

        Connection connect() throws SQLException {
            return source.getConnection();
        }

        int held() throws SQLException {
            return SourceContract.this.held(shop, source);
        }

        @Override
        public void close() throws Exception {
            try (shop) {
                assertAtRest(source);
                if (source instanceof AutoCloseable closeable) {
                    closeable.close();
                }
            }
        }
    }

    @OnEveryDatabase
    @Shows("`SqlThrottledException`, SQLState 53400; the connection serves on")
    void abort(Database database) throws Exception {
        try (Case given = new Case(database, Rules.ABORT); Connection connection = given.connect();
                Statement statement = connection.createStatement(); PreparedStatement update = connection.prepareStatement(UPDATE)) {
            assertAborted(() -> statement.executeQuery(SELECT), Reason.BLOCKED);
            assertAborted(() -> statement.executeUpdate(UPDATE), Reason.BLOCKED);
            assertAborted(() -> statement.execute(SELECT), Reason.BLOCKED);
            assertAborted(update::executeUpdate, Reason.BLOCKED);
            assertThat(given.shop.seen()).isZero();
            assertThat(connection.isValid(10)).isTrue();
            assertThat(statement.executeUpdate("insert into orders (customer) values (1)")).isEqualTo(1);
        }
    }

    @OnEveryDatabase
    @Shows("no rows, a count of 0; generated keys: `SqlThrottledException`")
    void ignore(Database database) throws Exception {
        try (Case given = new Case(database, Rules.IGNORE); Connection connection = given.connect();
                Statement statement = connection.createStatement()) {
            try (ResultSet rows = statement.executeQuery(SELECT)) {
                assertThat(rows.next()).isFalse();
                assertThat(rows.getMetaData().getColumnCount()).isEqualTo(1);
            }
            assertThat(statement.execute(SELECT)).isTrue();
            assertThat(statement.getResultSet().next()).isFalse();
            assertThat(statement.getMoreResults()).isFalse();
            assertThat(statement.getUpdateCount()).isEqualTo(-1);
            assertThat(statement.executeUpdate(UPDATE)).isZero();
            assertThat(statement.execute(UPDATE)).isFalse();
            assertThat(statement.getResultSet()).isNull();
            assertThat(statement.getUpdateCount()).isZero();
            assertThat(statement.getGeneratedKeys().next()).isFalse();
            assertThat(given.shop.seen()).isZero();

            String insert = "insert into users (id, name) values (9, 'user 9')";
            assertAborted(() -> statement.executeUpdate(insert, Statement.RETURN_GENERATED_KEYS), Reason.IGNORE_UNAVAILABLE);
            try (PreparedStatement keyed = connection.prepareStatement(insert, new String[] {"id"})) {
                assertAborted(keyed::executeUpdate, Reason.IGNORE_UNAVAILABLE);
            }
            assertAborted(() -> statement.executeQuery("select * from users for update"), Reason.IGNORE_UNAVAILABLE);
            assertThat(given.shop.count("users")).isEqualTo(USERS);
        }
    }

    @OnEveryDatabase
    @Shows("not sent before its time, then as ever")
    void delay(Database database) throws Exception {
        try (Case given = new Case(database, Rules.DELAYING); Connection connection = given.connect();
                Statement statement = connection.createStatement()) {
            Background<Integer> update = Background.start(() -> statement.executeUpdate(UPDATE)).awaitDelayed();
            assertThat(given.shop.seen()).isZero();
            given.shop.clock.advance(Rules.DELAY);
            assertThat(update.get()).isEqualTo(USERS);
            assertThat(given.shop.seen()).isEqualTo(USERS);

            Background<Integer> select = Background.start(() -> readAll(statement.executeQuery(SELECT))).awaitDelayed();
            given.shop.clock.advance(Rules.DELAY);
            assertThat(select.get()).isEqualTo(USERS);
        }
    }

    /** T3. */
    @OnEveryDatabase
    @Shows("`Statement.cancel()` and an interrupt end a wait; nothing is sent, the interrupt stays")
    void cancel(Database database) throws Exception {
        try (Case given = new Case(database, Rules.FOR_EVER); Connection connection = given.connect();
                Statement statement = connection.createStatement()) {
            Background<Integer> cancelled = Background.start(() -> statement.executeUpdate(UPDATE)).awaitDelayed();
            statement.cancel();
            assertThat(cancelled.failure()).isExactlyInstanceOf(SQLException.class).hasCauseInstanceOf(SqlThrottledException.class)
                    .extracting(e -> ((SQLException) e).getSQLState()).isEqualTo("HY008");
            assertThat(cancelled.wasInterrupted()).isFalse();

            Background<ResultSet> interrupted = Background.start(() -> statement.executeQuery(SELECT)).awaitDelayed();
            interrupted.interrupt();
            assertThat(interrupted.failure()).isExactlyInstanceOf(SQLNonTransientException.class)
                    .hasCauseExactlyInstanceOf(SqlThrottledException.class).hasRootCauseInstanceOf(InterruptedException.class);
            assertThat(interrupted.wasInterrupted()).isTrue();

            assertThat(given.shop.seen()).isZero();
            assertThat(statement.executeUpdate("insert into orders (customer) values (1)")).isEqualTo(1);
        }
    }

    @OnEveryDatabase
    @Shows("its place is held until the result is read to its end or closed")
    void stream(Database database) throws Exception {
        try (Case given = new Case(database, Rules.ONE_PLACE); Connection reader = given.connect(); Connection other = given.connect();
                Statement streaming = reader.createStatement(); Statement refused = other.createStatement()) {
            // PostgreSQL streams within a transaction only.
            reader.setAutoCommit(false);
            streaming.setFetchSize(1);
            ResultSet rows = streaming.executeQuery(SELECT);
            assertThat(rows.next()).isTrue();
            assertThat(given.held()).isEqualTo(1);
            assertAborted(() -> refused.executeQuery(SELECT), Reason.OVER_LIMIT);
            while (rows.next()) {
                assertThat(given.held()).isEqualTo(1);
            }
            assertThat(given.held()).isZero();

            ResultSet abandoned = streaming.executeQuery(SELECT);
            assertThat(abandoned.next()).isTrue();
            assertThat(given.held()).isEqualTo(1);
            abandoned.close();
            assertThat(given.held()).isZero();
            assertThat(readAll(refused.executeQuery(SELECT))).isEqualTo(USERS);
            reader.rollback();
        }
    }

    @OnEveryDatabase
    @Shows("one check that weighs as many as it runs: all or nothing")
    void batch(Database database) throws Exception {
        try (Case given = new Case(database, Rules.atMost(5)); Connection connection = given.connect();
                PreparedStatement update = connection.prepareStatement("update users set seen = ? where id = ?");
                Statement statement = connection.createStatement()) {
            addThree(update, 1);
            assertThat(update.executeBatch()).hasSize(3);
            assertThat(given.shop.seen()).isEqualTo(3);

            addThree(update, 0);
            assertAborted(update::executeBatch, Reason.OVER_LIMIT);
            assertThat(given.shop.seen()).isEqualTo(3);

            statement.addBatch("update users set seen = 1 where id = 4");
            statement.addBatch("update users set seen = 1 where id = 5");
            assertThat(Arrays.stream(statement.executeBatch()).sum()).isEqualTo(2);
            assertThat(given.shop.seen()).isEqualTo(USERS);
            assertAborted(() -> statement.executeUpdate(UPDATE), Reason.OVER_LIMIT);
        }
    }

    private static void addThree(PreparedStatement update, int seen) throws SQLException {
        for (int id = 1; id <= 3; id++) {
            update.setInt(1, seen);
            update.setInt(2, id);
            update.addBatch();
        }
    }

    @OnEveryDatabase
    @Shows("an aborted statement leaves it usable, to be committed or rolled back")
    void transaction(Database database) throws Exception {
        try (Case given = new Case(database, Rules.ABORT); Connection connection = given.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.executeUpdate("insert into orders (customer) values (1)");
            assertAborted(() -> statement.executeUpdate(UPDATE), Reason.BLOCKED);
            statement.executeUpdate("insert into orders (customer) values (2)");
            connection.commit();
            assertThat(given.shop.count("orders")).isEqualTo(2);

            statement.executeUpdate("insert into orders (customer) values (3)");
            assertAborted(() -> statement.executeQuery(SELECT), Reason.BLOCKED);
            connection.rollback();
            assertThat(given.shop.count("orders")).isEqualTo(2);
            assertThat(given.shop.seen()).isZero();
        }
    }

    @OnEveryDatabase
    @Shows("success, error, abort, re-execute, close in any order, rollback, lost connection")
    void permits(Database database) throws Exception {
        try (Case given = new Case(database, Rules.ONE_PLACE)) {
            try (Connection connection = given.connect(); Statement statement = connection.createStatement()) {
                assertThat(statement.executeUpdate(UPDATE)).isEqualTo(USERS);
                assertThat(given.held()).isZero();
                assertThatThrownBy(() -> statement.executeQuery("select nothing from users")).isInstanceOf(SQLException.class)
                        .isNotInstanceOf(SqlThrottledException.class);
                assertThat(given.held()).isZero();

                for (int i = 0; i < 3; i++) {
                    assertThat(statement.executeQuery(SELECT).next()).isTrue();
                    assertThat(given.held()).isEqualTo(1);
                }
                try (Statement second = connection.createStatement()) {
                    assertAborted(() -> second.executeQuery(SELECT), Reason.OVER_LIMIT);
                    assertThat(given.held()).isEqualTo(1);
                }
                statement.close();
                assertThat(given.held()).isZero();
            }
            try (Connection connection = given.connect()) {
                connection.setAutoCommit(false);
                connection.createStatement().executeQuery(SELECT).next();
                assertThat(given.held()).isEqualTo(1);
                connection.rollback();
                assertThat(given.held()).isZero();
                connection.createStatement().executeQuery(SELECT).next();
                connection.rollback();
                connection.setAutoCommit(true);
            }
            Connection closed = given.connect();
            ResultSet rows = closed.createStatement().executeQuery(SELECT);
            assertThat(given.held()).isEqualTo(1);
            closed.close();
            assertThat(given.held()).isZero();
            rows.close();

            Connection lost = given.connect();
            assertThat(lost.createStatement().executeQuery(SELECT).next()).isTrue();
            assertThat(given.held()).isEqualTo(1);
            lost.abort(Runnable::run);
            assertThat(given.held()).isZero();
            try {
                lost.close();
            } catch (SQLException e) {
                // A pool tells here that the connection is lost.
                assertThat((Throwable) e).isNotInstanceOf(SqlThrottledException.class);
            }
        }
    }

    /** Trap 8.14: whatever a getter gives leads back to the throttle, and never around it. */
    @OnEveryDatabase
    void everyGetterLeadsBack(Database database) throws Exception {
        try (Case given = new Case(database, Rules.blocking("orders", "strategy: abort")); Connection connection = given.connect();
                PreparedStatement statement = connection.prepareStatement(SELECT); ResultSet rows = statement.executeQuery();
                ResultSet tables = connection.getMetaData().getTables(null, null, "%", null)) {
            for (Connection back : new Connection[] {statement.getConnection(), rows.getStatement().getConnection(),
                connection.getMetaData().getConnection()}) {
                try (Statement around = back.createStatement()) {
                    assertAborted(() -> around.executeQuery("select * from orders"), Reason.BLOCKED);
                }
            }
            assertThat(tables.next()).isTrue();
            Statement ofTables = tables.getStatement();
            if (ofTables != null) {
                assertAborted(() -> ofTables.getConnection().createStatement().executeQuery("select * from orders"), Reason.BLOCKED);
            }
        }
    }

    /** T9: what is inside is found through all that is around it. */
    @OnEveryDatabase
    void unwrapsToTheDriver(Database database) throws Exception {
        try (Case given = new Case(database, Rules.NONE); Connection connection = given.connect();
                Statement statement = connection.createStatement(); Connection raw = given.shop.raw.getConnection();
                Statement rawStatement = raw.createStatement()) {
            assertThat(connection.isWrapperFor(raw.getClass())).isTrue();
            assertThat(connection.unwrap(raw.getClass())).isInstanceOf(raw.getClass());
            assertThat(statement.unwrap(rawStatement.getClass())).isInstanceOf(rawStatement.getClass());
        }
    }

    static void assertAborted(ThrowingCallable statement, Reason reason) {
        assertThat(catchThrowable(statement)).isExactlyInstanceOf(SqlThrottledException.class)
                .satisfies(e -> assertThrottled((SqlThrottledException) e, reason));
    }

    static void assertThrottled(SqlThrottledException e, Reason reason) {
        assertThat(e.getSQLState()).isEqualTo("53400");
        assertThat(e.getErrorCode()).isZero();
        assertThat(e.getRule()).isEqualTo("users");
        assertThat(e.getReason()).isEqualTo(reason);
        // Of the statement nothing is told.
        assertThat(e.getMessage()).doesNotContain("seen", "select", "insert");
    }

    static int readAll(ResultSet rows) throws SQLException {
        int read = 0;
        try (rows) {
            while (rows.next()) {
                read++;
            }
        }
        return read;
    }
}
