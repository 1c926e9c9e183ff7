package com.jd.sword.sqlthrottle.integration.mybatis;

import static com.jd.sword.sqlthrottle.integration.Shop.USERS;
import static com.jd.sword.sqlthrottle.integration.mybatis.Mappers.users;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.jd.sword.mybatis.plugin.protector.exception.ProtectionAbortException;
import com.jd.sword.sqlthrottle.Reason;
import com.jd.sword.sqlthrottle.SqlThrottledException;
import com.jd.sword.sqlthrottle.integration.Background;
import com.jd.sword.sqlthrottle.integration.Database;
import com.jd.sword.sqlthrottle.integration.OnEveryDatabase;
import com.jd.sword.sqlthrottle.integration.Rules;
import com.jd.sword.sqlthrottle.integration.Shop;
import com.jd.sword.sqlthrottle.integration.Shows;
import java.io.IOException;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import org.apache.ibatis.cursor.Cursor;
import org.apache.ibatis.exceptions.PersistenceException;
import org.apache.ibatis.executor.BatchExecutor;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.SqlSession;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** What programs see of MyBatis with the plugin in it, however it is configured. */
abstract class MapperContract {
    static final String COUNTING = Rules.limiting("[users, orders]", "concurrency: {max: 1000}", "strategy: abort");
    static final String IGNORE = Rules.blocking("[users, orders]", "strategy: ignore");

    /** The configuration under test, over the database of a shop. */
    abstract Mappers over(Shop shop, ExecutorType type) throws Exception;

    /** Of the sessions that all but batches are tested with. */
    ExecutorType type() {
        return ExecutorType.SIMPLE;
    }

    Mappers over(Shop shop) throws Exception {
        return over(shop, type());
    }

    @OnEveryDatabase
    @Shows("each statement that is sent, once: nested, lazy, of a key; none that a cache answers")
    void count(Database database) throws Exception {
        try (Shop shop = Shop.on(database, COUNTING); Mappers mappers = over(shop)) {
            mappers.inTransaction(session -> {
                Users users = users(session);
                assertSends(shop, 1, users::names);
                assertSends(shop, 0, users::names);
                assertSends(shop, 1, () -> users.each(row -> {}));
                assertSends(shop, 1, () -> users.cursor().forEach(row -> {}));
                assertSends(shop, 1, () -> users.see(1));
                assertSends(shop, 1, () -> users.see(2));
                assertSends(shop, 2, () -> users.addWithSelectedKey(new Member()));
                assertSends(shop, 1 + 2, () -> users.eager(2));
                assertSends(shop, 1 + 1, () -> assertThat(users.lazy(3).getOrders()).isEmpty());
                assertSends(shop, 0, session::flushStatements);
                assertSends(shop, 1, () -> users.see(3));
            });
            assertThat(shop.seen()).isEqualTo(3);
            assertSends(shop, 1, () -> mappers.call(session -> session.getMapper(CachedUsers.class).names()));
            assertSends(shop, 0, () -> mappers.call(session -> session.getMapper(CachedUsers.class).names()));
        }
    }

    @OnEveryDatabase
    @Shows("`PersistenceException`, in it a `ProtectionAbortException`; the session serves on")
    void abort(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.ABORT); Mappers mappers = over(shop)) {
            mappers.inTransaction(session -> {
                Users users = users(session);
                List<ThrowingCallable> calls = List.of(users::names, () -> users.name(1), users::cursor, () -> users.each(row -> {}),
                        users::seeAll, () -> users.add(new Member()), () -> users.addWithSelectedKey(new Member()), () -> users.eager(2));
                calls.forEach(call -> assertAborted(call, Reason.BLOCKED));
                users.order(1);
            });
            assertThat(shop.count("orders")).isEqualTo(1);
            assertThat(shop.seen()).isZero();
        }
    }

    /** T12, T13 and T15: each signature gets what it can take, and a key that is selected, which takes nothing, an exception. */
    @OnEveryDatabase
    @Shows("no rows, null, an empty cursor, a count of 0; primitives and keys: as abort; no cache keeps it")
    void ignore(Database database) throws Exception {
        try (Shop shop = Shop.on(database, IGNORE); Mappers mappers = over(shop)) {
            mappers.inTransaction(session -> {
                Users users = users(session);
                assertThat(users.names()).isEmpty();
                users.names().add("a list of the caller's own");
                assertThat(users.name(1)).isNull();
                assertThat(users.optional(1)).isEmpty();
                assertThat(users.byId()).isEmpty();
                assertThat(users.array()).isEmpty();
                assertThat(users.set()).isEmpty();
                assertThat(users.cursor()).isEmpty();
                assertThat(users.boxedCount()).isNull();
                users.each(row -> {
                    throw new AssertionError("there is no row");
                });
                assertThat(users.seeAll()).isEqualTo(updated(0));
                assertThat(users.seeAny()).isFalse();
                assertThat(users.add(new Member())).isEqualTo(updated(0));
                assertThat(session.flushStatements()).isEmpty();
                List<ThrowingCallable> calls = List.of(users::count, () -> users.addWithSelectedKey(new Member()),
                        () -> users.orderWithGeneratedKey(new Member()), () -> users.locked(1));
                calls.forEach(call -> assertAborted(call, Reason.IGNORE_UNAVAILABLE));
            });
            assertThat(shop.seen()).isZero();
            assertThat(shop.count("users")).isEqualTo(USERS);
            assertThat(shop.count("orders")).isZero();
        }
    }

    /** T14: neither the session that was ignored nor another one reads what was made up. */
    @OnEveryDatabase
    void whatIsIgnoredEntersNoCache(Database database) throws Exception {
        try (Shop shop = Shop.on(database, IGNORE); Mappers mappers = over(shop)) {
            mappers.inTransaction(session -> {
                assertThat(users(session).names()).isEmpty();
                shop.throttle.reload(Rules.NONE);
                assertThat(users(session).names()).hasSize(USERS);
                shop.throttle.reload(Rules.blocking("orders", "strategy: ignore"));
                assertAborted(() -> users(session).eager(1), Reason.IGNORE_UNAVAILABLE);
                // By a getter, which is no call of a session: nobody wraps or translates what it throws.
                assertThat(ProtectionAbortException.in(catchThrowable(() -> users(session).lazy(1).getOrders()))).isPresent();
                shop.throttle.reload(Rules.NONE);
                users(session).order(1);
                assertThat(users(session).eager(1).get(0).getOrders()).hasSize(1);
            });
            shop.throttle.reload(IGNORE);
            assertThat(mappers.<List<String>>call(session -> session.getMapper(CachedUsers.class).names())).isEmpty();
            shop.throttle.reload(Rules.NONE);
            assertThat(mappers.<List<String>>call(session -> session.getMapper(CachedUsers.class).names())).hasSize(USERS);
        }
    }

    @OnEveryDatabase
    @Shows("not sent before its time; waits without a connection")
    void delay(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.DELAYING); Mappers mappers = over(shop)) {
            Background<Integer> update = Background.start(() -> mappers.call(session -> users(session).seeAll())).awaitDelayed();
            assertThat(shop.seen()).isZero();
            shop.clock.advance(Rules.DELAY);
            assertThat(update.get()).isEqualTo(updated(USERS));
            assertThat(shop.seen()).isEqualTo(USERS);

            // The first connection has shown the dialect.
            Background<List<String>> select = Background.start(() -> mappers.call(session -> users(session).names())).awaitDelayed();
            assertThat(mappers.connections.open()).isZero();
            shop.clock.advance(Rules.DELAY);
            assertThat(select.get()).hasSize(USERS);
        }
    }

    /** T3. */
    @OnEveryDatabase
    @Shows("an interrupt and the statement's timeout end a wait; nothing is sent, the interrupt stays")
    void cancel(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.FOR_EVER); Mappers mappers = over(shop)) {
            Background<Integer> interrupted = Background.start(() -> mappers.call(session -> users(session).seeAll())).awaitDelayed();
            interrupted.interrupt();
            assertInterrupted(interrupted.failure());
            assertThat(interrupted.wasInterrupted()).isTrue();

            Background<List<String>> timed = Background.start(() -> mappers.call(session -> users(session).namesWithinSevenSeconds()))
                    .awaitDelayed();
            shop.clock.advance(Duration.ofSeconds(7));
            Throwable failure = timed.failure();
            assertAborted(() -> {
                throw failure;
            }, Reason.BLOCKED);
            assertThat(failure).hasRootCauseInstanceOf(SQLTimeoutException.class);
            assertThat(shop.seen()).isZero();
            mappers.call(session -> users(session).order(1));
        }
    }

    @OnEveryDatabase
    @Shows("its place is held until it is read to its end or closed")
    void cursor(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.ONE_PLACE); Mappers mappers = over(shop)) {
            mappers.inTransaction(session -> {
                Iterator<String> rows = users(session).cursor().iterator();
                for (int i = 0; i < USERS; i++) {
                    assertThat(rows.next()).isEqualTo("user " + (i + 1));
                    assertThat(shop.held()).isEqualTo(1);
                    assertAborted(() -> mappers.call(other -> users(other).names()), Reason.OVER_LIMIT);
                }
                assertThat(rows.hasNext()).isFalse();
                assertThat(shop.held()).isZero();

                try (Cursor<String> abandoned = users(session).cursor()) {
                    assertThat(abandoned.iterator().next()).isEqualTo("user 1");
                    assertThat(shop.held()).isEqualTo(1);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
                assertThat(shop.held()).isZero();
            });
            assertThat(mappers.<List<String>>call(session -> users(session).names())).hasSize(USERS);
        }
    }

    @OnEveryDatabase
    @Shows("of a session of type `BATCH`, each update is checked when it is added, and its sending no more")
    void batch(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.atMost(4)); Mappers mappers = over(shop, ExecutorType.BATCH)) {
            mappers.inTransaction(session -> {
                addThree(users(session));
                assertThat(users(session).see(4)).isEqualTo(BatchExecutor.BATCH_UPDATE_RETURN_VALUE);
                assertAborted(() -> users(session).see(5), Reason.OVER_LIMIT);
            });
            assertThat(shop.seen()).isEqualTo(4);
            assertThat(shop.decided("allow")).isEqualTo(4);
            shop.throttle.reload(Rules.ONE_PLACE);
            mappers.inTransaction(session -> {
                addThree(users(session));
                assertThat(shop.held()).isEqualTo(1);
                // Sends the batch first, and so has its place.
                assertThat(users(session).names()).hasSize(USERS);
                assertThat(shop.held()).isZero();
            });
        }
    }

    /** For sessions that collect nothing. */
    final void eachUpdateByItself(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.atMost(3)); Mappers mappers = over(shop)) {
            mappers.inTransaction(session -> {
                addThree(users(session));
                assertAborted(() -> users(session).see(4), Reason.OVER_LIMIT);
            });
            assertThat(shop.seen()).isEqualTo(3);
            assertThat(shop.decided("allow")).isEqualTo(3);
        }
    }

    static void addThree(Users users) {
        for (int id = 1; id <= 3; id++) {
            users.see(id);
        }
    }

    @OnEveryDatabase
    @Shows("an aborted statement leaves it usable, to be committed or rolled back")
    void transaction(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.ABORT); Mappers mappers = over(shop)) {
            mappers.inTransaction(session -> {
                users(session).order(1);
                assertAborted(users(session)::seeAll, Reason.BLOCKED);
                users(session).order(2);
            });
            assertThat(shop.count("orders")).isEqualTo(2);
            assertAborted(() -> mappers.inTransaction(session -> {
                users(session).order(3);
                users(session).names();
            }), Reason.BLOCKED);
            assertThat(shop.count("orders")).isEqualTo(2);
            assertThat(shop.seen()).isZero();
        }
    }

    @OnEveryDatabase
    @Shows("success, error, abort, a handler that fails, commit, rollback, a session that is closed")
    void permits(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.ONE_PLACE); Mappers mappers = over(shop)) {
            mappers.inTransaction(session -> {
                for (int i = 0; i < 2; i++) {
                    users(session).each(row -> assertThat(shop.held()).isEqualTo(1));
                    assertThat(shop.held()).isZero();
                    assertThatThrownBy(() -> users(session).each(row -> {
                        throw new IllegalStateException("enough");
                    })).hasRootCauseMessage("enough");
                    assertThat(shop.held()).isZero();
                }
                users(session).see(1);
            });
            assertThat(shop.held()).isZero();
            assertThatThrownBy(() -> mappers.call(session -> users(session).broken())).hasRootCauseInstanceOf(SQLException.class)
                    .satisfies(e -> assertThat(ProtectionAbortException.in(e)).isEmpty());
            assertThat(shop.held()).isZero();
            mappers.inTransaction(session -> {
                users(session).see(2);
                users(session).cursor().iterator().next();
                assertThat(shop.held()).isEqualTo(1);
            });
            assertThat(shop.held()).isZero();
            assertThatThrownBy(() -> mappers.inTransaction(session -> {
                users(session).see(3);
                users(session).cursor().iterator().next();
                throw new IllegalStateException("enough");
            })).hasMessage("enough");
            assertThat(shop.held()).isZero();
            assertThat(shop.seen()).isEqualTo(2);
        }
    }

    /** What MyBatis tells of an update. */
    int updated(int rows) {
        return type() == ExecutorType.BATCH ? BatchExecutor.BATCH_UPDATE_RETURN_VALUE : rows;
    }

    void assertAborted(ThrowingCallable call, Reason reason) {
        Throwable failure = catchThrowable(call);
        assertThat(failure).isInstanceOf(PersistenceException.class);
        ProtectionAbortException abort = ProtectionAbortException.in(failure)
                .orElseThrow(() -> new AssertionError("another failure", failure));
        assertThrottled(abort.getCause(), reason);
    }

    static void assertThrottled(Throwable cause, Reason reason) {
        assertThat(cause).isExactlyInstanceOf(SqlThrottledException.class);
        SqlThrottledException throttled = (SqlThrottledException) cause;
        assertThat(throttled.getReason()).isEqualTo(reason);
        assertThat(throttled.getRule()).isEqualTo("users");
        assertThat(throttled.getSQLState()).isEqualTo("53400");
        // Of the statement nothing is told.
        assertThat(throttled.getMessage()).doesNotContain("seen", "select", "insert");
    }

    void assertInterrupted(Throwable failure) {
        assertThat(failure).isInstanceOf(PersistenceException.class).hasCauseExactlyInstanceOf(SQLNonTransientException.class)
                .hasRootCauseInstanceOf(InterruptedException.class);
    }

    /** So many statements are counted of an action. */
    static void assertSends(Shop shop, int statements, ThrowingCallable action) {
        int before = shop.decided("allow");
        assertThat(catchThrowable(action)).isNull();
        assertThat(shop.decided("allow") - before).isEqualTo(statements);
    }
}
