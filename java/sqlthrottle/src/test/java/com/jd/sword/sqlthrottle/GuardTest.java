package com.jd.sword.sqlthrottle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoMoreInteractions;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mockito.ArgumentCaptor;

@Timeout(60)
class GuardTest {
    private static final String ONE = "rules: [{name: one, limit: {concurrency: {max: 1}}}]";
    private static final String BLOCKED = "rules: [{name: blocked, limit: {block: true}}]";

    /** Every statement waits for so long, and then holds a place. */
    private static String delaying(String delay) {
        return "rules: [{name: slow, limit: {block: true}, then: {strategy: delay, delay: " + delay + "}},"
                + " {name: places, limit: {concurrency: {max: 10}}}]";
    }

    private static int placesInUse(Throttle throttle) {
        return ThrottleTest.rule(throttle, "places").get("in_use").asInt();
    }

    @Test
    void aGuardHoldsItsPlaceUntilItIsClosed() throws Exception {
        try (Throttle throttle = Throttle.of(ONE)) {
            Guard guard = throttle.guard("select 1");
            assertThat(guard.decision().hasPermit()).isTrue();
            assertThatThrownBy(() -> throttle.guard("select 1")).isInstanceOf(SqlThrottledException.class);
            guard.close();
            Guard next = throttle.guard("select 1", StatementContext.of("dev", null));
            // Of another statement by now.
            guard.close();
            assertThatThrownBy(() -> throttle.prepare("select 1").guard()).isInstanceOf(SqlThrottledException.class);
            next.close();
            throttle.prepare("select 1").guard().close();
        }
    }

    @Test
    void whatMayNotBeSentIsAnSqlExceptionThatNamesTheRuleAndNoText() throws Exception {
        String rules = "default_threshold: {max_count: 1, window: 10s}";
        try (ManualClock clock = new ManualClock();
                Throttle throttle = Throttle.builder().rules(rules).clock(clock).open()) {
            throttle.guard("select * from users where secret = 'x'").close();
            assertThatThrownBy(() -> throttle.guard("select * from users where secret = 'y'"))
                    .isInstanceOfSatisfying(SqlThrottledException.class, refused -> {
                        assertThat(refused.getSQLState()).isEqualTo("53400");
                        assertThat(refused.getErrorCode()).isZero();
                        assertThat(refused.getRule()).isEqualTo("default_threshold");
                        assertThat(refused.getReason()).isEqualTo(Reason.OVER_LIMIT);
                        assertThat(refused.getFingerprint()).hasSize(64);
                        assertThat(refused.getRetryAfter()).isEqualTo(refused.getDecision().retryAfter());
                        assertThat(refused.getRetryAfterMillis())
                                .isEqualTo((refused.getRetryAfter().toNanos() + 999_999) / 1_000_000);
                        assertThat(refused.getMessage()).contains("default_threshold", "2 of 1").doesNotContain("users", "secret");
                    });
        }
    }

    @Test
    void whatIsToBeIgnoredSaysSo() {
        String rules = "rules: [{name: quiet, limit: {block: true}, then: {strategy: ignore}}]";
        try (Throttle throttle = Throttle.of(rules)) {
            StatementContext rows = StatementContext.builder().fakes(Fakes.ROWS).build();
            assertThatThrownBy(() -> throttle.guard("select 1", rows)).isInstanceOfSatisfying(SqlThrottledException.class,
                    ignored -> assertThat(ignored.getDecision().verdict()).isEqualTo(Verdict.IGNORE));
        }
    }

    @Test
    void aGuardWaitsAndThenHoldsItsPlace() throws Exception {
        try (Throttle throttle = Throttle.of(delaying("1ms"))) {
            try (Guard guard = throttle.guard("select 1")) {
                assertThat(guard.decision().isAllowed()).isTrue();
                assertThat(placesInUse(throttle)).isEqualTo(1);
            }
            assertThat(placesInUse(throttle)).isZero();
            assertThat(ThrottleTest.rule(throttle, "slow").get("delayed").asInt()).isEqualTo(1);
        }
    }

    @Test
    void aThreadThatIsInterruptedWhileItWaitsHoldsNothing() throws Exception {
        try (Throttle throttle = Throttle.of(delaying("1h"))) {
            FutureTask<Guard> waiting = new FutureTask<>(() -> throttle.guard("select 1"));
            Thread thread = new Thread(waiting);
            thread.start();
            while (thread.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            thread.interrupt();
            assertThatThrownBy(waiting::get).hasCauseInstanceOf(InterruptedException.class);
            assertThat(placesInUse(throttle)).isZero();
        }
    }

    @Test
    void aThreadThatWasInterruptedBeforeDoesNotWaitAndNeedNotWhereItMayPass() throws Exception {
        try (Throttle throttle = Throttle.of(delaying("1h")); Throttle open = Throttle.of("")) {
            Thread.currentThread().interrupt();
            open.guard("select 1").close();
            assertThat(Thread.currentThread().isInterrupted()).as("left to the caller").isTrue();
            assertThatThrownBy(() -> throttle.guard("select 1")).isInstanceOf(InterruptedException.class);
            assertThat(Thread.interrupted()).isFalse();
        }
    }

    @Test
    void aGuardMayBeClosedAfterItsThrottle() throws Exception {
        Throttle throttle = Throttle.of(ONE);
        Guard guard = throttle.guard("select 1");
        throttle.close();
        guard.close();
        guard.close();
    }

    @Test
    void aFutureGuardIsThereAtOnceWhereNothingWaits() throws Exception {
        try (Throttle throttle = Throttle.of(ONE)) {
            CompletableFuture<Guard> first = throttle.guardAsync("select 1");
            assertThat(first).isCompleted();
            CompletableFuture<Guard> second = throttle.guardAsync("select 1", StatementContext.of("dev", null));
            assertThatThrownBy(second::join).isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(SqlThrottledException.class);
            first.get().close();
            throttle.prepare("select 1").guardAsync().get().close();
        }
    }

    @Test
    void aFutureGuardWaitsWithoutAThread() throws Exception {
        try (Throttle throttle = Throttle.of(delaying("1ms"))) {
            try (Guard guard = throttle.guardAsync("select 1").get()) {
                assertThat(guard.decision().isAllowed()).isTrue();
                assertThat(placesInUse(throttle)).isEqualTo(1);
            }
            assertThat(placesInUse(throttle)).isZero();
        }
    }

    @Test
    void aFutureGuardWaitsByTheSchedulerThatIsNamed() throws Exception {
        ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "named"));
        try (Throttle throttle = Throttle.of(delaying("10ms"))) {
            CountDownLatch awaited = occupied(scheduler);
            CompletableFuture<String> thread = new CompletableFuture<>();
            throttle.guardAsync("select 1", StatementContext.empty(), scheduler).thenAccept(guard -> {
                guard.close();
                thread.complete(Thread.currentThread().getName());
            });
            awaited.countDown();
            assertThat(thread.get()).isEqualTo("named");
            scheduler.shutdown();
            assertThatThrownBy(() -> throttle.guardAsync("select 1", StatementContext.empty(), scheduler).get())
                    .as("what the scheduler refuses comes out of the future").isInstanceOf(ExecutionException.class);
        } finally {
            scheduler.shutdownNow();
        }
    }

    @Test
    void aFutureGuardThatIsCancelledHoldsNothing() throws Exception {
        ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
        try (Throttle throttle = Throttle.of(delaying("50ms"))) {
            CountDownLatch cancelled = occupied(scheduler);
            CompletableFuture<Guard> waiting = throttle.guardAsync("select 1", StatementContext.empty(), scheduler);
            assertThat(waiting.cancel(false)).isTrue();
            cancelled.countDown();
            // What was scheduled runs before what is scheduled behind it.
            scheduler.schedule(() -> { }, 60, TimeUnit.MILLISECONDS).get();
            assertThat(placesInUse(throttle)).isZero();
            assertThat(ThrottleTest.rule(throttle, "slow").get("resumed").asInt()).isZero();
        } finally {
            scheduler.shutdownNow();
        }
    }

    /** The one thread of a scheduler does nothing else until this is counted down. */
    private static CountDownLatch occupied(ScheduledExecutorService scheduler) {
        CountDownLatch latch = new CountDownLatch(1);
        scheduler.execute(() -> {
            try {
                latch.await();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        });
        return latch;
    }

    /** Of a delay of an hour, what is cancelled is not to be kept for an hour. */
    @Test
    void aFutureGuardThatIsCancelledLeavesNoTimer() {
        ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1);
        scheduler.setRemoveOnCancelPolicy(true);
        try (Throttle throttle = Throttle.of(delaying("1h"))) {
            CompletableFuture<Guard> waiting = throttle.guardAsync("select 1", StatementContext.empty(), scheduler);
            assertThat(scheduler.getQueue()).hasSize(1);
            waiting.cancel(false);
            assertThat(scheduler.getQueue()).isEmpty();
        } finally {
            scheduler.shutdownNow();
        }
    }

    @Test
    void aTimerThatIsCancelledIsForgottenAtOnce() {
        AtomicInteger ran = new AtomicInteger();
        WeakReference<Object> kept = cancelled(ran);
        for (int i = 0; i < 20 && kept.get() != null; i++) {
            System.gc();
        }
        assertThat(kept.get()).isNull();
        assertThat(ran).hasValue(0);
    }

    private static WeakReference<Object> cancelled(AtomicInteger ran) {
        Object held = new Object();
        Timer.later(TimeUnit.HOURS.toNanos(1), () -> ran.addAndGet(held.hashCode() | 1)).cancel(false);
        return new WeakReference<>(held);
    }

    @Test
    void aFutureGuardFailsWhereTheThrottleIsClosed() {
        Throttle throttle = Throttle.of(delaying("1h"));
        CompletableFuture<Guard> waiting = throttle.guardAsync("select 1");
        throttle.close();
        assertThatThrownBy(waiting::get).hasCauseInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> throttle.guardAsync("select 1").get()).hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void retryAfterIsRoundedUpAndMayBeNone() {
        try (Throttle throttle = Throttle.of(BLOCKED)) {
            SqlThrottledException refused = new SqlThrottledException(throttle.check("select 1"));
            assertThat(refused.getRetryAfter()).isNull();
            assertThat(refused.getRetryAfterMillis()).isEqualTo(-1);
        }
        long overLimit = Verdict.ABORT.ordinal() + 1 | (Reason.OVER_LIMIT.ordinal() + 1) << 4;
        Decision decision = new Decision(overLimit, "r", 2, 1, null, new Decision.Rare(null, 1_000_001, -1, 0, 0));
        assertThat(new SqlThrottledException(decision).getRetryAfterMillis()).isEqualTo(2);
        assertThat(decision.retryAfter()).isEqualTo(Duration.ofNanos(1_000_001));
        assertThat(decision).asString().contains("room in 0.002 s");
        Decision late = new Decision(overLimit, "r", 2, 1, null, new Decision.Rare(null, Long.MAX_VALUE, 3_600_000_000_000L, 0, 0));
        assertThat(late).asString().contains("room in 9223372036.855 s", "to wait for 3600 s");
    }

    /** Blocks all, of which one may wait. */
    private static final String ONE_WAITS =
            "rules: [{name: slow, limit: {block: true}, then: {strategy: delay, delay: 1h, max_delayed: 1}}]";

    private static void assertNobodyWaits(Throttle throttle) {
        Decision next = throttle.check("select 1");
        assertThat(next.verdict()).as(next.toString()).isEqualTo(Verdict.DELAY);
        assertThat(throttle.giveUp(next)).isTrue();
    }

    @Test
    void whatIsGivenUpLetsAnotherWait() {
        try (Throttle throttle = Throttle.of(ONE_WAITS)) {
            Decision waiting = throttle.check("select 1");
            assertThat(throttle.check("select 1").reason()).isEqualTo(Reason.MAX_DELAYED);
            assertThat(throttle.giveUp(waiting)).isTrue();
            assertNobodyWaits(throttle);
            assertThat(throttle.giveUp(waiting)).as("a second time").isFalse();
            assertThat(throttle.resume(waiting).verdict()).isEqualTo(Verdict.ABORT);
            Decision last = throttle.check("select 1");
            assertThat(throttle.giveUp(throttle.check("select 1"))).as("it does not wait").isFalse();
            throttle.close();
            assertThat(throttle.giveUp(last)).isFalse();
        }
    }

    @Test
    void askingWhetherSomethingIsAllowedLeavesNothingWaiting() {
        try (Throttle throttle = Throttle.of(ONE_WAITS)) {
            PreparedCheck prepared = throttle.prepare("select 1");
            for (int i = 0; i < 5; i++) {
                assertThat(throttle.isAllowed("select 1")).isFalse();
                assertThat(prepared.isAllowed()).isFalse();
                assertThat(throttle.isAllowed("select 1", StatementContext.of("dev", null))).isFalse();
            }
            assertThat(ThrottleTest.rule(throttle, "slow").get("delayed").asInt()).isEqualTo(15);
            assertNobodyWaits(throttle);
        }
    }

    @Test
    void aThreadThatIsInterruptedGivesUpItsWait() {
        try (Throttle throttle = Throttle.of(ONE_WAITS)) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> throttle.guard("select 1")).isInstanceOf(InterruptedException.class);
            assertNobodyWaits(throttle);
        }
    }

    @Test
    void aFutureGuardGivesUpItsWaitWhereNobodyWaitsForIt() {
        ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
        try (Throttle throttle = Throttle.of(ONE_WAITS)) {
            throttle.guardAsync("select 1").cancel(false);
            assertNobodyWaits(throttle);
            throttle.guardAsync("select 1").completeExceptionally(new IllegalStateException("another way to end it"));
            assertNobodyWaits(throttle);
            scheduler.shutdown();
            assertThat(throttle.guardAsync("select 1", StatementContext.empty(), scheduler)).isCompletedExceptionally();
            assertNobodyWaits(throttle);
        } finally {
            scheduler.shutdownNow();
        }
    }

    /** Lets the statement through in another thread, by when the guard is cancelled: between the check and its answer. */
    private static void cancelledMeanwhile(Throttle throttle) {
        ScheduledExecutorService scheduler = mock(ScheduledExecutorService.class);
        ArgumentCaptor<Runnable> elsewhere = ArgumentCaptor.forClass(Runnable.class);
        Decision refill = new Decision(Verdict.REFILL_NEEDED.ordinal() + 1, null, 0, 0, null, Decision.Rare.NOTHING);
        AtomicReference<CompletableFuture<Guard>> pending = new AtomicReference<>();
        pending.set(PendingGuard.start(throttle.checker(), scheduler, flags -> {
            if (flags == NativeEngine.NO_REFILL) {
                return refill;
            }
            Decision decision = throttle.check("select 1");
            assertThat(pending.get().cancel(false)).isTrue();
            return decision;
        }));
        verify(scheduler).execute(elsewhere.capture());
        elsewhere.getValue().run();
        assertThat(pending.get()).isCancelled();
        verifyNoMoreInteractions(scheduler);
    }

    @Test
    void aGuardThatComesTooLateGivesItsPlaceBack() throws Exception {
        try (Throttle throttle = Throttle.of(ONE)) {
            cancelledMeanwhile(throttle);
            throttle.guard("select 1").close();
        }
    }

    @Test
    void aWaitThatBeginsTooLateIsGivenUp() {
        try (Throttle throttle = Throttle.of(ONE_WAITS)) {
            cancelledMeanwhile(throttle);
            assertNobodyWaits(throttle);
        }
    }
}
