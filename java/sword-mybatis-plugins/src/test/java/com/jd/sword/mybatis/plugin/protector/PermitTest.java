package com.jd.sword.mybatis.plugin.protector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.ibatis.cursor.Cursor;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.RowBounds;
import org.apache.ibatis.session.SqlSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Places are held while a statement runs, and come back on every way out. */
@Timeout(120)
class PermitTest {
    private static Shop places(int most) throws Exception {
        return Shop.with(Shop.rule("concurrency: {max: " + most + "}", "strategy: abort"));
    }

    @Test
    void aQueryHoldsItsPlaceWhileItIsRead() throws Exception {
        try (Shop shop = places(1); SqlSession session = shop.session()) {
            int[] held = {0};
            session.getMapper(Users.class).each(row -> held[0] += shop.held());
            assertThat(held[0]).isEqualTo(Shop.USERS);
            assertThat(shop.held()).isZero();
        }
    }

    @Test
    void aFailureGivesItBack() throws Exception {
        try (Shop shop = places(1); SqlSession session = shop.session()) {
            Users users = session.getMapper(Users.class);
            assertThatThrownBy(users::broken).hasMessageContaining("NOWHERE");
            assertThat(shop.held()).isZero();
            assertThatThrownBy(() -> users.each(row -> {
                throw new IllegalStateException("expected");
            })).rootCause().hasMessage("expected");
            assertThat(shop.held()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(ExecutorType.class)
    void aCursorHoldsItUntilItIsClosed(ExecutorType type) throws Exception {
        try (Shop shop = places(1); SqlSession session = shop.session(type)) {
            Cursor<String> cursor = session.getMapper(Users.class).cursor();
            assertThat(shop.held()).isEqualTo(1);
            assertThat(cursor.iterator().next()).isEqualTo("user 1");
            assertThat(cursor.isOpen()).isTrue();
            assertThat(cursor.getCurrentIndex()).isZero();
            assertThatThrownBy(() -> session.getMapper(Users.class).names()).satisfies(ExecutionTest::isAborted);
            cursor.close();
            assertThat(shop.held()).isZero();
        }
    }

    @Test
    void orReadToItsEnd() throws Exception {
        try (Shop shop = places(1); SqlSession session = shop.session()) {
            Cursor<String> cursor = session.getMapper(Users.class).cursor();
            Iterator<String> rows = cursor.iterator();
            for (int i = 0; i < Shop.USERS; i++) {
                rows.next();
                assertThat(shop.held()).isEqualTo(1);
            }
            assertThat(rows.hasNext()).isFalse();
            assertThat(shop.held()).isZero();
            assertThat(cursor.isConsumed()).isTrue();
        }
    }

    @Test
    void orToTheEndOfItsBounds() throws Exception {
        try (Shop shop = places(1); SqlSession session = shop.session()) {
            Cursor<String> cursor = session.selectCursor(Users.class.getName() + ".names", null, new RowBounds(0, 1));
            Iterator<String> rows = cursor.iterator();
            assertThat(rows.next()).isEqualTo("user 1");
            assertThat(shop.held()).isZero();
        }
    }

    @Test
    void orTheTransactionOrTheSessionIsOver() throws Exception {
        try (Shop shop = places(1)) {
            SqlSession session = shop.session();
            Users users = session.getMapper(Users.class);
            users.cursor();
            session.commit();
            assertThat(shop.held()).as("nothing was committed").isEqualTo(1);
            session.commit(true);
            assertThat(shop.held()).isZero();
            users.cursor();
            session.rollback(true);
            assertThat(shop.held()).isZero();
            users.cursor();
            session.close();
            assertThat(shop.held()).isZero();
        }
    }

    @Test
    void aBatchHoldsOnePlaceUntilItIsSent() throws Exception {
        try (Shop shop = places(1); SqlSession session = shop.session(ExecutorType.BATCH); SqlSession other = shop.session()) {
            Users users = session.getMapper(Users.class);
            for (int i = 1; i <= 3; i++) {
                users.see(i);
                assertThat(shop.held()).isEqualTo(1);
            }
            assertThatThrownBy(() -> other.getMapper(Users.class).names()).satisfies(ExecutionTest::isAborted);
            session.flushStatements();
            assertThat(shop.held()).isZero();
            users.see(4);
            session.commit();
            assertThat(shop.held()).isZero();
            assertThat(shop.seen()).isEqualTo(4);
            users.see(5);
            session.rollback();
            assertThat(shop.held()).isZero();
            users.see(5);
            assertThat(users.names()).hasSize(Shop.USERS);
            assertThat(shop.held()).as("a query sends the batch").isZero();
        }
        try (Shop shop = places(1)) {
            SqlSession session = shop.session(ExecutorType.BATCH);
            session.getMapper(Users.class).see(1);
            session.close();
            assertThat(shop.held()).isZero();
            assertThat(shop.seen()).isZero();
        }
    }

    @Test
    void aSelectWithinNeedsAPlaceOfItsOwn() throws Exception {
        try (Shop shop = places(1); SqlSession session = shop.session()) {
            assertThatThrownBy(() -> session.getMapper(Users.class).eager(1)).satisfies(ExecutionTest::isAborted);
            assertThat(shop.held()).isZero();
        }
        try (Shop shop = places(2); SqlSession session = shop.session()) {
            assertThat(session.getMapper(Users.class).eager(1)).hasSize(1);
        }
    }

    @Test
    void anAbortLeavesTheTransactionUsable() throws Exception {
        try (Shop shop = Shop.with(Shop.oneAMinute("strategy: abort")); SqlSession session = shop.session()) {
            Users users = session.getMapper(Users.class);
            assertThat(users.see(1)).isEqualTo(1);
            assertThatThrownBy(() -> users.see(2)).satisfies(ExecutionTest::isAborted);
            session.commit();
            assertThat(shop.seen()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(ExecutorType.class)
    void aSessionThatThreadsShareLosesNone(ExecutorType type) throws Exception {
        // MyBatis forbids it, and programs do it: it must not shut a statement out for good.
        try (Shop shop = places(1000); SqlSession session = shop.session(type)) {
            Users users = session.getMapper(Users.class);
            // The session has its connection before: of two threads that take one MyBatis would forget one.
            session.getConnection();
            List<Background<Void>> threads = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                threads.add(Background.start(() -> {
                    for (int j = 0; j < 5_000; j++) {
                        try {
                            users.see(1);
                        } catch (RuntimeException e) {
                            // Of what MyBatis itself keeps for one thread.
                            continue;
                        }
                    }
                    return null;
                }));
            }
            for (Background<Void> thread : threads) {
                thread.get();
            }
            session.rollback(true);
            assertThat(shop.held()).isZero();
        }
    }

    @Test
    void aHandlerOfRowsThatQueriesHasAPlaceForEach() throws Exception {
        try (Shop shop = places(3); SqlSession session = shop.session()) {
            Users users = session.getMapper(Users.class);
            List<Integer> held = new ArrayList<>();
            users.each(outer -> {
                try (SqlSession other = shop.session()) {
                    other.getMapper(Users.class).each(inner -> users.each(innermost -> held.add(shop.held())));
                }
            });
            assertThat(held).hasSize(Shop.USERS * Shop.USERS * Shop.USERS).containsOnly(3);
            assertThat(shop.held()).isZero();
        }
    }
}
