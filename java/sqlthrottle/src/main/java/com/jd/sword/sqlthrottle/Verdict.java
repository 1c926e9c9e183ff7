package com.jd.sword.sqlthrottle;

/**
 * What is to be done with a statement.
 *
 * <p>{@link #toString()} is the name that metrics, JSON and the other languages use, such as {@code allow}.
 */
public enum Verdict {
    /** Send it, and give the decision back with {@link Throttle#release} once it has ended, however it has. */
    ALLOW("allow"),
    /** Do not send it; report an error, such as {@link SqlThrottledException}. */
    ABORT("abort"),
    /** Do not send it; report success with an empty result. Only where the caller has said that this can be faked. */
    IGNORE("ignore"),
    /** Wait for {@link Decision#delay()}, then call {@link Throttle#resume}. */
    DELAY("delay"),
    /**
     * Nothing is decided or counted: a limit that instances share is to be asked for more, over the network. A {@link Throttle}
     * does so within its check, and hands this verdict to nobody.
     */
    REFILL_NEEDED("refill_needed"),
    /**
     * Nothing is decided or counted: the {@link ThresholdProvider} is to be asked. A {@link Throttle} does so within its check,
     * and hands this verdict to nobody.
     */
    THRESHOLD_NEEDED("threshold_needed");

    private static final Verdict[] ALL = values();

    private final String text;

    Verdict(String text) {
        this.text = text;
    }

    /** The verdict that the native library has this number for; null for 0, which is none. */
    static Verdict ofNumber(int number) {
        return number == 0 ? null : ALL[number - 1];
    }

    /** The name that metrics, JSON and the other languages use. */
    @Override
    public String toString() {
        return text;
    }
}
