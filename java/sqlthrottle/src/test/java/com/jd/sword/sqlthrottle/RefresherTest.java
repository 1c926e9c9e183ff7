package com.jd.sword.sqlthrottle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RefresherTest {
    private final BlockingQueue<String> logged = new LinkedBlockingQueue<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            logged.add(new SimpleFormatter().formatMessage(record));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @TempDir
    Path directory;

    /** Those of other tests, which may be about to end. */
    private List<Thread> before = new ArrayList<>();

    @BeforeEach
    void listen() {
        before = started();
        Logging.LOGGER.setUseParentHandlers(false);
        Logging.LOGGER.addHandler(handler);
    }

    @AfterEach
    void stopListening() {
        Logging.LOGGER.removeHandler(handler);
        Logging.LOGGER.setUseParentHandlers(true);
    }

    @Test
    void aFileThatChangesIsInForceByItself() throws Exception {
        Path file = Files.writeString(directory.resolve("rules.yml"), "watch: 100ms\ndefault_threshold: 1");
        try (Throttle throttle = Throttle.open(file)) {
            replace(file, "watch: 100ms\nmode: nonsense");
            assertThat(logged.poll(30, TimeUnit.SECONDS)).contains("refused", "nonsense", file.toString());
            replace(file, "watch: 100ms\nrules: [{name: new, limit: {block: true}}]");
            assertThat(logged.poll(30, TimeUnit.SECONDS)).contains("in force", file.toString());
            assertThat(throttle.check("select 1").rule()).isEqualTo("new");
        }
    }

    @Test
    void itsThreadIsADaemonAndEndsWithTheThrottle() throws Exception {
        Path file = Files.writeString(directory.resolve("rules.yml"), "watch: 1h");
        Throttle throttle = Throttle.open(file);
        Thread thread = started().get(0);
        assertThat(thread.isDaemon()).isTrue();
        assertThat(thread.getContextClassLoader()).isNull();
        throttle.close();
        thread.join();
    }

    @Test
    void rulesWithoutAFileHaveNoThread() {
        try (Throttle throttle = Throttle.of(""); Throttle still = Throttle.builder().ruleFile(empty()).refresh(false).open()) {
            assertThat(started()).isEmpty();
        }
    }

    /** A throttle that nobody has closed. */
    @Test
    void itsThreadEndsWhenTheThrottleIsForgotten() throws Exception {
        Path file = Files.writeString(directory.resolve("rules.yml"), "watch: 100ms");
        WeakReference<Throttle> forgotten = new WeakReference<>(Throttle.open(file));
        Thread thread = started().get(0);
        while (thread.isAlive()) {
            System.gc();
            thread.join(50);
        }
        assertThat(forgotten.get()).isNull();
    }

    /** All at once, as whoever deploys rules does: the thread may look at any time. */
    private void replace(Path file, String content) throws IOException {
        Path next = Files.writeString(directory.resolve("next.yml"), content);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private Path empty() {
        try {
            return Files.writeString(directory.resolve("empty.yml"), "");
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        }
    }

    private List<Thread> started() {
        List<Thread> threads = new ArrayList<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().equals("sqlthrottle-refresh") && !before.contains(thread)) {
                threads.add(thread);
            }
        }
        return threads;
    }

    /** A provider that never answers is in the way of thresholds alone. */
    @Test
    void aProviderThatHangsDoesNotKeepTheFileFromBeingLookedAt() throws Exception {
        Path file = Files.writeString(directory.resolve("rules.yml"), "watch: 100ms");
        CountDownLatch hangs = new CountDownLatch(1);
        Thread checks = Thread.currentThread();
        ThresholdProvider provider = new ThresholdProvider() {
            @Override
            public Optional<Threshold> threshold(String fingerprint) throws InterruptedException {
                if (Thread.currentThread() != checks) {
                    hangs.countDown();
                    new CountDownLatch(1).await();
                }
                return Optional.empty();
            }

            @Override
            public Duration timeToLive() {
                return Duration.ZERO;
            }
        };
        try (Throttle throttle = Throttle.builder().ruleFile(file).thresholdProvider(provider).open()) {
            throttle.check("select 1");
            hangs.await();
            replace(file, "watch: 100ms\nrules: [{name: new, limit: {block: true}}]");
            assertThat(logged.poll(30, TimeUnit.SECONDS)).contains("in force");
        }
        assertThat(logged.poll(30, TimeUnit.SECONDS)).as("it is interrupted where the throttle is closed").contains("provider");
    }

    @Test
    void anInterruptByWhoeverElseDoesNotEndIt() throws Exception {
        Path file = Files.writeString(directory.resolve("rules.yml"), "watch: 100ms");
        try (Throttle throttle = Throttle.open(file)) {
            started().get(0).interrupt();
            replace(file, "watch: 100ms\nrules: [{name: new, limit: {block: true}}]");
            assertThat(logged.poll(30, TimeUnit.SECONDS)).contains("in force");
        }
    }
}
