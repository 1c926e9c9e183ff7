package com.jd.sword.sqlthrottle;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LeakIT {
    private static final int CALLS = 200_000;
    /** Objects of each kind that own memory of the native library, of a round. */
    private static final int OWNERS = 200;
    private static final String KNOWN = "select name, email, created_at, status from users where id = ? and tenant = ? and status in (?, ?)";

    /** Runs the program below, because a JVM that runs tests has much else in memory. */
    @Test
    void aMillionDecisionsLeaveMemoryFlat() throws Exception {
        PackagedJar.Result result = PackagedJar.run(LeakIT.class,
                Arrays.asList("-Xmx96m", "-Xms96m", "-XX:+AlwaysPreTouch", "--enable-native-access=ALL-UNNAMED"));
        assertThat(result.output).endsWith("flat\n");
        assertThat(result.status).isZero();
    }

    /** The program: rounds of everything that is allocated outside of the heap, and what it has left after as many more. */
    public static void main(String[] arguments) throws Exception {
        try (Throttle throttle = Throttle.of("default_threshold: 60000000\nrules: [{name: c, match: {tables: [t]},"
                + " limit: {concurrency: {max: 100}}}]\nlimits: {cache_bytes: 1MiB}")) {
            // Compilers and allocators take what they need in the first few.
            for (int i = 0; i < 10; i++) {
                round(throttle);
            }
            long before = residentKilobytes();
            for (int i = 0; i < 10; i++) {
                round(throttle);
            }
            long grown = residentKilobytes() - before;
            System.out.println("grown by " + grown + " KiB");
            System.out.print(grown < 4 * 1024 ? "flat\n" : "not flat\n");
        }
    }

    private static void round(Throttle throttle) throws Exception {
        CountDownLatch freed = new CountDownLatch(OWNERS);
        StatementContext context = StatementContext.builder().user("dev").parameters("1").build();
        for (int i = 0; i < 100_000; i++) {
            throttle.release(throttle.check("select a from t where id = 1"));
            if (i % 10 == 0) {
                throttle.release(throttle.check("select b from t where id = ?", context));
                throttle.isAllowed("select c from t where id = " + i);
            }
        }
        // What the native library holds for objects of Java: freed once those are unreachable.
        for (int i = 0; i < OWNERS; i++) {
            // Freed by the same thread, and so sign that the others are.
            Cleanup.of(new Object(), freed::countDown);
            throttle.prepare("select d from t where id = " + i).check();
            try (Throttle other = Throttle.of("default_threshold: 1"); ManualClock clock = new ManualClock();
                    SlidingWindowCounter window = new SlidingWindowCounter(Duration.ofSeconds(12), 12, clock)) {
                other.check("select 1");
                window.record();
            }
        }
        do {
            System.gc();
        } while (!freed.await(1, TimeUnit.MILLISECONDS));
    }

    private static long residentKilobytes() throws Exception {
        for (String line : Files.readAllLines(Paths.get("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        throw new AssertionError("the system does not say how much memory there is in use");
    }

    @Test
    void askingWhetherAKnownTextIsAllowedMakesNoGarbage() {
        try (Throttle throttle = Throttle.of("default_threshold: 60000000\nrules: [{name: c, match: {tables: [t]},"
                + " limit: {concurrency: {max: 100}}}]")) {
            PreparedCheck prepared = throttle.prepare(KNOWN);
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long thread = Thread.currentThread().getId();
            for (int i = 0; i < 10_000; i++) {
                throttle.isAllowed(KNOWN);
                prepared.isAllowed();
            }
            long before = threads.getThreadAllocatedBytes(thread);
            for (int i = 0; i < CALLS; i++) {
                throttle.isAllowed(KNOWN);
                prepared.isAllowed();
            }
            // What the JVM itself makes now and then is less than the smallest object a call.
            assertThat(threads.getThreadAllocatedBytes(thread) - before).isLessThan(CALLS);
        }
    }
}
