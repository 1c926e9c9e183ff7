package com.jd.sword.sqlthrottle;

import java.math.BigDecimal;
import java.time.Duration;

/**
 * The answer to a check. It is a value: it may be kept, handed to other threads, and forgotten, except that one which
 * {@linkplain #isAllowed() allows} a statement is to be given back with {@link Throttle#release} once the statement has ended. A
 * place that is never given back is free again when its lease has lapsed.
 */
public final class Decision {
    /** The verdict, the reason and the rest of what a check returns, which {@link Answer} reads: most callers ask for one of them. */
    private final long returned;
    private final String rule;
    private final long count;
    private final long limit;
    private final Digest digest;
    private final Rare rare;

    /** @param rare null for {@link Rare#NOTHING} */
    Decision(long returned, String rule, long count, long limit, Digest digest, Rare rare) {
        this.returned = returned;
        this.rule = rule;
        this.count = count;
        this.limit = limit;
        this.digest = digest;
        this.rare = rare;
    }

    /** What is to be done. */
    public Verdict verdict() {
        return Answer.verdict(returned);
    }

    /** Why. */
    public Reason reason() {
        return Answer.reason(returned);
    }

    /** Whether the statement may be sent now. */
    public boolean isAllowed() {
        return verdict() == Verdict.ALLOW;
    }

    /**
     * The shape of the statement, as hexadecimal digits: 64 of them unless the rule file says another {@code hash}. Null of a
     * request, where the statement was not read ({@code mode: off}, a failure of the library itself), and where what was to be
     * resumed is not known any more.
     */
    public String fingerprint() {
        return digest == null ? null : digest.toString();
    }

    /** The name of the rule that decided; null where no rule matched. */
    public String rule() {
        return rule;
    }

    /**
     * What the limiter of the rule counts: attempts or statements in its window, tokens that are spent, places that are held.
     * This statement is among them where it passes, and where the rule counts attempts.
     */
    public long count() {
        return count;
    }

    /** The limit that the count is held against; 0 where no rule matched, and of a rule that counts nothing. */
    public long limit() {
        return limit;
    }

    /**
     * How long until a statement of this shape and weight may pass again, if none is tried meanwhile; null where this one is
     * within the limit, or no wait will help.
     */
    public Duration retryAfter() {
        return retryAfterNanos() < 0 ? null : Duration.ofNanos(retryAfterNanos());
    }

    /** The same in nanoseconds, without an object; -1 for null. */
    public long retryAfterNanos() {
        return rare().retryAfterNanos;
    }

    /** How long to wait before {@link Throttle#resume}; null of any other verdict than {@link Verdict#DELAY}. */
    public Duration delay() {
        return delayNanos() < 0 ? null : Duration.ofNanos(delayNanos());
    }

    /** The same in nanoseconds, without an object; -1 for null. */
    public long delayNanos() {
        return rare().delayNanos;
    }

    /** What rules that are only observed would have done; null where nothing. */
    public Verdict observed() {
        return Answer.observed(returned);
    }

    /** Whether the limiter is the one that keys beyond the rule's {@code max_keys} share. */
    public boolean overflow() {
        return Answer.overflow(returned);
    }

    /**
     * The name of the strategy of the program's own that is to decide, where the rule says {@code custom:NAME}; else null. The
     * verdict is {@link Verdict#ABORT} then, and holds unless the program knows the strategy.
     */
    public String custom() {
        return rare().custom;
    }

    /** Whether the statement holds places while it runs, which {@link Throttle#release} gives back. */
    public boolean hasPermit() {
        return permit() != 0;
    }

    long ticket() {
        return rare().ticket;
    }

    long permit() {
        return rare().permit;
    }

    Digest digest() {
        return digest;
    }

    private Rare rare() {
        return rare == null ? Rare.NOTHING : rare;
    }

    /** For logs; never has a byte of the statement. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(96).append(verdict()).append(" (").append(reason()).append(')');
        if (rule != null) {
            text.append(", rule ").append(rule).append(", ").append(count).append(" of ").append(limit);
        }
        if (retryAfterNanos() >= 0) {
            text.append(", room in ").append(seconds(retryAfterNanos()));
        }
        if (delayNanos() >= 0) {
            text.append(", to wait for ").append(seconds(delayNanos()));
        }
        if (observed() != null) {
            text.append(", observed rules: ").append(observed());
        }
        return text.toString();
    }

    /** For people, who have no use for nanoseconds: up to the next millisecond, as one that is told too little comes back too soon. */
    private static String seconds(long nanos) {
        long millis = nanos / 1_000_000 + (nanos % 1_000_000 == 0 ? 0 : 1);
        return BigDecimal.valueOf(millis, 3).stripTrailingZeros().toPlainString() + " s";
    }

    /** What most decisions that allow a statement do not have: they are made by the million, and half as large without it. */
    static final class Rare {
        static final Rare NOTHING = new Rare(null, -1, -1, 0, 0);

        private final String custom;
        private final long retryAfterNanos;
        private final long delayNanos;
        private final long ticket;
        private final long permit;

        Rare(String custom, long retryAfterNanos, long delayNanos, long ticket, long permit) {
            this.custom = custom;
            this.retryAfterNanos = retryAfterNanos;
            this.delayNanos = delayNanos;
            this.ticket = ticket;
            this.permit = permit;
        }
    }
}
