package com.jd.sword.sqlthrottle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AmbientContextTest {
    private static final StatementContext DEV = StatementContext.builder().user("dev").tag("endpoint", "report").build();
    private static final StatementContext SHOP = StatementContext.builder().database("shop").build();

    @AfterEach
    void nothingIsLeftBehind() {
        AmbientContext.carrier(null);
        assertThat(AmbientContext.current()).isNull();
    }

    @Test
    void aScopeIsInForceUntilItIsClosed() {
        assertThat(AmbientContext.current()).isNull();
        try (AmbientContext.Scope outer = AmbientContext.open(DEV)) {
            assertThat(AmbientContext.current()).isSameAs(DEV);
            try (AmbientContext.Scope inner = AmbientContext.open(SHOP)) {
                assertThat(AmbientContext.current().database()).isEqualTo("shop");
                assertThat(AmbientContext.current().user()).as("of the scope around it").isEqualTo("dev");
                inner.close();
                assertThat(AmbientContext.current()).isSameAs(DEV);
            }
            assertThat(AmbientContext.current()).as("closed a second time, it changes nothing").isSameAs(DEV);
        }
    }

    @Test
    void aScopeIsClosedByItsThread() throws Exception {
        try (AmbientContext.Scope scope = AmbientContext.open(DEV)) {
            FutureTask<Void> elsewhere = new FutureTask<>(() -> {
                assertThat(AmbientContext.current()).isNull();
                assertThatThrownBy(scope::close).isInstanceOf(IllegalStateException.class);
                return null;
            });
            new Thread(elsewhere).start();
            elsewhere.get();
            assertThat(AmbientContext.current()).isSameAs(DEV);
        }
    }

    @Test
    void everyKindOfCheckIsMadeInIt() throws Exception {
        String rules = "rules: [{name: reports, match: {tags: {endpoint: report}, user: dev}, limit: {block: true}},"
                + " {name: requests, 'on': request, match: {user: dev}, limit: {block: true}}]";
        try (Throttle throttle = Throttle.of(rules)) {
            PreparedCheck prepared = throttle.prepare("select 1");
            assertThat(throttle.isAllowed("select 1")).isTrue();
            AmbientContext.run(DEV, () -> {
                assertThat(throttle.check("select 1").rule()).isEqualTo("reports");
                assertThat(throttle.check("select 1", SHOP).rule()).isEqualTo("reports");
                assertThat(throttle.check("select 1", StatementContext.of("ops", null)).rule()).as("its own user").isNull();
                assertThat(throttle.isAllowed("select 1")).isFalse();
                assertThat(throttle.isAllowed("select 1", SHOP)).isFalse();
                assertThat(throttle.checkRequest(StatementContext.empty()).rule()).isEqualTo("requests");
                assertThat(prepared.check().rule()).isEqualTo("reports");
                assertThat(prepared.isAllowed()).isFalse();
                assertThatThrownBy(() -> throttle.guard("select 1")).isInstanceOf(SqlThrottledException.class);
                assertThat(throttle.guardAsync("select 1")).isCompletedExceptionally();
                assertThat(prepared.guardAsync()).isCompletedExceptionally();
                assertThat(throttle.statements(null).check("select 1", Fakes.NONE, 1, null).rule())
                        .as("integrations say it themselves").isNull();
            });
            assertThat(throttle.isAllowed("select 1")).isTrue();
            assertThat(prepared.isAllowed()).isTrue();
        }
    }

    @Test
    void tasksTakeItToOtherThreads() throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try (AmbientContext.Scope scope = AmbientContext.open(DEV)) {
            Callable<StatementContext> current = AmbientContext::current;
            Callable<StatementContext> wrapped = AmbientContext.wrap(current);
            assertThat(pool.submit(wrapped).get()).isSameAs(DEV);
            Executor executor = AmbientContext.wrap((Executor) pool);
            assertThat(CompletableFuture.supplyAsync(AmbientContext::current, executor).get()).isSameAs(DEV);
            CompletableFuture<StatementContext> ran = new CompletableFuture<>();
            Runnable action = () -> ran.complete(AmbientContext.current());
            pool.execute(AmbientContext.wrap(action));
            assertThat(ran.get()).isSameAs(DEV);
            assertThat(pool.submit(current).get()).as("left as it was").isNull();
        } finally {
            pool.shutdown();
        }
        Callable<String> alone = () -> "x";
        assertThat(AmbientContext.wrap(alone)).isSameAs(alone);
        assertThat(AmbientContext.call(DEV, () -> AmbientContext.current().user())).isEqualTo("dev");
    }

    /** As a program does that has a ScopedValue. */
    @Test
    void aCarrierIsAskedWhereNoScopeIsOpen() {
        AmbientContext.carrier(() -> DEV);
        assertThat(AmbientContext.current()).isSameAs(DEV);
        try (AmbientContext.Scope scope = AmbientContext.open(SHOP)) {
            assertThat(AmbientContext.current().user()).isEqualTo("dev");
            assertThat(AmbientContext.current().database()).isEqualTo("shop");
        }
        AmbientContext.carrier(() -> null);
        assertThat(AmbientContext.current()).isNull();
        assertThat(AmbientContext.over(SHOP)).isSameAs(SHOP);
        assertThat(AmbientContext.over(null)).isNull();
        try (AmbientContext.Scope scope = AmbientContext.open(DEV)) {
            assertThat(AmbientContext.over(SHOP).database()).isEqualTo("shop");
            assertThat(AmbientContext.over(StatementContext.of("ops", null)).user()).as("defaults are weaker").isEqualTo("dev");
        }
    }

    /** It is said for many statements, so what is of one of them is not in it. */
    @Test
    void weightFakesAndParametersAreOfOneStatement() {
        String rules = "default_threshold: {max_count: 100, window: 10s}\n"
                + "rules: [{name: quiet, match: {tables: [q]}, limit: {block: true}, then: {strategy: ignore}}]";
        StatementContext heavy = DEV.toBuilder().weight(5).fakes(Fakes.ROWS).parameters("1").build();
        try (Throttle throttle = Throttle.of(rules); AmbientContext.Scope scope = AmbientContext.open(heavy)) {
            assertThat(throttle.check("select 1 from t").count()).isEqualTo(1);
            assertThat(throttle.isAllowed("select 1 from t")).isTrue();
            assertThat(throttle.check("select 1 from t").count()).isEqualTo(3);
            assertThat(throttle.check("select 1 from q").verdict()).as("it can fake nothing").isEqualTo(Verdict.ABORT);
            assertThat(AmbientContext.over(SHOP).parameters()).isEmpty();
            assertThat(AmbientContext.current().user()).isEqualTo("dev");
            assertThat(AmbientContext.current()).isSameAs(AmbientContext.current());
        }
        AmbientContext.carrier(() -> heavy);
        assertThat(AmbientContext.current().weight()).isEqualTo(1);
        assertThat(AmbientContext.current()).as("made once").isSameAs(AmbientContext.current());
    }

    /** At once, and not by whoever runs it, only where there is a context. */
    @Test
    void nothingIsNotWrapped() {
        assertThatThrownBy(() -> AmbientContext.wrap((Runnable) null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> AmbientContext.wrap((Callable<?>) null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> AmbientContext.wrap((Executor) null)).isInstanceOf(NullPointerException.class);
    }
}
