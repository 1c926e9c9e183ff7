package com.jd.sword.mybatis.plugin.protector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.jd.sword.mybatis.plugin.protector.exception.ProtectionAbortException;
import com.jd.sword.sqlthrottle.SqlThrottledException;
import java.util.Arrays;
import java.util.List;
import org.apache.ibatis.cursor.Cursor;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.SqlSessionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.mybatis.spring.SqlSessionTemplate;
import org.mybatis.spring.transaction.SpringManagedTransactionFactory;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What mybatis-spring makes of it. */
@Tag("mybatis-spring")
class SpringTranslationTest {
    private static SqlSessionFactory factory(Shop shop) {
        return shop.factory(shop.source, options -> {
            options.setEnvironment(new org.apache.ibatis.mapping.Environment("spring", new SpringManagedTransactionFactory(), shop.source));
            options.addInterceptor(shop.plugin);
        });
    }

    @Test
    void anAbortIsTranslatedByItsSqlState() throws Exception {
        try (Shop shop = Shop.aborting()) {
            Users users = new SqlSessionTemplate(factory(shop)).getMapper(Users.class);
            List<Runnable> calls = Arrays.asList(users::names, () -> users.see(1), () -> users.eager(1), users::cursor);
            for (Runnable call : calls) {
                assertThatThrownBy(call::run).isInstanceOf(DataAccessResourceFailureException.class)
                        .hasCauseInstanceOf(SqlThrottledException.class);
            }
        }
    }

    @Test
    void soIsOneBeneathAnotherStatement() throws Exception {
        String rules = "rules: [{name: users, match: {pattern: 'select (max|item)'}, limit: {block: true}}]";
        try (Shop shop = Shop.with(rules)) {
            Users users = new SqlSessionTemplate(factory(shop)).getMapper(Users.class);
            List<Runnable> calls = Arrays.asList(() -> users.eager(1), () -> users.insertKeyBefore(User.named("new")),
                    () -> users.insertKeyAfter(User.named("jug")));
            for (Runnable call : calls) {
                assertThatThrownBy(call::run).isInstanceOf(DataAccessResourceFailureException.class)
                        .hasCauseInstanceOf(SqlThrottledException.class);
            }
        }
    }

    @Test
    void aWaitThatIsInterruptedIsNone() throws Exception {
        try (Shop shop = Shop.with(Shop.rule("block: true", "strategy: delay, delay: 1h"))) {
            Users users = new SqlSessionTemplate(factory(shop)).getMapper(Users.class);
            Thread.currentThread().interrupt();
            Throwable failure = catchThrowable(users::names);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(failure).isInstanceOf(UncategorizedSQLException.class);
            assertThat(ProtectionAbortException.in(failure)).isEmpty();
        }
    }

    @Test
    void aCursorOutsideATransactionIsOverWithItsSession() throws Exception {
        try (Shop shop = Shop.with(Shop.rule("concurrency: {max: 1}", "strategy: abort"))) {
            SqlSessionFactory factory = factory(shop);
            Users users = new SqlSessionTemplate(factory).getMapper(Users.class);
            users.cursor();
            assertThat(shop.held()).isZero();
            TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(shop.source));
            transaction.executeWithoutResult(status -> {
                Cursor<String> cursor = users.cursor();
                assertThat(shop.held()).isEqualTo(1);
                assertThat(cursor.iterator().next()).isEqualTo("user 1");
            });
            assertThat(shop.held()).isZero();
            assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                users.cursor();
                throw new IllegalStateException("expected");
            })).hasMessage("expected");
            assertThat(shop.held()).isZero();
        }
    }

    @Test
    void aBatchIsSentByTheTransactionAndCountedOnce() throws Exception {
        try (Shop shop = Shop.with(Shop.rule("concurrency: {max: 9}", "strategy: abort"))) {
            Users users = new SqlSessionTemplate(factory(shop), ExecutorType.BATCH).getMapper(Users.class);
            new TransactionTemplate(new DataSourceTransactionManager(shop.source)).executeWithoutResult(status -> {
                users.see(1);
                users.see(2);
                assertThat(shop.held()).isEqualTo(1);
            });
            assertThat(shop.seen()).isEqualTo(2);
            assertThat(shop.decided("allow")).isEqualTo(2);
            assertThat(shop.held()).isZero();
        }
    }
}
