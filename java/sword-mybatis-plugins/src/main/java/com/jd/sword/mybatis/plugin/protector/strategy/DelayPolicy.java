package com.jd.sword.mybatis.plugin.protector.strategy;

import java.time.Duration;
import java.util.Objects;

/** The statement waits before it is sent, if possible before a connection is taken. A wait ends early by an interrupt and by the statement's timeout. */
public final class DelayPolicy implements ProtectionStrategy {
    private static final Duration LONGEST = Duration.ofHours(1);

    private final Duration delay;
    private final boolean untilAllowed;

    /** The statement waits once, for as long as the threshold's {@code delay} says. */
    public DelayPolicy() {
        this(null, false);
    }

    private DelayPolicy(Duration delay, boolean untilAllowed) {
        this.delay = delay;
        this.untilAllowed = untilAllowed;
    }

    /**
     * The statement waits once.
     *
     * @param delay more than none, up to an hour
     * @throws IllegalArgumentException it is out of these bounds
     */
    public static DelayPolicy of(Duration delay) {
        return new DelayPolicy(checked(delay), false);
    }

    /**
     * The statement waits until it is within the threshold.
     *
     * @param longest the longest wait in all, after which it is aborted: more than none, up to an hour
     * @throws IllegalArgumentException it is out of these bounds
     */
    public static DelayPolicy untilAllowed(Duration longest) {
        return new DelayPolicy(checked(longest), true);
    }

    private static Duration checked(Duration delay) {
        if (Objects.requireNonNull(delay, "delay").isNegative() || delay.isZero() || delay.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("a delay is more than none and at most an hour, and not " + delay);
        }
        return delay;
    }

    /** How long it waits, or at most waits; null for as long as the threshold says. */
    public Duration delay() {
        return delay;
    }

    /** Whether it waits until it is allowed, and not once. */
    public boolean isUntilAllowed() {
        return untilAllowed;
    }

    /** Waits as often as this is called; one that waits until it is allowed goes by {@link com.jd.sword.sqlthrottle.Decision#retryAfter()}. */
    @Override
    public Object protect(ProtectedExecution execution) throws Exception {
        Duration wait = delay;
        if (untilAllowed) {
            wait = execution.decision().retryAfter();
            if (wait == null || wait.compareTo(delay) > 0) {
                throw execution.abortion();
            }
        } else if (wait == null) {
            throw new IllegalStateException("a delay that stands for the threshold's is no part of another strategy: say how long");
        }
        execution.await(wait);
        return execution.proceed();
    }

    @Override
    public String toString() {
        return "delay";
    }
}
