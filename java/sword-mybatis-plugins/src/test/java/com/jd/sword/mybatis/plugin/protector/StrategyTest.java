package com.jd.sword.mybatis.plugin.protector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import com.jd.sword.mybatis.plugin.protector.exception.ProtectionAbortException;
import com.jd.sword.mybatis.plugin.protector.strategy.AbortPolicy;
import com.jd.sword.mybatis.plugin.protector.strategy.DelayPolicy;
import com.jd.sword.mybatis.plugin.protector.strategy.IgnorePolicy;
import com.jd.sword.mybatis.plugin.protector.strategy.NamedPolicy;
import com.jd.sword.mybatis.plugin.protector.strategy.ProtectedExecution;
import com.jd.sword.mybatis.plugin.protector.strategy.ProtectionStrategy;
import com.jd.sword.sqlthrottle.Decision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.ibatis.executor.BatchExecutor;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program's own strategies, over a real database. */
class StrategyTest {
    private final List<String> asked = new ArrayList<>();

    private interface Action {
        void with(Users users, Shop shop) throws Exception;
    }

    /** All beyond one of a shape is for the strategy. */
    private void with(ProtectionStrategy strategy, Action action) throws Exception {
        with(strategy, ExecutorType.SIMPLE, action);
    }

    private void with(ProtectionStrategy strategy, ExecutorType type, Action action) throws Exception {
        ThresholdConfig config = ThresholdConfig.builder(1).strategy(execution -> {
            asked.add(execution.statementId().replaceAll(".*\\.", "") + " " + execution.decision().count());
            return strategy.protect(execution);
        }).build();
        try (Shop shop = Shop.with("{}");
                SQLBasedDatabaseProtectorPlugin plugin = SQLBasedDatabaseProtectorPlugin.builder().thresholds(fingerprint -> config).clock(shop.clock).build()) {
            SqlSessionFactory factory = shop.factory(shop.source, options -> options.addInterceptor(plugin));
            try (SqlSession session = factory.openSession(type)) {
                action.with(session.getMapper(Users.class), shop);
                session.commit();
            }
        }
    }

    @Test
    void itMayLetAStatementPass() throws Exception {
        with(execution -> execution.proceed(), (users, shop) -> {
            assertThat(users.name(1)).isEqualTo("user 1");
            assertThat(users.name(2)).isEqualTo("user 2");
            assertThat(users.name(2)).as("from the cache of the session").isEqualTo("user 2");
            assertThat(users.see(1)).isEqualTo(1);
            assertThat(users.see(2)).isEqualTo(1);
            assertThat(shop.seen()).isZero();
            users.cursor().close();
            assertThat(users.cursor()).hasSize(Shop.USERS);
        });
        assertThat(asked).containsExactly("name 2", "see 2", "cursor 2");
    }

    @Test
    void itMayAnswerItself() throws Exception {
        with(execution -> execution.statementId().endsWith("see") ? (Object) 42 : Collections.singletonList("somebody"), (users, shop) -> {
            users.name(1);
            assertThat(users.name(2)).isEqualTo("somebody");
            users.see(1);
            assertThat(users.see(2)).isEqualTo(42);
        });
    }

    @Test
    void nothingStandsForTheEmptyResult() throws Exception {
        with(execution -> null, (users, shop) -> {
            users.name(1);
            assertThat(users.name(2)).isNull();
            users.count();
            users.see(1);
            assertThatThrownBy(users::count).satisfies(ExecutionTest::isAborted);
        });
    }

    @Test
    void itMayFail() throws Exception {
        with(execution -> {
            throw new IOException("not now");
        }, (users, shop) -> {
            users.name(1);
            assertThatThrownBy(() -> users.name(2)).hasRootCauseInstanceOf(IOException.class).rootCause().hasMessage("not now");
        });
    }

    @Test
    void aResultOfAnotherKindIsRefused() throws Exception {
        with(execution -> "a string", (users, shop) -> {
            users.name(1);
            assertThatThrownBy(() -> users.name(2)).rootCause().isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("java.lang.String").hasMessageContaining("proceed()");
        });
    }

    @Test
    void theLibrarysOwnMayBePartsOfIt() throws Exception {
        with(new AbortPolicy(), (users, shop) -> {
            users.name(1);
            assertThatThrownBy(() -> users.name(2)).satisfies(ExecutionTest::isAborted);
        });
        with(new IgnorePolicy(), (users, shop) -> {
            users.name(1);
            assertThat(users.name(2)).isNull();
            users.count();
            users.see(1);
            assertThatThrownBy(users::count).satisfies(ExecutionTest::isAborted);
        });
        with(DelayPolicy.of(Duration.ofMillis(1)), (users, shop) -> {
            users.name(1);
            assertThat(users.name(2)).isEqualTo("user 2");
        });
        with(DelayPolicy.untilAllowed(Duration.ofMillis(1)), (users, shop) -> {
            users.name(1);
            assertThatThrownBy(() -> users.name(2)).satisfies(ExecutionTest::isAborted);
        });
        with(new NamedPolicy("unknown"), (users, shop) -> {
            users.name(1);
            assertThatThrownBy(() -> users.name(2)).satisfies(ExecutionTest::isAborted);
        });
    }

    @Test
    void itDecidesOnNestedSelectsAndCannotAnswerThem() throws Exception {
        with(execution -> execution.proceed(), (users, shop) -> assertThat(users.eager(3)).hasSize(3));
        assertThat(asked).containsExactly("orders 2", "orders 3");
        with(execution -> Collections.singletonList("made up"), (users, shop) ->
                assertThatThrownBy(() -> users.eager(3)).satisfies(ExecutionTest::isAborted));
    }

    @Test
    void itDecidesOnBatches() throws Exception {
        with(execution -> asked.size() == 1 ? execution.proceed() : execution.emptyResult(), ExecutorType.BATCH, (users, shop) -> {
            for (int i = 1; i <= 3; i++) {
                assertThat(users.see(i)).isEqualTo(BatchExecutor.BATCH_UPDATE_RETURN_VALUE);
            }
            assertThat(users.names()).hasSize(Shop.USERS);
            assertThat(asked).hasSize(2);
        });
    }

    @Test
    void rulesAndThresholdsCallItByName(@TempDir Path folder) throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yml"),
                "rules: [{name: all, match: {kinds: [update]}, limit: {block: true}, then: {strategy: 'custom:queue'}}]");
        try (Shop shop = Shop.with("{}");
                SQLBasedDatabaseProtectorPlugin plugin = SQLBasedDatabaseProtectorPlugin.builder().rules(rules)
                        .thresholds(fingerprint -> ThresholdConfig.builder(1).strategy(new NamedPolicy("queue")).build())
                        .strategy("queue", execution -> {
                            asked.add(execution.decision().custom());
                            return execution.proceed();
                        }).build()) {
            SqlSessionFactory factory = shop.factory(shop.source, options -> options.addInterceptor(plugin));
            try (SqlSession session = factory.openSession()) {
                Users users = session.getMapper(Users.class);
                users.see(1);
                users.name(1);
                users.name(2);
            }
            assertThat(asked).containsExactly("queue", "queue");
        }
    }

    @Test
    void aNameThatIsTakenOrNoneIsRefused() {
        ProtectorBuilder builder = SQLBasedDatabaseProtectorPlugin.builder();
        assertThatThrownBy(() -> builder.strategy("a b", new AbortPolicy())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.strategy(Strategies.OF_PROVIDER, new AbortPolicy())).isInstanceOf(IllegalArgumentException.class);
        assertThat(ProtectionAbortException.in(new IllegalStateException())).isEmpty();
    }

    @Test
    void oneThatThrowsTheResultAwayIsToldSo() throws Exception {
        with(execution -> {
            execution.proceed();
            return null;
        }, (users, shop) -> {
            users.see(1);
            assertThatThrownBy(() -> users.see(2)).rootCause().isInstanceOf(IllegalStateException.class).hasMessageContaining("has returned null");
        });
    }

    @Test
    void anExecutionEndsWithTheStrategy() throws Exception {
        AtomicReference<ProtectedExecution> kept = new AtomicReference<>();
        with(execution -> {
            kept.set(execution);
            return execution.emptyResult();
        }, (users, shop) -> {
            users.see(1);
            assertThat(users.see(2)).isZero();
            assertThatThrownBy(kept.get()::proceed).isInstanceOf(IllegalStateException.class).hasMessageContaining("until it returns");
            assertThatThrownBy(kept.get()::emptyResult).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> kept.get().await(Duration.ZERO)).isInstanceOf(IllegalStateException.class);
        });
    }

    @Test
    void anExecutionIsForItsThread() throws Exception {
        with(execution -> Background.start(execution::proceed).failure(), (users, shop) -> {
            users.see(1);
            assertThatThrownBy(() -> users.see(2)).rootCause().hasMessageContaining("has returned a java.lang.IllegalStateException");
        });
    }

    @Test
    void whatAProviderThrowsReachesNoCaller() {
        Decision decision = mock(Decision.class);
        when(decision.custom()).thenReturn(Strategies.OF_PROVIDER);
        when(decision.fingerprint()).thenReturn("9f2c41d07b6e");
        Strategies strategies = new Strategies(fingerprint -> {
            throw new IllegalStateException("its table is away");
        }, Collections.emptyMap());
        assertThat(strategies.of(decision)).isNull();
    }
}
