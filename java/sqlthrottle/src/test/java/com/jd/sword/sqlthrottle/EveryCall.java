package com.jd.sword.sqlthrottle;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;

/** A program that makes every call into the native library, from several threads, and says so at the end. */
public final class EveryCall {
    static final String DONE = "every call was made";

    private static final String RULES = "default_threshold: 1000000\nrules:\n"
            + "  - {name: places, match: {tables: [t]}, limit: {concurrency: {max: 1000}}}\n"
            + "  - {name: slow, match: {tables: [s]}, limit: {block: true}, then: {strategy: delay, delay: 1ms}}\n"
            + "  - {name: gate, 'on': request, limit: {fixed_window: {max: 1000000, window: 1h}}}\n";

    private EveryCall() {}

    /** The program. */
    public static void main(String[] arguments) throws Exception {
        try (ManualClock clock = new ManualClock();
                SlidingWindowCounter window = new SlidingWindowCounter(Duration.ofSeconds(10), 10, clock);
                Throttle throttle = Throttle.builder().rules(RULES).thresholdProvider(digits -> Optional.empty()).open();
                Throttle moved = Throttle.builder().rules(RULES).clock(clock).open()) {
            Thread[] threads = new Thread[4];
            for (int i = 0; i < threads.length; i++) {
                int number = i;
                threads[i] = new Thread(() -> calls(throttle, number));
                threads[i].start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            clock.advance(Duration.ofSeconds(1));
            clock.now();
            window.record();
            window.count();
            window.reset();
            moved.check("select 1");
            throttle.afterRestore();
            for (int i = 0; i < 20; i++) {
                throttle.isAllowed("select " + i);
                System.gc();
            }
        }
        System.out.println(DONE);
    }

    private static void calls(Throttle throttle, int number) {
        StatementContext context = StatementContext.builder().user("u" + number).client("10.0.0.1").database("d").tag("t", "😀")
                .parameters("1", null).fakes(Fakes.ROWS_AND_COUNT).weight(2).build();
        PreparedCheck prepared = throttle.prepare("select * from t where id = ?", context);
        try {
            for (int i = 0; i < 200; i++) {
                Decision decision = throttle.check("select * from t where id = " + i % 7);
                throttle.recordDuration(decision, Duration.ofMillis(1));
                throttle.release(decision);
                throttle.release(throttle.check("select * from t where a = ?", context));
                throttle.release(prepared.check());
                prepared.isAllowed();
                throttle.isAllowed("select 1 from t");
                throttle.checkRequest(context);
                throttle.fingerprint("select " + i);
                throttle.normalize("select " + i, Dialect.MYSQL);
            }
            throttle.guard("select * from s where id = 1").close();
            throttle.guardAsync("select * from s where id = 1").get().close();
            throttle.reload(RULES);
            throttle.refresh();
            throttle.admin("SHOW GLOBAL sql_throttle_rules");
            throttle.snapshot();
            throttle.metrics();
            throttle.top(3);
            throttle.checker().renewThresholds();
            throttle.reload("mode: nonsense");
        } catch (SqlThrottleException refused) {
            if (!refused.code().equals("mode.unknown")) {
                throw refused;
            }
        } catch (SqlThrottledException | InterruptedException | ExecutionException failure) {
            throw new IllegalStateException(failure);
        }
    }
}
