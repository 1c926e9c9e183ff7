package com.jd.sword.mybatis.plugin.protector.exception;

import com.jd.sword.sqlthrottle.Decision;
import com.jd.sword.sqlthrottle.Reason;
import com.jd.sword.sqlthrottle.SqlThrottledException;
import java.time.Duration;
import java.util.Optional;
import org.apache.ibatis.exceptions.PersistenceException;

/**
 * A statement was not sent, because a threshold or a rule has it throttled. Nothing has reached the database: sessions and transactions
 * are as they were.
 *
 * <p>Sessions of MyBatis wrap what they throw, this too: {@link #in} finds it. Its cause is always a {@link SqlThrottledException}, so Spring
 * translates it as any failure of JDBC. Message and fields never hold a byte of the statement.
 */
public class ProtectionAbortException extends PersistenceException {
    /** How far {@link #in} looks: chains of causes may lead back to themselves. */
    private static final int MOST_CAUSES = 32;
    private static final long serialVersionUID = 1L;

    private final String fingerprint;
    private final String rule;
    private final long count;
    private final long limit;
    private final Reason reason;
    private final Duration retryAfter;

    /**
     * For a decision that does not allow its statement.
     *
     * @param decision the decision
     */
    public ProtectionAbortException(Decision decision) {
        this(new SqlThrottledException(decision));
    }

    /**
     * For what was thrown beneath.
     *
     * @param cause as the throttle has thrown it
     */
    public ProtectionAbortException(SqlThrottledException cause) {
        super(cause.getMessage(), cause);
        Decision decision = cause.getDecision();
        fingerprint = cause.getFingerprint();
        rule = cause.getRule();
        count = decision == null ? 0 : decision.count();
        limit = decision == null ? 0 : decision.limit();
        reason = cause.getReason();
        retryAfter = cause.getRetryAfter();
    }

    /**
     * The first of its kind among a failure and its causes, such as in what a session or a mapper throws.
     *
     * @param failure any
     * @return empty where the failure is of another kind
     */
    public static Optional<ProtectionAbortException> in(Throwable failure) {
        Throwable cause = failure;
        for (int i = 0; i < MOST_CAUSES && cause != null; i++) {
            if (cause instanceof ProtectionAbortException) {
                return Optional.of((ProtectionAbortException) cause);
            }
            cause = cause.getCause();
        }
        return Optional.empty();
    }

    /** The shape of the statement, as hexadecimal digits; null where it is not known. */
    public String getFingerprint() {
        return fingerprint;
    }

    /** The name of the rule or threshold that decided; null where none did. */
    public String getRule() {
        return rule;
    }

    /** What the rule has counted, as {@link Decision#count()}. */
    public long getCount() {
        return count;
    }

    /** What the count is held against, as {@link Decision#limit()}. */
    public long getLimit() {
        return limit;
    }

    /** How long until there is room again, if none is tried meanwhile; null where no wait will help. */
    public Duration getRetryAfter() {
        return retryAfter;
    }

    /** Why. */
    public Reason getReason() {
        return reason;
    }
}
