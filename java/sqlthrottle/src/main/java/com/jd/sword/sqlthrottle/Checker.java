package com.jd.sword.sqlthrottle;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongUnaryOperator;

/** What the parts of one throttle share: the engine, until it is closed, and what checks need beside it. */
final class Checker {
    /** How often a provider is asked for one check. More than once only where its answers are forgotten at once. */
    private static final int MAX_ASKED = 4;

    /** Null once closed. Whoever is in a call with it keeps it until that returns. */
    private volatile NativeEngine engine;
    /** Null where there is no provider. */
    private final Thresholds thresholds;
    /** What rules read of a statement beside its text, as {@link NativeEngine} says. */
    private volatile int reads;
    private final Answers answers = new Answers();
    private final LastNamed lastNamed = new LastNamed();
    private final AtomicReferenceArray<Statements> statements = new AtomicReferenceArray<>(Dialect.numbers());
    /** What is to end when this is closed. */
    private final Set<Runnable> endings = ConcurrentHashMap.newKeySet();
    /** What holds a text, and so the engine, and is to let go of it when that is closed. Guarded by itself. */
    private final Set<TextHolder> holders = Collections.newSetFromMap(new WeakHashMap<>());

    Checker(NativeEngine engine, ThresholdProvider provider) {
        this.engine = engine;
        this.thresholds = provider == null ? null : new Thresholds(provider);
        rulesChanged();
    }

    /** @throws IllegalStateException it is closed */
    NativeEngine engine() {
        NativeEngine open = engine;
        if (open == null) {
            throw closed();
        }
        return open;
    }

    static IllegalStateException closed() {
        return new IllegalStateException("the throttle is closed");
    }

    /** Null where it is closed. */
    NativeEngine engineIfOpen() {
        return engine;
    }

    /** Whether a rule reads bound parameters. Kept here, as it is asked for each of them. */
    boolean readsParameters() {
        return (reads & NativeEngine.READS_PARAMETERS) != 0;
    }

    /** Whether a rule reads which database a statement is sent to. */
    boolean readsDatabase() {
        return (reads & NativeEngine.READS_DATABASE) != 0;
    }

    /** Whether there were other rules in the file, which are in force then. */
    boolean refresh() {
        boolean changed = engine().refresh();
        if (changed) {
            rulesChanged();
        }
        return changed;
    }

    /** To be called where the rules may have changed. One at a time, so that the last word is of the last rules. */
    synchronized void rulesChanged() {
        NativeEngine open = engine;
        reads = open == null ? 0 : open.reads();
    }

    /** Runs an action when this is closed, or at once where it is, unless what this returns is run before. */
    Runnable onClose(Runnable action) {
        // Each is one of its own, even where two are the same.
        Runnable ending = action::run;
        endings.add(ending);
        if (engine == null && endings.remove(ending)) {
            action.run();
        }
        return () -> endings.remove(ending);
    }

    void close() {
        engine = null;
        for (Runnable ending : endings) {
            if (endings.remove(ending)) {
                ending.run();
            }
        }
        for (int i = 0; i < statements.length(); i++) {
            Statements known = statements.get(i);
            if (known != null) {
                known.close();
            }
        }
        synchronized (holders) {
            holders.forEach(TextHolder::letGo);
            holders.clear();
        }
    }

    /** Takes note of what is to let go of its text when this is closed. */
    void keep(TextHolder holder) {
        synchronized (holders) {
            // Where it is closed already, nobody would tell it any more.
            engine();
            holders.add(holder);
        }
    }

    /** @param dialect null for that of the rules */
    Statements statements(Dialect dialect) {
        int number = Dialect.number(dialect);
        Statements known = statements.get(number);
        if (known == null) {
            statements.compareAndSet(number, null, new Statements(this, number));
            known = statements.get(number);
        }
        return known;
    }

    /**
     * Decides on a statement.
     *
     * @param known its text as the native library keeps it; null where it does not: then {@code sql} is the text
     * @param context as the native library takes it; null for the one that the text was prepared with, or none
     * @param flags those of {@link NativeEngine}
     */
    Decision check(NativePrepared known, byte[] sql, int dialect, byte[] context, int fakes, int weight, int flags) {
        NativeEngine open = engine();
        Decision decision = once(open, known, sql, dialect, context, fakes, weight, flags);
        if (decision.verdict() == Verdict.THRESHOLD_NEEDED && (flags & NativeEngine.NO_REFILL) == 0) {
            for (int asked = 0; asked < MAX_ASKED && decision.verdict() == Verdict.THRESHOLD_NEEDED; asked++) {
                thresholds.ask(open, decision.digest());
                decision = once(open, known, sql, dialect, context, fakes, weight, flags);
            }
            if (decision.verdict() == Verdict.THRESHOLD_NEEDED) {
                // Nobody else would know what to do with that: the other rules decide.
                open.thresholdFailed(decision.digest());
                decision = once(open, known, sql, dialect, context, fakes, weight, flags);
            }
        }
        return decision;
    }

    /** As {@link #check}, but null for a statement that may be sent and holds nothing: then it makes no object. */
    Decision checkOrPass(NativePrepared known, byte[] sql, int dialect, byte[] context, int fakes, int weight) {
        NativeEngine open = engine();
        Answer answer = answers.take();
        Decision decision;
        try {
            long returned = ask(open, known, sql, dialect, context, fakes, weight, NativeEngine.PASS_UNSAID, answer.address());
            decision = Answer.passes(returned) ? null : answer.decision(returned, lastNamed(known));
        } finally {
            answers.give(answer);
        }
        return decision == null || decision.verdict() != Verdict.THRESHOLD_NEEDED
                ? decision : check(known, sql, dialect, context, fakes, weight, 0);
    }

    /** Whether a statement may pass; otherwise as {@link #check}, and its places are given back. Makes no object. */
    boolean isAllowed(NativePrepared known, byte[] sql, int dialect, byte[] context, int fakes, int weight) {
        long returned = ask(engine(), known, sql, dialect, context, fakes, weight, NativeEngine.RELEASE, 0);
        Verdict verdict = Answer.verdict(returned);
        return verdict == Verdict.THRESHOLD_NEEDED
                ? check(known, sql, dialect, context, fakes, weight, NativeEngine.RELEASE).isAllowed()
                : verdict == Verdict.ALLOW;
    }

    Decision checkRequest(byte[] context, int flags) {
        return answered(answer -> engine().checkRequest(context, flags, answer));
    }

    Decision resume(long ticket, int flags) {
        return answered(answer -> engine().resume(ticket, flags, answer));
    }

    /** Whether there were places to give back. Never throws, as {@link #giveUp} does not: both come after what matters. */
    boolean release(Decision decision) {
        NativeEngine open = engine;
        return decision.hasPermit() && open != null && open.release(decision.permit());
    }

    /** Whether there was a wait to end. */
    boolean giveUp(Decision delayed) {
        NativeEngine open = engine;
        return delayed.ticket() != 0 && open != null && open.giveUp(delayed.ticket());
    }

    /** Renews what the provider has said and is due. */
    void renewThresholds() {
        NativeEngine open = engine;
        if (thresholds != null && open != null) {
            thresholds.renew(this);
        }
    }

    private Decision once(NativeEngine open, NativePrepared known, byte[] sql, int dialect, byte[] context, int fakes,
            int weight, int flags) {
        Answer answer = answers.take();
        try {
            long returned = ask(open, known, sql, dialect, context, fakes, weight, flags, answer.address());
            return answer.decision(returned, lastNamed(known));
        } finally {
            answers.give(answer);
        }
    }

    /** @param ask writes a decision at an address, and returns the rest of it */
    private Decision answered(LongUnaryOperator ask) {
        Answer answer = answers.take();
        try {
            return answer.decision(ask.applyAsLong(answer.address()), lastNamed);
        } finally {
            answers.give(answer);
        }
    }

    private LastNamed lastNamed(NativePrepared known) {
        return known == null ? lastNamed : known.lastNamed();
    }

    private static long ask(NativeEngine open, NativePrepared known, byte[] sql, int dialect, byte[] context, int fakes,
            int weight, int flags, long answer) {
        if (known == null) {
            return open.check(sql, context, dialect, fakes, weight, flags, answer);
        }
        return context == null
                ? known.check(fakes, weight, flags, answer)
                : known.check(context, fakes, weight, flags, answer);
    }
}
