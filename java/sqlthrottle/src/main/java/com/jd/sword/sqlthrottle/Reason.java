package com.jd.sword.sqlthrottle;

/**
 * Why a verdict is what it is.
 *
 * <p>{@link #toString()} is the name that JSON and the other languages use, such as {@code over_limit}.
 */
public enum Reason {
    /**
     * Within every limit, or beyond one and let pass because rules are only observed: then {@link Decision#observed()} says
     * what would have been done.
     */
    ALLOWED("allowed"),
    /** A rule with {@code unlimited} exempts it from every other. */
    EXEMPT("exempt"),
    /** The kind of statement is never checked: BEGIN, COMMIT, SET and the like. */
    NOT_CHECKED("not_checked"),
    /** Over a limit, but outside the share that the strategy is applied to. */
    PASSED_OVER("passed_over"),
    /** Over a limit. */
    OVER_LIMIT("over_limit"),
    /** A rule with {@code block} lets nothing pass. */
    BLOCKED("blocked"),
    /** Over a limit, and as many statements are waiting already as the rule allows. */
    MAX_DELAYED("max_delayed"),
    /** Still over the limit after the longest wait that the rule allows, or waited for too long to be known any more. */
    MAX_DELAY("max_delay"),
    /** To be ignored, but what the caller can fake is no honest result of this statement. */
    IGNORE_UNAVAILABLE("ignore_unavailable"),
    /** Its weight is above the limit, so no wait will help. */
    NEVER("never"),
    /** The cluster does not answer, and the rule says {@code on_failure: closed}. */
    CLUSTER_DOWN("cluster_down"),
    /** The library itself has failed, which is a fault of it; the verdict is what the rule file's {@code on_error} says. */
    GUARD_ERROR("guard_error"),
    /** Nothing is decided yet: the verdict says what is needed. */
    UNDECIDED("undecided"),
    /** The rule file says {@code mode: off}. */
    OFF("off");

    private static final Reason[] ALL = values();

    private final String text;

    Reason(String text) {
        this.text = text;
    }

    /** The reason that the native library has this number for. */
    static Reason ofNumber(int number) {
        return ALL[number - 1];
    }

    /** The name that JSON and the other languages use. */
    @Override
    public String toString() {
        return text;
    }
}
