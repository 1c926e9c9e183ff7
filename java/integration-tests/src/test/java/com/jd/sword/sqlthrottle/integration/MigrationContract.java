package com.jd.sword.sqlthrottle.integration;

import static com.jd.sword.sqlthrottle.integration.Shop.SELECT;
import static com.jd.sword.sqlthrottle.integration.Shop.UPDATE;
import static com.jd.sword.sqlthrottle.integration.Shop.USERS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.jd.sword.sqlthrottle.Reason;
import com.jd.sword.sqlthrottle.SqlThrottledException;
import com.jd.sword.sqlthrottle.jdbc.Decided;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * T11: a tool that migrates the schema through the source of the program. What it does to the schema, and to its own tables, passes
 * whatever the rules say; what it does to data is like what others do to data.
 */
abstract class MigrationContract {
    /** A step that is written in Java, and goes by the connection of the tool. */
    interface Step {
        void run(Connection connection) throws SQLException;
    }

    /** Makes the table {@code items}, and the table {@code prices} after that. */
    abstract void migrateSchema(Shop shop) throws Exception;

    /** Runs a step, once and for all. */
    abstract void migrate(Shop shop, Step step) throws Exception;

    /** How many steps the tool has noted as done. */
    abstract int done(Shop shop) throws SQLException;

    /** What the tools keep their history in, each in the case that it has somewhere, and what they make. */
    private static final String EVERYTHING = "[users, items, prices, flyway_schema_history, databasechangelog, databasechangeloglock, "
            + "DATABASECHANGELOG, DATABASECHANGELOGLOCK]";

    /** All of which nothing but exemptions lets anything pass. */
    private static String all(String limit, String then) {
        return "rules: [{name: users, limit: {" + limit + "}, then: {" + then + "}}]";
    }

    private void assertMigrates(Shop shop) throws Exception {
        migrateSchema(shop);
        assertThat(shop.count("items")).isZero();
        assertThat(shop.count("prices")).isZero();
        assertThat(done(shop)).isEqualTo(2);
        // It comes again with every start of the program.
        migrateSchema(shop);
        assertThat(done(shop)).isEqualTo(2);
    }

    @OnEveryDatabase
    @Shows("the schema migrates; data: the step fails, and can be run again")
    void abort(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.blocking(EVERYTHING, "strategy: abort"))) {
            assertMigrates(shop);
            assertThrottled(catchThrowable(() -> migrate(shop, MigrationContract::update)), Reason.BLOCKED);
            assertThat(shop.seen()).isZero();
            assertThat(done(shop)).isEqualTo(2);
            shop.throttle.reload(Rules.NONE);
            retry(shop, MigrationContract::update);
            assertThat(shop.seen()).isEqualTo(USERS);
        }
    }

    @OnEveryDatabase
    @Shows("the schema migrates, and is noted; `Decided.run` keeps data out too")
    void ignore(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.blocking(EVERYTHING, "strategy: ignore"))) {
            assertMigrates(shop);
            Decided.call(shop.throttle, () -> {
                migrate(shop, MigrationContract::update);
                return null;
            });
            assertThat(shop.seen()).isEqualTo(USERS);
            assertThat(done(shop)).isEqualTo(3);
        }
    }

    @OnEveryDatabase
    @Shows("the schema does not wait; data does")
    void delay(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.blocking(EVERYTHING, "strategy: delay, delay: 5ms"))) {
            assertMigrates(shop);
            assertThat(shop.decided("delay")).isZero();
            Background<Void> step = Background.<Void>start(() -> {
                migrate(shop, MigrationContract::update);
                return null;
            }).awaitDelayed();
            assertThat(shop.seen()).isZero();
            shop.clock.advance(Rules.DELAY);
            step.get();
            assertThat(shop.seen()).isEqualTo(USERS);
            assertThat(done(shop)).isEqualTo(3);
        }
    }

    /** T3. */
    @OnEveryDatabase
    @Shows("an interrupt ends the wait: the step fails, and can be run again")
    void cancel(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.FOR_EVER)) {
            assertMigrates(shop);
            Background<Void> step = Background.<Void>start(() -> {
                migrate(shop, MigrationContract::update);
                return null;
            }).awaitDelayed();
            step.interrupt();
            assertThat(step.failure()).hasRootCauseInstanceOf(InterruptedException.class);
            assertThat(shop.seen()).isZero();
            assertThat(done(shop)).isEqualTo(2);
            shop.throttle.reload(Rules.NONE);
            retry(shop, MigrationContract::update);
            assertThat(shop.seen()).isEqualTo(USERS);
        }
    }

    @OnEveryDatabase
    @Shows("a step that reads holds its place until it has read")
    void stream(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.ONE_PLACE)) {
            assertMigrates(shop);
            migrate(shop, connection -> {
                try (Statement statement = connection.createStatement(); Statement other = connection.createStatement()) {
                    statement.setFetchSize(1);
                    ResultSet rows = statement.executeQuery(SELECT);
                    assertThat(rows.next()).isTrue();
                    assertThat(shop.held()).isEqualTo(1);
                    SourceContract.assertAborted(() -> other.executeUpdate(UPDATE), Reason.OVER_LIMIT);
                    assertThat(SourceContract.readAll(rows)).isEqualTo(USERS - 1);
                    assertThat(shop.held()).isZero();
                }
            });
            assertThat(done(shop)).isEqualTo(3);
        }
    }

    @OnEveryDatabase
    @Shows("a step's batch is one check that weighs as many as it runs")
    void batch(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.atMost(3))) {
            assertMigrates(shop);
            migrate(shop, MigrationContract::updateThree);
            assertThat(shop.seen()).isEqualTo(3);
            AtomicInteger refused = new AtomicInteger();
            migrate(shop, connection -> {
                SourceContract.assertAborted(() -> updateThree(connection), Reason.OVER_LIMIT);
                refused.incrementAndGet();
            });
            assertThat(refused).hasValue(1);
            assertThat(done(shop)).isEqualTo(4);
        }
    }

    @OnEveryDatabase
    @Shows("a step that is refused is rolled back whole")
    void transaction(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.ABORT)) {
            assertMigrates(shop);
            assertThrottled(catchThrowable(() -> migrate(shop, connection -> {
                try (Statement statement = connection.createStatement()) {
                    statement.executeUpdate("insert into orders (customer) values (1)");
                    statement.executeUpdate(UPDATE);
                }
            })), Reason.BLOCKED);
            assertThat(shop.count("orders")).isZero();
            assertThat(done(shop)).isEqualTo(2);
        }
    }

    @OnEveryDatabase
    @Shows("none are held after a migration, be it done or refused, and none by its lock")
    void permits(Database database) throws Exception {
        try (Shop shop = Shop.on(database, all("concurrency: {max: 1}", "strategy: abort"))) {
            Decided.call(shop.throttle, () -> {
                assertMigrates(shop);
                return null;
            });
            assertThat(shop.decided("allow")).isZero();
            shop.throttle.reload(Rules.ONE_PLACE);
            migrate(shop, MigrationContract::update);
            assertThat(shop.held()).isZero();
            assertThrottled(catchThrowable(() -> migrate(shop, connection -> {
                try (Statement statement = connection.createStatement(); Statement other = connection.createStatement()) {
                    assertThat(statement.executeQuery(SELECT).next()).isTrue();
                    other.executeQuery(SELECT);
                }
            })), Reason.OVER_LIMIT);
            assertThat(shop.held()).isZero();
        }
    }

    /** Runs a step again that has failed. */
    void retry(Shop shop, Step step) throws Exception {
        migrate(shop, step);
    }

    private static void update(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(UPDATE);
        }
    }

    private static void updateThree(Connection connection) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("update users set seen = 1 where id = ?")) {
            for (int id = 1; id <= 3; id++) {
                update.setInt(1, id);
                update.addBatch();
            }
            assertThat(update.executeBatch()).hasSize(3);
        }
    }

    private static void assertThrottled(Throwable failure, Reason reason) {
        assertThat(failure).isNotNull().rootCause().isExactlyInstanceOf(SqlThrottledException.class)
                .satisfies(e -> SourceContract.assertThrottled((SqlThrottledException) e, reason));
    }
}
