package com.jd.sword.sqlthrottle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ThresholdProviderTest {
    @BeforeEach
    void failuresAreExpected() {
        Logging.LOGGER.setLevel(Level.OFF);
    }

    @AfterEach
    void andNotElsewhere() {
        Logging.LOGGER.setLevel(null);
    }

    private static Throttle throttle(ThresholdProvider provider, ManualClock clock) {
        return Throttle.builder().rules("default_threshold: 2").thresholdProvider(provider).clock(clock).refresh(false).open();
    }

    @Test
    void itIsAskedOnceForAFingerprint() {
        AtomicInteger asked = new AtomicInteger();
        AtomicReference<String> fingerprint = new AtomicReference<>();
        try (Throttle throttle = throttle(digits -> {
            asked.incrementAndGet();
            fingerprint.set(digits);
            return Optional.of(Threshold.of(1));
        }, null)) {
            Decision first = throttle.check("select 1");
            assertThat(first.isAllowed()).isTrue();
            assertThat(first.limit()).isEqualTo(1);
            assertThat(fingerprint.get()).isEqualTo(first.fingerprint());
            assertThat(throttle.check("select 2").verdict()).isEqualTo(Verdict.ABORT);
            assertThat(throttle.isAllowed("select 3 from t")).isTrue();
            assertThat(throttle.isAllowed("select 4 from t")).isFalse();
            assertThat(asked).hasValue(2);
        }
    }

    @Test
    void whereItHasNoneTheOtherRulesDecide() {
        try (Throttle throttle = throttle(digits -> Optional.empty(), null)) {
            assertThat(throttle.check("select 1").rule()).isEqualTo("default_threshold");
        }
    }

    @Test
    void everyFieldOfAThresholdIsInForce() {
        AtomicReference<Threshold> next = new AtomicReference<>();
        try (ManualClock clock = new ManualClock(); Throttle throttle = throttle(digits -> Optional.of(next.get()), clock)) {
            StatementContext rows = StatementContext.builder().fakes(Fakes.ROWS).build();
            next.set(Threshold.builder(1).ignore().build());
            throttle.check("select 1 from a", rows);
            assertThat(throttle.check("select 1 from a", rows).verdict()).isEqualTo(Verdict.IGNORE);

            next.set(Threshold.builder(1).delay(Duration.ofMillis(70)).maxDelayed(1).build());
            throttle.check("select 1 from b");
            assertThat(throttle.check("select 1 from b").delay()).isEqualTo(Duration.ofMillis(70));
            assertThat(throttle.check("select 1 from b").reason()).isEqualTo(Reason.MAX_DELAYED);

            next.set(Threshold.builder(1).window(Duration.ofSeconds(10)).buckets(10).delayUntilAllowed(Duration.ofSeconds(20)).build());
            throttle.check("select 1 from c");
            assertThat(throttle.check("select 1 from c").delay()).isEqualTo(Duration.ofSeconds(11));

            next.set(Threshold.builder(1).custom("queue").build());
            throttle.check("select 1 from d");
            assertThat(throttle.check("select 1 from d").custom()).isEqualTo("queue");

            next.set(Threshold.builder(1).share(1, 2).build());
            throttle.check("select 1 from e");
            assertThat(throttle.check("select 1 from e").reason()).isEqualTo(Reason.PASSED_OVER);
            assertThat(throttle.check("select 1 from e").verdict()).isEqualTo(Verdict.ABORT);

            next.set(Threshold.builder(1).rate("1/2").abort().build());
            throttle.check("select 1 from f");
            assertThat(throttle.check("select 1 from f").reason()).isEqualTo(Reason.PASSED_OVER);
        }
    }

    @Test
    void aFailureKeepsTheLastAnswerAndIsCounted() throws Exception {
        AtomicReference<RuntimeException> failure = new AtomicReference<>();
        ThresholdProvider provider = new ThresholdProvider() {
            @Override
            public Optional<Threshold> threshold(String fingerprint) {
                if (failure.get() != null) {
                    throw failure.get();
                }
                return Optional.of(Threshold.of(1));
            }

            @Override
            public Duration timeToLive() {
                return Duration.ofSeconds(10);
            }
        };
        try (ManualClock clock = new ManualClock(); Throttle throttle = throttle(provider, clock)) {
            assertThat(throttle.check("select 1").limit()).isEqualTo(1);
            failure.set(new IllegalStateException("down"));
            clock.advance(Duration.ofSeconds(11));
            throttle.checker().renewThresholds();
            assertThat(throttle.check("select 1").limit()).as("what it said before").isEqualTo(1);
            assertThat(throttle.check("select 1 from other").rule()).as("where it never said anything").isEqualTo("default_threshold");
            assertThat(throttle.snapshot()).contains("\"provider_failures\":2");
            failure.set(null);
            clock.advance(Duration.ofSeconds(2));
            throttle.checker().renewThresholds();
            assertThat(throttle.check("select 1 from other").limit()).isEqualTo(1);
        }
    }

    @Test
    void whatItSaysThatIsNoThresholdIsAFailure() {
        for (Threshold refused : new Threshold[] {Threshold.of(0), Threshold.of(-1), Threshold.builder(1).rate("3/2").build(),
            Threshold.builder(1).buckets(0).build(), Threshold.builder(1).window(Duration.ZERO).build(), null}) {
            try (Throttle throttle = throttle(digits -> refused == null ? null : Optional.of(refused), null)) {
                assertThat(throttle.check("select 1").rule()).isEqualTo("default_threshold");
                assertThat(throttle.snapshot()).contains("\"provider_failures\":1");
            }
        }
    }

    /** A provider that reads a table through the data source that is throttled. */
    @Test
    void aProviderThatIsThrottledItselfDoesNotAskForEver() {
        AtomicReference<Throttle> own = new AtomicReference<>();
        AtomicInteger asked = new AtomicInteger();
        try (Throttle throttle = throttle(digits -> {
            asked.incrementAndGet();
            assertThat(own.get().check("select max_count from thresholds").isAllowed()).isTrue();
            return Optional.of(Threshold.of(1));
        }, null)) {
            own.set(throttle);
            assertThat(throttle.check("select 1").limit()).isEqualTo(1);
            assertThat(asked).hasValue(1);
        }
    }

    @Test
    void anInterruptIsLeftToTheCaller() {
        try (Throttle throttle = throttle(digits -> {
            throw new InterruptedException();
        }, null)) {
            assertThat(throttle.check("select 1").isAllowed()).isTrue();
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void aFutureGuardAsksItInAnotherThread() throws Exception {
        CompletableFuture<Thread> asking = new CompletableFuture<>();
        try (Throttle throttle = throttle(digits -> {
            asking.complete(Thread.currentThread());
            return Optional.of(Threshold.of(1));
        }, null)) {
            assertThat(throttle.guardAsync("select 1").get().decision().limit()).isEqualTo(1);
            assertThat(asking.get()).isNotSameAs(Thread.currentThread());
        }
    }

    @Test
    void theThreadOfAThrottleRenewsIt() throws Exception {
        CountDownLatch renewed = new CountDownLatch(3);
        ThresholdProvider provider = new ThresholdProvider() {
            @Override
            public Optional<Threshold> threshold(String fingerprint) {
                renewed.countDown();
                return Optional.empty();
            }

            @Override
            public Duration timeToLive() {
                return Duration.ZERO;
            }
        };
        try (Throttle throttle = Throttle.builder().thresholdProvider(provider).open()) {
            throttle.check("select 1");
            assertThat(renewed.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** As a program has it on its class path. */
    public static class OnTheClassPath implements ThresholdProvider {
        @Override
        public Optional<Threshold> threshold(String fingerprint) {
            return Optional.of(Threshold.of(77));
        }
    }

    @Test
    void itIsFoundByTheClassLoaderThatIsNamed(@TempDir Path directory) throws Exception {
        try (URLClassLoader loader = providing(directory, OnTheClassPath.class.getName());
                Throttle throttle = Throttle.builder().classLoader(loader).open();
                Throttle none = Throttle.builder().open();
                Throttle unwanted = Throttle.builder().classLoader(loader).thresholdProvider(null).open()) {
            assertThat(throttle.check("select 1").limit()).isEqualTo(77);
            assertThat(none.check("select 1").rule()).isNull();
            assertThat(unwanted.check("select 1").rule()).isNull();
            Thread thread = Thread.currentThread();
            ClassLoader before = thread.getContextClassLoader();
            thread.setContextClassLoader(loader);
            try (Throttle byContext = Throttle.of("")) {
                assertThat(byContext.check("select 1").limit()).isEqualTo(77);
            } finally {
                thread.setContextClassLoader(before);
            }
        }
    }

    @Test
    void oneThatCannotBeMadeIsNamed(@TempDir Path directory) throws Exception {
        try (URLClassLoader loader = providing(directory, "com.example.Nowhere")) {
            assertThatThrownBy(() -> Throttle.builder().classLoader(loader).open())
                    .isInstanceOfSatisfying(SqlThrottleException.class,
                            refused -> assertThat(refused.code()).isEqualTo("provider.unusable"))
                    .hasMessageContaining("com.example.Nowhere");
        }
    }

    /** A class that is there, without one that it needs: Java says so by an error of another kind. */
    @Test
    void oneThatLacksAClassIsNamed(@TempDir Path directory) throws Exception {
        String name = OnTheClassPath.class.getName();
        try (URLClassLoader services = providing(directory, name); URLClassLoader loader = new URLClassLoader(new URL[0], services) {
            @Override
            public Class<?> loadClass(String wanted, boolean resolve) throws ClassNotFoundException {
                if (wanted.equals(name)) {
                    throw new NoClassDefFoundError("com/example/Driver");
                }
                return super.loadClass(wanted, resolve);
            }
        }) {
            assertThatThrownBy(() -> Throttle.builder().classLoader(loader).open())
                    .isInstanceOfSatisfying(SqlThrottleException.class,
                            refused -> assertThat(refused.code()).isEqualTo("provider.unusable"))
                    .hasMessageContaining("com/example/Driver");
        }
    }

    @Test
    void oneThatReturnsNullIsNamed() {
        List<String> logged = new ArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord record) {
                logged.add(String.valueOf(record.getThrown()));
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logging.LOGGER.setLevel(Level.WARNING);
        Logging.LOGGER.setUseParentHandlers(false);
        Logging.LOGGER.addHandler(handler);
        ThresholdProvider timeless = new OnTheClassPath() {
            @Override
            public Duration timeToLive() {
                return null;
            }
        };
        try (Throttle silent = throttle(digits -> null, null); Throttle other = throttle(timeless, null)) {
            assertThat(silent.check("select 1").rule()).isEqualTo("default_threshold");
            assertThat(other.check("select 1").rule()).isEqualTo("default_threshold");
            assertThat(logged).hasSize(2);
            assertThat(logged.get(0)).contains("threshold has returned null");
            assertThat(logged.get(1)).contains(timeless.getClass().getName() + ".timeToLive has returned null");
        } finally {
            Logging.LOGGER.removeHandler(handler);
            Logging.LOGGER.setUseParentHandlers(true);
        }
    }

    private static URLClassLoader providing(Path directory, String name) throws Exception {
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.writeString(services.resolve(ThresholdProvider.class.getName()), name);
        return new URLClassLoader(new URL[] {directory.toUri().toURL()}, ThresholdProvider.class.getClassLoader());
    }

    @Test
    void anErrorOfItsIsAFailureLikeAnyOther() {
        for (Error error : new Error[] {new AssertionError(), new StackOverflowError(), new NoClassDefFoundError()}) {
            try (Throttle throttle = throttle(digits -> {
                throw error;
            }, null)) {
                assertThat(throttle.check("select 1").rule()).isEqualTo("default_threshold");
                assertThat(throttle.snapshot()).contains("\"provider_failures\":1");
            }
        }
    }

    /** It is asked for each fingerprint that is due, whatever it did when it was asked for the one before. */
    @Test
    void anInterruptWhileThresholdsAreRenewedIsForgotten() throws Exception {
        CountDownLatch renewed = new CountDownLatch(4);
        Thread checks = Thread.currentThread();
        ThresholdProvider provider = new ThresholdProvider() {
            @Override
            public Optional<Threshold> threshold(String fingerprint) throws InterruptedException {
                if (Thread.currentThread() != checks) {
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                    renewed.countDown();
                    throw new InterruptedException("of its own");
                }
                return Optional.empty();
            }

            @Override
            public Duration timeToLive() {
                return Duration.ZERO;
            }
        };
        try (Throttle throttle = Throttle.builder().thresholdProvider(provider).open()) {
            throttle.check("select 1");
            throttle.check("select 1 from t");
            assertThat(renewed.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** As of an engine that forgets an answer before it is asked again. */
    @Test
    void whereNoAnswerIsKeptTheOtherRulesDecide() {
        NativeEngine forgetful = mock(NativeEngine.class);
        long allow = 1;
        long thresholdNeeded = 6 | 13 << 4 | 32L << 32;
        AtomicBoolean failed = new AtomicBoolean();
        when(forgetful.check(any(), any(), anyInt(), anyInt(), anyInt(), anyInt(), anyLong()))
                .thenAnswer(call -> failed.get() ? allow | 1 << 4 : thresholdNeeded);
        doAnswer(call -> {
            failed.set(true);
            return null;
        }).when(forgetful).thresholdFailed(any());
        AtomicInteger asked = new AtomicInteger();
        Checker checker = new Checker(forgetful, digits -> {
            asked.incrementAndGet();
            return Optional.empty();
        });
        Statements statements = checker.statements(null);
        assertThat(statements.check("select 1", Fakes.NONE, 1, null).verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(asked.get()).as("it is bounded").isBetween(1, 4);
    }
}
