package com.jd.sword.sqlthrottle.bench;

import java.util.regex.Pattern;

/** Something that is timed: a method of a bench, and how many threads call it at once. */
enum Subject {
    CHECK(Ours.class, "check", 1),
    BUCKET4J(ByBucket4j.class, "tryConsume", 1),
    SENTINEL(BySentinel.class, "enterAndExit", 1),
    RESILIENCE4J(ByResilience4j.class, "acquirePermission", 1),
    GUAVA(ByGuava.class, "tryAcquire", 1),
    CHECK_2(Ours.class, "check", 2),
    BUCKET4J_2(ByBucket4j.class, "tryConsume", 2),
    IS_ALLOWED(Ours.class, "isAllowed", 1),
    SELECT_WRAPPED(Select.class, "wrapped", 1),
    SELECT_PLAIN(Select.class, "plain", 1),
    MAPPED_PLUGIN(MappedSelect.class, "plugin", 1),
    MAPPED_PLAIN(MappedSelect.class, "plain", 1),
    MAPPED_PLUGIN_8(MappedSelect.class, "plugin", MappedSelect.THREADS),
    MAPPED_PLAIN_8(MappedSelect.class, "plain", MappedSelect.THREADS);

    private static final int WARM_UPS = 2;
    /** A database takes its time until it is compiled. */
    private static final int WARM_UPS_OF_SELECT = 6;

    private final Class<?> bench;
    private final String method;
    private final int threads;

    Subject(Class<?> bench, String method, int threads) {
        this.bench = bench;
        this.method = method;
        this.threads = threads;
    }

    int threads() {
        return threads;
    }

    /** Stretches of twice the length before those that are timed. */
    int warmUps() {
        return bench == Select.class || bench == MappedSelect.class ? WARM_UPS_OF_SELECT : WARM_UPS;
    }

    /** What JMH finds it by. */
    String pattern() {
        return "^" + Pattern.quote(bench.getName() + "." + method) + "$";
    }
}
