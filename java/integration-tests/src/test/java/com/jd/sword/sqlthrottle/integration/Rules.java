package com.jd.sword.sqlthrottle.integration;

import java.time.Duration;

/** The rules that the tests go by. Each has one rule, {@code users}, on one table; the orders are anybody's. */
public final class Rules {
    public static final String ABORT = blocking("users", "strategy: abort");
    public static final String IGNORE = blocking("users", "strategy: ignore");
    /** What a statement waits that is delayed, by the clock of the throttle. Its thread looks at that as often. */
    public static final Duration DELAY = Duration.ofMillis(5);
    public static final String DELAYING = blocking("users", "strategy: delay, delay: 5ms");
    /** For waits that are ended by something else. */
    public static final String FOR_EVER = blocking("users", "strategy: delay, delay: 1h");
    public static final String ONE_PLACE = limiting("users", "concurrency: {max: 1}", "strategy: abort");
    public static final String NONE = "rules: []";

    private Rules() {}

    /** So many executions, and in the time of a test no more. */
    public static String atMost(int executions) {
        return atMost("users", executions);
    }

    public static String atMost(String table, int executions) {
        return limiting(table, "token_bucket: {capacity: " + executions + ", rate: 1/h}", "strategy: abort");
    }

    public static String blocking(String table, String then) {
        return limiting(table, "block: true", then);
    }

    public static String limiting(String table, String limit, String then) {
        return "rules: [{name: users, match: {tables: " + table + "}, limit: {" + limit + "}, then: {" + then + "}}]";
    }
}
