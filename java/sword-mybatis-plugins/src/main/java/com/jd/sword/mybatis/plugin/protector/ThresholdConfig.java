package com.jd.sword.mybatis.plugin.protector;

import com.jd.sword.mybatis.plugin.protector.strategy.AbortPolicy;
import com.jd.sword.mybatis.plugin.protector.strategy.DelayPolicy;
import com.jd.sword.mybatis.plugin.protector.strategy.IgnorePolicy;
import com.jd.sword.mybatis.plugin.protector.strategy.NamedPolicy;
import com.jd.sword.mybatis.plugin.protector.strategy.ProtectionStrategy;
import com.jd.sword.sqlthrottle.Threshold;
import java.time.Duration;
import java.util.Objects;

/**
 * How many identical statements are sent in a sliding window, and what is done to those beyond. Immutable. What is not said is as in a rule
 * file: 60 seconds in 12 buckets, and all that is beyond is aborted.
 */
public final class ThresholdConfig {
    static final int MOST_COUNT = 60_000_000;
    static final int MOST_BUCKETS = 240;
    static final int MOST_DELAYED = 100_000;
    static final Duration LONGEST_WINDOW = Duration.ofDays(366);

    private final int maxCount;
    private final String rate;
    private final ProtectionStrategy strategy;
    private final Duration window;
    private final int buckets;
    private final int maxDelayed;

    private ThresholdConfig(Builder builder, ProtectionStrategy strategy) {
        this.maxCount = builder.maxCount;
        this.rate = builder.rate;
        this.strategy = strategy;
        this.window = builder.window;
        this.buckets = builder.buckets;
        this.maxDelayed = builder.maxDelayed;
    }

    /**
     * So many statements in 60 seconds; all beyond are aborted.
     *
     * @param maxCount 1 to 60,000,000
     * @throws IllegalArgumentException it is out of these bounds
     */
    public static ThresholdConfig of(int maxCount) {
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

    /** Most statements that are sent in any interval of the window. */
    public int maxCount() {
        return maxCount;
    }

    /** The part of the statements beyond that the strategy is applied to, such as {@code 2/3}; {@code 1} for all. */
    public String rate() {
        return rate;
    }

    /** What is done to them. */
    public ProtectionStrategy strategy() {
        return strategy;
    }

    /** The window. */
    public Duration window() {
        return window;
    }

    /** How many parts it is counted in. */
    public int buckets() {
        return buckets;
    }

    /** How long a statement waits that is delayed, or at most waits where it waits until it is allowed; null where none is delayed. */
    public Duration delay() {
        return strategy instanceof DelayPolicy ? ((DelayPolicy) strategy).delay() : null;
    }

    /** How many may wait at once. */
    public int maxDelayed() {
        return maxDelayed;
    }

    /** @param custom what a strategy of the program's own is to be called */
    Threshold toThreshold(String custom) {
        Threshold.Builder threshold = Threshold.builder(maxCount).window(window).buckets(buckets).rate(rate).maxDelayed(maxDelayed);
        if (strategy instanceof DelayPolicy) {
            DelayPolicy policy = (DelayPolicy) strategy;
            return (policy.isUntilAllowed() ? threshold.delayUntilAllowed(policy.delay()) : threshold.delay(policy.delay())).build();
        } else if (strategy instanceof IgnorePolicy) {
            return threshold.ignore().build();
        } else if (strategy instanceof AbortPolicy) {
            return threshold.abort().build();
        }
        return threshold.custom(strategy instanceof NamedPolicy ? ((NamedPolicy) strategy).name() : custom).build();
    }

    @Override
    public String toString() {
        return maxCount + " in " + window + ", beyond " + strategy + (rate.equals(Rate.ALL) ? "" : " " + rate);
    }

    /** What a threshold is made of. */
    public static final class Builder {
        private final int maxCount;
        private String rate = Rate.ALL;
        private ProtectionStrategy strategy = new AbortPolicy();
        private Duration window = Duration.ofMinutes(1);
        private int buckets = 12;
        private Duration delay = Duration.ofMillis(100);
        private int maxDelayed = 100;

        private Builder(int maxCount) {
            this.maxCount = within(maxCount, MOST_COUNT, "a threshold allows");
        }

        /**
         * The part of the statements beyond that the strategy is applied to: {@code 2/3}, a decimal of up to six places such as
         * {@code 0.5}, or {@code 1} for all. The others pass.
         *
         * @throws IllegalArgumentException it is none, or not more than none and at most all
         */
        public Builder rate(String proportion) {
            rate = Rate.of(proportion);
            return this;
        }

        /** What is done to them: {@link AbortPolicy}, {@link IgnorePolicy}, {@link DelayPolicy}, {@link NamedPolicy} or a program's own. */
        public Builder strategy(ProtectionStrategy policy) {
            strategy = Objects.requireNonNull(policy, "policy");
            return this;
        }

        /** The window: up to 366 days, and at least a millisecond a bucket. */
        public Builder window(Duration length) {
            window = Objects.requireNonNull(length, "length");
            return this;
        }

        /**
         * How many parts the window is counted in; more are finer.
         *
         * @param count 1 to 240
         * @throws IllegalArgumentException it is out of these bounds
         */
        public Builder buckets(int count) {
            buckets = within(count, MOST_BUCKETS, "a window has");
            return this;
        }

        /** How long a {@link DelayPolicy} waits that does not say itself: 100 milliseconds unless this does, at most an hour. */
        public Builder delay(Duration length) {
            delay = DelayPolicy.of(length).delay();
            return this;
        }

        /**
         * How many statements may wait at once; beyond it they are aborted.
         *
         * @param count 1 to 100,000; 100 unless said
         * @throws IllegalArgumentException it is out of these bounds
         */
        public Builder maxDelayed(int count) {
            maxDelayed = within(count, MOST_DELAYED, "at once may wait");
            return this;
        }

        /**
         * The threshold.
         *
         * @throws IllegalArgumentException the window is longer than 366 days, or shorter than a millisecond a bucket
         */
        public ThresholdConfig build() {
            if (window.compareTo(LONGEST_WINDOW) > 0 || window.compareTo(Duration.ofMillis(buckets)) < 0) {
                throw new IllegalArgumentException(
                        "a window is at least a millisecond a bucket, so " + buckets + " ms, and at most 366 days, and not " + window);
            }
            boolean isUnsaid = strategy instanceof DelayPolicy && ((DelayPolicy) strategy).delay() == null;
            return new ThresholdConfig(this, isUnsaid ? DelayPolicy.of(delay) : strategy);
        }

        private static int within(int value, int most, String what) {
            if (value < 1 || value > most) {
                throw new IllegalArgumentException(what + " 1 to " + most + ", and not " + value);
            }
            return value;
        }
    }
}
