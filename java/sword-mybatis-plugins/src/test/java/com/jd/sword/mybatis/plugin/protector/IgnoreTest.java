package com.jd.sword.mybatis.plugin.protector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.jd.sword.mybatis.plugin.protector.exception.ProtectionAbortException;
import com.jd.sword.sqlthrottle.Reason;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.cursor.Cursor;
import org.apache.ibatis.executor.BatchExecutor;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.RowBounds;
import org.apache.ibatis.session.SqlSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What each signature gets of a statement that is ignored. */
class IgnoreTest {
    @ParameterizedTest
    @EnumSource(ExecutorType.class)
    void aQueryHasNoRows(ExecutorType type) throws Exception {
        try (Shop shop = Shop.ignoring(); SqlSession session = shop.session(type)) {
            Users users = session.getMapper(Users.class);
            assertThat(users.names()).isEmpty();
            assertThat(users.page(new RowBounds(1, 2))).isEmpty();
            assertThat(users.name(1)).isNull();
            assertThat(users.optional(1)).isEmpty();
            assertThat(users.byId()).isEmpty();
            assertThat(users.columns(1)).isNull();
            assertThat(users.array()).isEmpty();
            assertThat(users.ids()).isEmpty();
            assertThat(users.set()).isEmpty();
            assertThat(users.boxedCount()).isNull();
            assertThat(users.eager(3)).isEmpty();
            List<String> handled = new ArrayList<>();
            users.each(row -> handled.add(row.getResultObject()));
            assertThat(handled).isEmpty();
            assertThat(shop.decided("ignore")).isEqualTo(12);
            // That of the dialect alone, which is asked once.
            assertThat(shop.taken).hasValue(1);
        }
    }

    @Test
    void aPrimitiveIsAborted() throws Exception {
        try (Shop shop = Shop.ignoring(); SqlSession session = shop.session()) {
            Users users = session.getMapper(Users.class);
            List<Runnable> calls = Arrays.asList(users::count, users::countLong, users::any);
            for (Runnable call : calls) {
                assertThatThrownBy(call::run).satisfies(IgnoreTest::cannotBeIgnored);
            }
        }
    }

    @Test
    void aReadThatLocksIsAborted() throws Exception {
        try (Shop shop = Shop.ignoring(); SqlSession session = shop.session()) {
            assertThatThrownBy(() -> session.getMapper(Users.class).locked(1)).satisfies(IgnoreTest::cannotBeIgnored);
        }
    }

    @Test
    void aSelectThatSaysThatItWritesIsAborted() throws Exception {
        // The oldest MyBatis has none that could say so.
        boolean canSay = Arrays.stream(Select.class.getMethods()).anyMatch(method -> method.getName().equals("affectData"));
        try (Shop shop = Shop.ignoring(); SqlSession session = shop.session()) {
            Throwable failure = catchThrowable(() -> session.getMapper(Users.class).selectThatWrites(1));
            assertThat(ProtectionAbortException.in(failure).isPresent()).isEqualTo(canSay);
        }
    }

    @ParameterizedTest
    @EnumSource(value = ExecutorType.class, names = {"SIMPLE", "REUSE"})
    void anUpdateCountsNothing(ExecutorType type) throws Exception {
        try (Shop shop = Shop.ignoring(); SqlSession session = shop.session(type)) {
            Users users = session.getMapper(Users.class);
            assertThat(users.see(1)).isZero();
            assertThat(users.seeLong()).isZero();
            assertThat(users.seeAny()).isFalse();
            users.seeAll();
            assertThat(users.seeBoxed()).isZero();
            session.commit();
            assertThat(shop.seen()).isZero();
            assertThat(shop.decided("ignore")).isEqualTo(5);
        }
    }

    @Test
    void aKeyThatIsReadBackIsAborted() throws Exception {
        try (Shop shop = Shop.ignoring(); SqlSession session = shop.session()) {
            Users users = session.getMapper(Users.class);
            List<Runnable> calls = Arrays.asList(() -> users.insertGenerated(User.named("jug")),
                    () -> users.insertKeyBefore(User.named("new")), () -> users.insertKeyAfter(User.named("jug")));
            for (Runnable call : calls) {
                assertThatThrownBy(call::run).satisfies(IgnoreTest::cannotBeIgnored);
            }
            session.commit(true);
            assertThat(shop.count("orders")).isEqualTo(3);
        }
    }

    @Test
    void aKeyThatNobodyReadsBackIsNoReason() throws Exception {
        try (Shop shop = Shop.with(Shop.rule("block: true", "strategy: ignore"), options -> options.setUseGeneratedKeys(true));
                SqlSession session = shop.session()) {
            assertThat(session.getMapper(Users.class).insert(User.named("new"))).isZero();
        }
    }

    @Test
    void aBatchGetsWhatBatchesGetAndIsAddedNothing() throws Exception {
        try (Shop shop = Shop.with(Shop.rule("fixed_window: {max: 2, window: 1m}", "strategy: ignore"));
                SqlSession session = shop.session(ExecutorType.BATCH)) {
            Users users = session.getMapper(Users.class);
            for (int i = 1; i <= 4; i++) {
                assertThat(users.see(i)).isEqualTo(BatchExecutor.BATCH_UPDATE_RETURN_VALUE);
            }
            assertThat(session.flushStatements()).hasSize(1).first().satisfies(result ->
                    assertThat(result.getUpdateCounts()).hasSize(2));
            session.commit();
            assertThat(shop.seen()).isEqualTo(2);
        }
    }

    @Test
    void aCursorHasNoRows() throws Exception {
        try (Shop shop = Shop.ignoring(); SqlSession session = shop.session()) {
            Cursor<String> cursor = session.getMapper(Users.class).cursor();
            assertThat(cursor.isOpen()).isFalse();
            assertThat(cursor.isConsumed()).isFalse();
            assertThat(cursor.getCurrentIndex()).isEqualTo(-1);
            Iterator<String> rows = cursor.iterator();
            assertThat(rows.hasNext()).isFalse();
            assertThatThrownBy(rows::next).isInstanceOf(NoSuchElementException.class);
            assertThat(cursor.isConsumed()).isTrue();
            assertThatThrownBy(cursor::iterator).isInstanceOf(IllegalStateException.class);
            cursor.close();
            Cursor<String> closed = session.getMapper(Users.class).cursor();
            closed.close();
            assertThatThrownBy(closed::iterator).isInstanceOf(IllegalStateException.class);
            assertThat(closed.isConsumed()).isFalse();
            Cursor<String> offset = session.selectCursor(Users.class.getName() + ".names", null, new RowBounds(2, 2));
            assertThat(offset.getCurrentIndex()).isEqualTo(1);
            // One that is left open: closing the session is the last that it sees.
        }
    }

    @Test
    void aShareOfThemPasses() throws Exception {
        try (Shop shop = Shop.with(Shop.rule("block: true", "strategy: ignore, share: 1/2")); SqlSession session = shop.session()) {
            Users users = session.getMapper(Users.class);
            assertThat(users.see(1)).isEqualTo(1);
            assertThat(users.see(2)).isZero();
            assertThat(users.see(3)).isEqualTo(1);
            assertThat(users.see(4)).isZero();
        }
    }

    private static void cannotBeIgnored(Throwable e) {
        assertThat(ProtectionAbortException.in(e)).hasValueSatisfying(abort ->
                assertThat(abort.getReason()).isEqualTo(Reason.IGNORE_UNAVAILABLE));
    }
}
