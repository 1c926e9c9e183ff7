package com.jd.sword.sqlthrottle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.ref.WeakReference;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class CloseTest {
    @Test
    void aClosedThrottleSaysSoWhateverItIsAsked() throws Exception {
        Throttle throttle = Throttle.of("rules: [{name: one, limit: {concurrency: {max: 1}}}]");
        PreparedCheck prepared = throttle.prepare("select 1");
        Statements statements = throttle.statements(Dialect.MYSQL);
        KnownStatement known = statements.keep("select 4");
        Decision decision = throttle.check("select 1");
        StatementContext context = StatementContext.of("dev", null);
        // One text that is known, and one that is not.
        throttle.isAllowed("select 2");
        throttle.isAllowed("select 2");
        assertThat(throttle.isClosed()).isFalse();
        throttle.close();
        throttle.close();
        assertThat(throttle.isClosed()).isTrue();
        assertThat(throttle.release(decision)).isFalse();

        Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
        calls.put("check", () -> throttle.check("select 2"));
        calls.put("check in a context", () -> throttle.check("select 3", context));
        calls.put("isAllowed", () -> throttle.isAllowed("select 2"));
        calls.put("isAllowed in a context", () -> throttle.isAllowed("select 2", context));
        calls.put("checkRequest", () -> throttle.checkRequest(context));
        calls.put("guard", () -> throttle.guard("select 2"));
        calls.put("prepare", () -> throttle.prepare("select 2"));
        calls.put("prepared check", prepared::check);
        calls.put("prepared isAllowed", prepared::isAllowed);
        calls.put("prepared guard", prepared::guard);
        calls.put("known statement", () -> known.checkOrPass(Fakes.NONE, 1, null, null));
        calls.put("what is faked of a known statement", known::faked);
        calls.put("statement that would be kept", () -> statements.keep("select 5"));
        calls.put("statements", () -> statements.check("select 2", Fakes.NONE, 1, null));
        calls.put("recordDuration", () -> throttle.recordDuration(decision, Duration.ZERO));
        calls.put("reload", () -> throttle.reload(""));
        calls.put("reload of a file", () -> throttle.reload(Paths.get("nowhere")));
        calls.put("refresh", throttle::refresh);
        calls.put("admin", () -> throttle.admin("SHOW GLOBAL sql_throttle_rules"));
        calls.put("snapshot", throttle::snapshot);
        calls.put("metrics", throttle::metrics);
        calls.put("top", () -> throttle.top(1));
        calls.put("fingerprint", () -> throttle.fingerprint("select 1"));
        calls.put("normalize", () -> throttle.normalize("select 1"));
        calls.put("afterRestore", throttle::afterRestore);
        calls.forEach((name, call) -> assertThatThrownBy(call).as(name).isInstanceOf(IllegalStateException.class)
                .hasMessage("the throttle is closed"));
    }

    @Test
    void whatWaitsWhenAThrottleIsClosedIsResumedNoMore() {
        Throttle throttle = Throttle.of("rules: [{name: slow, limit: {block: true}, then: {strategy: delay, delay: 1ms}}]");
        Decision delayed = throttle.check("select 1");
        throttle.close();
        assertThatThrownBy(() -> throttle.resume(delayed)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aGuardThatWaitsIsToldSo() throws Exception {
        Throttle throttle = Throttle.of("rules: [{name: slow, limit: {block: true}, then: {strategy: delay, delay: 1h}}]");
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try {
            Future<Guard> waiting = threads.submit(() -> throttle.guard("select 1"));
            while (!throttle.snapshot().contains("\"waiting\":1")) {
                Thread.onSpinWait();
            }
            throttle.close();
            assertThatThrownBy(waiting::get).hasCauseInstanceOf(IllegalStateException.class).hasMessageContaining("the throttle is closed");
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void whatEndsWithAThrottleEndsOnceAndNotWhereItIsTakenBack() {
        Throttle throttle = Throttle.of("");
        List<String> ended = new ArrayList<>();
        throttle.onClose(() -> ended.add("one"));
        throttle.onClose(() -> ended.add("taken back")).run();
        throttle.close();
        throttle.close();
        assertThat(ended).containsExactly("one");
        throttle.onClose(() -> ended.add("late"));
        assertThat(ended).containsExactly("one", "late");
    }

    /** Threads check and reload while the throttle is closed under them, again and again. */
    @Test
    void aThrottleIsClosedUnderItsThreads() throws Exception {
        int threads = 8;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            for (int round = 0; round < 25; round++) {
                Throttle throttle = Throttle.of("default_threshold: 1000000\nrules: [{name: c, limit: {concurrency: {max: 4}}}]");
                CyclicBarrier start = new CyclicBarrier(threads + 1);
                List<Future<Integer>> tasks = new ArrayList<>();
                for (int i = 0; i < threads; i++) {
                    int number = i;
                    tasks.add(pool.submit(() -> {
                        start.await();
                        return untilClosed(throttle, number);
                    }));
                }
                start.await();
                for (int i = 0; i < 20; i++) {
                    throttle.check("select " + i);
                }
                throttle.close();
                for (Future<Integer> task : tasks) {
                    assertThat(task.get()).isNotNegative();
                }
            }
        } finally {
            pool.shutdownNow();
        }
    }

    private static int untilClosed(Throttle throttle, int number) {
        StatementContext context = StatementContext.builder().user("u" + number).tag("n", "v").parameters("1").build();
        int done = 0;
        try {
            for (;; done++) {
                throttle.release(throttle.check("select * from t where id = " + done % 50));
                throttle.release(throttle.check("select * from s where id = ?", context));
                throttle.isAllowed("select 1");
                if (done % 16 == number) {
                    throttle.reload("default_threshold: " + (1000 + done) + "\nrules: [{name: c, limit: {concurrency: {max: 4}}}]");
                    throttle.snapshot();
                }
            }
        } catch (IllegalStateException closed) {
            assertThat(closed).hasMessage("the throttle is closed");
            return done;
        }
    }

    @Test
    void aClockAndAWindowAreClosedAndThoseThatGoByTheClockGoOn() {
        ManualClock clock = new ManualClock();
        SlidingWindowCounter window = new SlidingWindowCounter(Duration.ofSeconds(1), 10, clock);
        try (Throttle throttle = Throttle.builder().rules("default_threshold: 1").clock(clock).open()) {
            clock.close();
            clock.close();
            assertThatThrownBy(() -> clock.advance(Duration.ofSeconds(1))).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(clock::now).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> Throttle.builder().clock(clock).open()).isInstanceOf(IllegalStateException.class);
            assertThat(window.record()).isEqualTo(1);
            assertThat(throttle.isAllowed("select 1")).isTrue();
            assertThat(throttle.isAllowed("select 1")).isFalse();
        }
        window.close();
        window.close();
        assertThatThrownBy(window::record).isInstanceOf(IllegalStateException.class);
    }

    /** Whatever an application keeps of it: a class loader that is let go of takes all of it along. */
    @Test
    void aClosedThrottleIsFreedWhateverIsStillHeldOfIt() throws Exception {
        Throttle throttle = Throttle.of("rules: [{name: one, limit: {concurrency: {max: 1}}}]");
        PreparedCheck prepared = throttle.prepare("select 1");
        Statements statements = throttle.statements(null);
        Guard guard = throttle.guard("select 1");
        WeakReference<NativeEngine> engine = new WeakReference<>(throttle.checker().engine());
        WeakReference<NativePrepared> text = new WeakReference<>(prepared.prepared());
        throttle.close();
        while (engine.get() != null || text.get() != null) {
            System.gc();
            Thread.onSpinWait();
        }
        guard.close();
        assertThatThrownBy(prepared::check).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> statements.faked("select 1")).isInstanceOf(IllegalStateException.class);
        assertThat(throttle.isClosed()).isTrue();
    }
}
