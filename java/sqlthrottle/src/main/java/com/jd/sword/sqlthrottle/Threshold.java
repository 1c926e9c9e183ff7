package com.jd.sword.sqlthrottle;

import java.time.Duration;
import java.util.Objects;

/**
 * A limit on identical statements in a sliding window, as a {@link ThresholdProvider} gives it. What is not set is as in a rule
 * file: 60 seconds in 12 buckets, and all that is beyond is aborted.
 *
 * <p>Values out of their bounds, which docs/rules.md has, are refused where the threshold is put in force, not here.
 */
public final class Threshold {
    static final int ABORT = 0;
    static final int IGNORE = 1;
    static final int DELAY = 2;
    static final int DELAY_UNTIL_ALLOWED = 3;
    static final int CUSTOM = 4;

    final int maxCount;
    final long windowNanos;
    final int buckets;
    final String rate;
    final int strategy;
    final long delayNanos;
    final int maxDelayed;
    final String custom;

    private Threshold(Builder builder) {
        maxCount = builder.maxCount;
        windowNanos = builder.windowNanos;
        buckets = builder.buckets;
        rate = builder.rate;
        strategy = builder.strategy;
        delayNanos = builder.delayNanos;
        maxDelayed = builder.maxDelayed;
        custom = builder.custom;
    }

    /**
     * So many statements in 60 seconds.
     *
     * @param maxCount most statements that are sent in any interval of the window, 1 to 60,000,000
     */
    public static Threshold of(int maxCount) {
        return builder(maxCount).build();
    }

    /**
     * A threshold, of which more is to be said.
     *
     * @param maxCount most statements that are sent in any interval of the window, 1 to 60,000,000
     */
    public static Builder builder(int maxCount) {
        return new Builder(maxCount);
    }

    /** What a threshold is made of. */
    public static final class Builder {
        private final int maxCount;
        private long windowNanos = 60_000_000_000L;
        private int buckets = 12;
        private String rate = "1";
        private int strategy = ABORT;
        private long delayNanos;
        private int maxDelayed = 100;
        private String custom;

        private Builder(int maxCount) {
            this.maxCount = maxCount;
        }

        /** The window: up to 366 days, and at least a millisecond a bucket. */
        public Builder window(Duration window) {
            windowNanos = Nanos.of(window);
            return this;
        }

        /** How many parts the window is counted in: 1 to 240; more are finer. */
        public Builder buckets(int count) {
            buckets = count;
            return this;
        }

        /** The part of statements over the limit that the strategy is applied to, such as 2 of 3. More than none, at most all. */
        public Builder share(int part, int of) {
            return rate(part + "/" + of);
        }

        /** The same as rule files write it: {@code 2/3}, or {@code 1} for all. */
        public Builder rate(String proportion) {
            rate = Objects.requireNonNull(proportion, "proportion");
            return this;
        }

        /** What is over the limit is aborted, which is so unless said otherwise. */
        public Builder abort() {
            return strategy(ABORT, 0, null);
        }

        /** What is over the limit is ignored. */
        public Builder ignore() {
            return strategy(IGNORE, 0, null);
        }

        /** What is over the limit waits once for so long, at most an hour. */
        public Builder delay(Duration delay) {
            return strategy(DELAY, Nanos.of(delay), null);
        }

        /** What is over the limit waits until it is not, at most for so long. */
        public Builder delayUntilAllowed(Duration maxDelay) {
            return strategy(DELAY_UNTIL_ALLOWED, Nanos.of(maxDelay), null);
        }

        /** What is over the limit is decided by a strategy of the program's own: see {@link Decision#custom()}. */
        public Builder custom(String name) {
            return strategy(CUSTOM, 0, Objects.requireNonNull(name, "name"));
        }

        /** How many statements may wait at once, 1 to 100,000; beyond it they are aborted. */
        public Builder maxDelayed(int count) {
            maxDelayed = count;
            return this;
        }

        /** The threshold. */
        public Threshold build() {
            return new Threshold(this);
        }

        private Builder strategy(int number, long nanos, String name) {
            strategy = number;
            delayNanos = nanos;
            custom = name;
            return this;
        }
    }
}
