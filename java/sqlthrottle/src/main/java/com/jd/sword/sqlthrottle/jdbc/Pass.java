package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.Decision;
import com.jd.sword.sqlthrottle.Throttle;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What the {@link Gate} answers for one execution: send it, holding places or not, or give its caller an empty result. All that is
 * kept of an execution is in here, so that no two fields of a statement can speak of different ones.
 *
 * <p>Places are held for as long as a result of the execution is open. They are given back once, by whichever thread comes first.
 */
final class Pass {
    /** Sent, and nothing is held. */
    static final Pass SEND = new Pass(null, null);
    /** Not sent: an empty result set is to be given. */
    static final Pass ROWS = new Pass(null, null);
    /** Not sent: a count of no rows is to be given. */
    static final Pass COUNT = new Pass(null, null);
    /** Not sent, and the caller has gone past the one result there was. */
    static final Pass OVER = new Pass(null, null);

    private static final int RELEASED = Integer.MIN_VALUE / 2;

    private final Throttle throttle;
    private final Decision decision;
    /** How many results hold it; below zero once it is given back. Null where nothing is held. */
    private final AtomicInteger holders;
    /** The rest of a chain, which is given back with this one. */
    private Pass next;
    /** Where to strike it off when it is given back. */
    private volatile Held registry;

    private Pass(Throttle throttle, Decision decision) {
        this.throttle = throttle;
        this.decision = decision;
        this.holders = decision == null ? null : new AtomicInteger(1);
    }

    /** For a decision that allows its statement. */
    static Pass of(Throttle throttle, Decision decision) {
        return decision.hasPermit() ? new Pass(throttle, decision) : SEND;
    }

    /** Both in one, given back together. That nothing is sent is said by a pass alone, and not by one of several. */
    Pass and(Pass other) {
        if (other.holders == null) {
            return this == SEND ? other : this;
        }
        other.next = this == SEND ? null : this;
        return other;
    }

    /** Whether there are places to be given back. */
    boolean isHeld() {
        return holders != null && holders.get() > 0;
    }

    /** Whether one of the places was given by this rule, as far as is known. */
    boolean isOf(String rule) {
        return decision != null && decision.rule() != null && decision.rule().equals(rule) || next != null && next.isOf(rule);
    }

    /** Whether the statement is not sent, and its result is made up. */
    boolean isFaked() {
        return this == ROWS || this == COUNT || this == OVER;
    }

    /** Lets a connection give it back too, when it ends the transaction or is closed. */
    void registerAt(Held held, boolean endsWithCommit) {
        if (holders != null) {
            registry = held;
            held.add(this, endsWithCommit);
            if (holders.get() <= 0) {
                held.remove(this);
            }
        }
    }

    /** One more result holds it. */
    void hold() {
        if (holders != null) {
            holders.incrementAndGet();
        }
    }

    /** One result less holds it: the last gives it back. */
    void drop() {
        if (holders != null && holders.decrementAndGet() == 0) {
            release();
        }
    }

    /** Gives it back, whatever holds it. Does nothing the second time. */
    void release() {
        if (holders == null || holders.getAndSet(RELEASED) < 0) {
            return;
        }
        Held held = registry;
        if (held != null) {
            held.remove(this);
        }
        throttle.release(decision);
        if (next != null) {
            next.release();
        }
    }
}
