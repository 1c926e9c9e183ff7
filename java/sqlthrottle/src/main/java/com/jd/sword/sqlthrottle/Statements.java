package com.jd.sword.sqlthrottle;

import java.util.List;
import java.util.Objects;

/**
 * The statements of one dialect: what integrations check by, which say of each call what it can fake, how many executions it is, and
 * who sends it. From {@link Throttle#statements}; any number of threads may use one, and it is as long open as its throttle.
 *
 * <p>Texts that are seen again and again are kept as the native library has read them, so that they cross once: up to 32,768 texts of
 * 16 million characters in all.
 *
 * <p>Checks go by the context that they are given alone. An integration lays the {@link AmbientContext} over its own:
 * {@code AmbientContext.over(context)}.
 */
public final class Statements {
    private final Checker checker;
    private final int dialect;
    private final Alive alive = new Alive();
    private final KnownTexts texts = new KnownTexts(alive);

    Statements(Checker checker, int dialect) {
        this.checker = checker;
        this.dialect = dialect;
    }

    /**
     * Decides on a statement. Blocks only where a rule that a cluster counts has to ask it, and where a {@link ThresholdProvider} is
     * asked for the first time.
     *
     * @param sql any text
     * @param fakes what the caller can stand in for when the statement is ignored
     * @param weight how many executions the check speaks for, at least 1
     * @param context who sends it and where to, or null; its own dialect, weight and fakes are not looked at
     * @param parameters the bound parameters as {@link StatementContext.Builder#parameters(List)} takes them, or null for those of
     *     the context
     * @throws IllegalStateException the throttle is closed
     */
    public Decision check(String sql, Fakes fakes, int weight, StatementContext context, List<String> parameters) {
        byte[] encoded = encoded(context, parameters);
        return check(sql, encoded, fakes.number(), weight, 0);
    }

    /**
     * Decides as {@link #check(String, Fakes, int, StatementContext, List) check} does, and makes no object for most statements: null stands
     * for one that may be sent and holds nothing, of which there is nothing to resume or release.
     *
     * @throws IllegalStateException the throttle is closed
     */
    public Decision checkOrPass(String sql, Fakes fakes, int weight, StatementContext context, List<String> parameters) {
        NativePrepared known = known(sql);
        byte[] text = known == null ? Utf8.encode(sql) : null;
        return checker.checkOrPass(known, text, dialect, encoded(context, parameters), fakes.number(), weight);
    }

    /**
     * A text for those who will check it again and again; null while too many texts are in memory, or this one is too long: then it is
     * checked by its text.
     *
     * @throws IllegalStateException the throttle is closed
     */
    public KnownStatement keep(String sql) {
        NativePrepared known = texts.get(Objects.requireNonNull(sql, "sql"));
        if (known == null) {
            if (!texts.hasRoomFor(sql)) {
                return null;
            }
            known = kept(sql);
        }
        return new KnownStatement(checker, known);
    }

    /** The same with the parameters of the context. */
    public Decision check(String sql, Fakes fakes, int weight, StatementContext context) {
        return check(sql, context == null ? null : context.encoded(), fakes.number(), weight, 0);
    }

    /**
     * What is to be stood in for when a statement is ignored: {@link Fakes#ROWS} for a plain read, {@link Fakes#COUNT} for a write that
     * answers a count alone, {@link Fakes#NONE} for what has no honest empty result, and so is never ignored. For who can fake both.
     *
     * @throws IllegalStateException the throttle is closed
     */
    public Fakes faked(String sql) {
        // It is asked beside a check of the same text, and so is no sight of its own.
        NativePrepared known = texts.get(Objects.requireNonNull(sql, "sql"));
        return (known == null ? prepare(sql, null) : known).faked();
    }

    /**
     * Whether a rule reads bound parameters, as far as this JVM has heard: where none does, a caller need not keep them. False where the
     * throttle is closed.
     */
    public boolean readsParameters() {
        return checker.readsParameters();
    }

    /**
     * Whether a rule reads which database a statement is sent to, as far as this JVM has heard: where none does, a caller need not find
     * out. False where the throttle is closed.
     */
    public boolean readsDatabase() {
        return checker.readsDatabase();
    }

    Decision check(String sql, byte[] context, int fakes, int weight, int flags) {
        NativePrepared known = known(sql);
        byte[] text = known == null ? Utf8.encode(sql) : null;
        return checker.check(known, text, dialect, context, fakes, weight, flags);
    }

    boolean isAllowed(String sql, byte[] context, int fakes, int weight) {
        NativePrepared known = known(sql);
        byte[] text = known == null ? Utf8.encode(sql) : null;
        return checker.isAllowed(known, text, dialect, context, fakes, weight);
    }

    NativePrepared prepare(String sql, byte[] context) {
        return checker.engine().prepare(sql, context, dialect);
    }

    int dialect() {
        return dialect;
    }

    /** How many texts are kept. */
    int size() {
        return texts.size();
    }

    /** Called where the throttle is closed. */
    void close() {
        texts.close();
    }

    static byte[] encoded(StatementContext context, List<String> parameters) {
        if (context != null) {
            return context.encoded(parameters);
        }
        return parameters == null ? null : StatementContext.empty().encoded(parameters);
    }

    private NativePrepared known(String sql) {
        NativePrepared known = texts.get(Objects.requireNonNull(sql, "sql"));
        return known != null ? known : admitted(sql);
    }

    private NativePrepared admitted(String sql) {
        return texts.admits(sql) ? kept(sql) : null;
    }

    private NativePrepared kept(String sql) {
        NativePrepared prepared = prepare(sql, null);
        alive.count(prepared, sql.length());
        texts.put(sql, prepared);
        return prepared;
    }
}
