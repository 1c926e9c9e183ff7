package com.jd.sword.sqlthrottle.integration;

import static com.jd.sword.sqlthrottle.integration.Shop.USERS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.jd.sword.sqlthrottle.Reason;
import com.jd.sword.sqlthrottle.SqlThrottledException;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.util.Arrays;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jooq.Cursor;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Query;
import org.jooq.Record;
import org.jooq.Record1;
import org.jooq.ResultQuery;
import org.jooq.SelectLimitStep;
import org.jooq.Table;
import org.jooq.conf.RenderQuotedNames;
import org.jooq.conf.Settings;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

@Shows("jOOQ")
class JooqTest {
    private static final Table<Record> USERS_TABLE = DSL.table(DSL.name("users"));
    private static final Table<Record> ORDERS = DSL.table(DSL.name("orders"));
    private static final Field<Integer> ID = DSL.field(DSL.name("id"), SQLDataType.INTEGER.identity(true));
    private static final Field<String> NAME = DSL.field(DSL.name("name"), String.class);
    private static final Field<Integer> SEEN = DSL.field(DSL.name("seen"), Integer.class);
    private static final Field<Integer> CUSTOMER = DSL.field(DSL.name("customer"), Integer.class);

    private static DSLContext over(Shop shop) {
        return DSL.using(shop.source, shop.database.jooq, new Settings().withRenderQuotedNames(RenderQuotedNames.NEVER));
    }

    private static SelectLimitStep<Record1<String>> select(DSLContext jooq) {
        return jooq.select(NAME).from(USERS_TABLE).orderBy(ID);
    }

    @OnEveryDatabase
    @Shows("`DataAccessException`, `sqlState()` 53400")
    void abort(Database database) throws SQLException {
        try (Shop shop = Shop.on(database, Rules.ABORT)) {
            DSLContext jooq = over(shop);
            assertAborted(() -> select(jooq).fetch(), Reason.BLOCKED);
            assertAborted(() -> jooq.fetchCount(USERS_TABLE), Reason.BLOCKED);
            assertAborted(() -> jooq.update(USERS_TABLE).set(SEEN, 1).execute(), Reason.BLOCKED);
            assertThat(shop.seen()).isZero();
            assertThat(jooq.insertInto(ORDERS).set(CUSTOMER, 1).execute()).isEqualTo(1);
        }
    }

    @OnEveryDatabase
    @Shows("empty results, `fetchOne` null, a count of 0; `returning`: `DataAccessException`")
    void ignore(Database database) throws SQLException {
        try (Shop shop = Shop.on(database, Rules.blocking("[users, orders]", "strategy: ignore"))) {
            DSLContext jooq = over(shop);
            assertThat(select(jooq).fetch()).isEmpty();
            assertThat(select(jooq).limit(1).fetchOne()).isNull();
            try (Cursor<Record1<String>> names = select(jooq).fetchLazy()) {
                assertThat(names.hasNext()).isFalse();
            }
            assertThat(jooq.update(USERS_TABLE).set(SEEN, 1).execute()).isZero();
            assertThat(jooq.batch(seen(jooq, 1, 1), seen(jooq, 1, 2)).execute()).containsExactly(0, 0);
            // Of several shapes some might be ignored and others not, which no array of counts can tell.
            assertAborted(() -> jooq.batch(jooq.update(USERS_TABLE).set(SEEN, 1), jooq.deleteFrom(USERS_TABLE)).execute(),
                    Reason.IGNORE_UNAVAILABLE);
            assertAborted(() -> jooq.insertInto(ORDERS).set(CUSTOMER, 1).returning(ID).fetchOne(), Reason.IGNORE_UNAVAILABLE);
            assertThat(shop.seen()).isZero();
            assertThat(shop.count("users")).isEqualTo(USERS);
            assertThat(shop.count("orders")).isZero();
        }
    }

    @OnEveryDatabase
    @Shows("not sent before its time, then as ever")
    void delay(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.DELAYING)) {
            DSLContext jooq = over(shop);
            Background<Integer> update = Background.start(() -> jooq.update(USERS_TABLE).set(SEEN, 1).execute()).awaitDelayed();
            assertThat(shop.seen()).isZero();
            shop.clock.advance(Rules.DELAY);
            assertThat(update.get()).isEqualTo(USERS);
            Background<Integer> select = Background.start(() -> select(jooq).fetch().size()).awaitDelayed();
            shop.clock.advance(Rules.DELAY);
            assertThat(select.get()).isEqualTo(USERS);
        }
    }

    /** T3. */
    @OnEveryDatabase
    @Shows("`Query.cancel()` and an interrupt: `DataAccessException`; the interrupt stays")
    void cancel(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.FOR_EVER)) {
            DSLContext jooq = over(shop);
            ResultQuery<Record1<String>> query = select(jooq);
            Background<Integer> cancelled = Background.start(() -> query.fetch().size()).awaitDelayed();
            query.cancel();
            assertThat(cancelled.failure()).isExactlyInstanceOf(DataAccessException.class)
                    .hasCauseExactlyInstanceOf(SQLException.class).hasRootCauseExactlyInstanceOf(SqlThrottledException.class);

            Background<Integer> interrupted = Background.start(() -> jooq.update(USERS_TABLE).set(SEEN, 1).execute()).awaitDelayed();
            interrupted.interrupt();
            assertThat(interrupted.failure()).isExactlyInstanceOf(DataAccessException.class)
                    .hasCauseExactlyInstanceOf(SQLNonTransientException.class).hasRootCauseInstanceOf(InterruptedException.class);
            assertThat(interrupted.wasInterrupted()).isTrue();
            assertThat(shop.seen()).isZero();
        }
    }

    @OnEveryDatabase
    @Shows("`fetchLazy` and `fetchStream` hold their place until read to the end or closed")
    void stream(Database database) throws SQLException {
        try (Shop shop = Shop.on(database, Rules.ONE_PLACE)) {
            DSLContext jooq = over(shop);
            try (Cursor<Record1<String>> names = select(jooq).fetchSize(1).fetchLazy()) {
                assertThat(names.fetchNext().value1()).isEqualTo("user 1");
                assertThat(shop.held()).isEqualTo(1);
                assertAborted(() -> select(jooq).fetch(), Reason.OVER_LIMIT);
                assertThat(names.fetch()).hasSize(USERS - 1);
                assertThat(shop.held()).isZero();
            }
            try (Stream<Record1<String>> names = select(jooq).fetchStream()) {
                assertThat(names.iterator().next().value1()).isEqualTo("user 1");
                assertThat(shop.held()).isEqualTo(1);
            }
            assertThat(shop.held()).isZero();
        }
    }

    @OnEveryDatabase
    @Shows("`batch` is one check that weighs as many as it runs: all or nothing")
    void batch(Database database) throws SQLException {
        try (Shop shop = Shop.on(database, Rules.atMost(5))) {
            DSLContext jooq = over(shop);
            assertThat(jooq.batch(seen(jooq, 0, 0)).bind(1, 1).bind(1, 2).bind(1, 3).execute()).hasSize(3);
            assertThat(shop.seen()).isEqualTo(3);
            assertAborted(() -> jooq.batch(seen(jooq, 0, 0)).bind(0, 1).bind(0, 2).bind(0, 3).execute(), Reason.OVER_LIMIT);
            assertThat(shop.seen()).isEqualTo(3);
            // Texts with their constants in them.
            assertThat(Arrays.stream(jooq.batch(seen(jooq, 1, 4), seen(jooq, 1, 5)).execute()).sum()).isEqualTo(2);
            assertThat(shop.seen()).isEqualTo(USERS);
            assertAborted(() -> jooq.batch(seen(jooq, 0, 1), seen(jooq, 0, 2)).execute(), Reason.OVER_LIMIT);
        }
    }

    private static Query seen(DSLContext jooq, int seen, int id) {
        return jooq.update(USERS_TABLE).set(SEEN, seen).where(ID.eq(id));
    }

    @OnEveryDatabase
    @Shows("caught, the rest is committed; not caught, all is rolled back")
    void transaction(Database database) throws SQLException {
        try (Shop shop = Shop.on(database, Rules.ABORT)) {
            DSLContext jooq = over(shop);
            jooq.transaction(within -> {
                within.dsl().insertInto(ORDERS).set(CUSTOMER, 1).execute();
                assertAborted(() -> select(within.dsl()).fetch(), Reason.BLOCKED);
                within.dsl().insertInto(ORDERS).set(CUSTOMER, 2).execute();
            });
            assertThat(shop.count("orders")).isEqualTo(2);
            assertAborted(() -> jooq.transaction(within -> {
                within.dsl().insertInto(ORDERS).set(CUSTOMER, 3).execute();
                select(within.dsl()).fetch();
            }), Reason.BLOCKED);
            assertThat(shop.count("orders")).isEqualTo(2);
        }
    }

    @OnEveryDatabase
    @Shows("success, error, abort, a cursor that is read or not")
    void permits(Database database) throws SQLException {
        try (Shop shop = Shop.on(database, Rules.ONE_PLACE)) {
            DSLContext jooq = over(shop);
            for (int i = 0; i < 2; i++) {
                assertThat(select(jooq).fetch()).hasSize(USERS);
                assertThat(shop.held()).isZero();
                assertThat(jooq.fetchCount(USERS_TABLE)).isEqualTo(USERS);
                assertThat(shop.held()).isZero();
                assertThat(jooq.update(USERS_TABLE).set(SEEN, 1).execute()).isEqualTo(USERS);
                assertThat(shop.held()).isZero();
                assertThatThrownBy(() -> jooq.fetch("select nothing from users")).isInstanceOf(DataAccessException.class)
                        .isNotInstanceOf(SqlThrottledException.class);
                assertThat(shop.held()).isZero();
                Cursor<Record1<String>> abandoned = select(jooq).fetchLazy();
                assertThat(abandoned.fetchNext()).isNotNull();
                assertAborted(() -> jooq.fetchCount(USERS_TABLE), Reason.OVER_LIMIT);
                abandoned.close();
                assertThat(shop.held()).isZero();
            }
        }
    }

    private static void assertAborted(ThrowingCallable action, Reason reason) {
        assertThat(catchThrowable(action)).isExactlyInstanceOf(DataAccessException.class)
                .satisfies(e -> assertThat(((DataAccessException) e).sqlState()).isEqualTo("53400"))
                .cause().isExactlyInstanceOf(SqlThrottledException.class)
                .satisfies(e -> SourceContract.assertThrottled((SqlThrottledException) e, reason));
    }
}
