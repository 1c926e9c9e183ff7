package com.jd.sword.sqlthrottle;

import java.sql.SQLTransientException;
import java.time.Duration;

/**
 * A statement was not sent, because a rule has it throttled. The SQLState is 53400, the vendor code 0. Connections and
 * transactions are as they were: nothing has reached the database.
 *
 * <p>The message names the rule, and never a byte of the statement. After {@link #getRetryAfter()} another try may pass, or may
 * be throttled again.
 */
public class SqlThrottledException extends SQLTransientException {
    /** The SQLState: a limit of the configuration is exceeded. */
    public static final String SQL_STATE = "53400";

    private static final long serialVersionUID = 1L;

    private final String rule;
    private final String fingerprint;
    private final Reason reason;
    private final long retryAfterNanos;
    private final transient Decision decision;

    /**
     * For a decision that does not allow its statement.
     *
     * @param decision the decision
     */
    public SqlThrottledException(Decision decision) {
        this(decision, decision.reason(), "the statement was not sent: " + decision);
    }

    /**
     * For a decision that its caller cannot carry out, as to ignore what it can stand in for by no honest result.
     *
     * @param decision the decision
     * @param reason why it cannot
     */
    public SqlThrottledException(Decision decision, Reason reason) {
        this(decision, reason, "the statement was not sent: " + decision + ", but " + reason);
    }

    private SqlThrottledException(Decision decision, Reason reason, String message) {
        super(message, SQL_STATE, 0);
        this.rule = decision.rule();
        this.fingerprint = decision.fingerprint();
        this.reason = reason;
        this.retryAfterNanos = decision.retryAfterNanos();
        this.decision = decision;
    }

    /** The name of the rule; null where none decided. */
    public String getRule() {
        return rule;
    }

    /** The shape of the statement, as {@link Decision#fingerprint()}; null of a request. */
    public String getFingerprint() {
        return fingerprint;
    }

    /** Why. */
    public Reason getReason() {
        return reason;
    }

    /** How long until there is room again, if none is tried meanwhile; null where no wait will help. */
    public Duration getRetryAfter() {
        return retryAfterNanos < 0 ? null : Duration.ofNanos(retryAfterNanos);
    }

    /** The same in milliseconds, rounded up; -1 for null. */
    public long getRetryAfterMillis() {
        return retryAfterNanos < 0 ? -1 : retryAfterNanos / 1_000_000 + (retryAfterNanos % 1_000_000 == 0 ? 0 : 1);
    }

    /** The decision; null where the exception has come from another process. */
    public Decision getDecision() {
        return decision;
    }
}
