package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.Dialect;
import com.jd.sword.sqlthrottle.Fakes;
import com.jd.sword.sqlthrottle.StatementContext;
import com.jd.sword.sqlthrottle.Throttle;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * How a source of connections is throttled. Not for use by several threads.
 *
 * @param <S> the source that is built
 */
public final class ThrottledSourceBuilder<S> {
    private final Throttle throttle;
    private final Function<Gate, S> maker;
    private InTransaction inTransaction = InTransaction.APPLY;
    /** Null where it is not said. */
    private Fakes fakes;
    private Dialect dialect;
    private Predicate<String> exempt = Exemptions.standard();
    private Supplier<StatementContext> context;
    private Wait.Time time = Wait.Time.SYSTEM;

    ThrottledSourceBuilder(Throttle throttle, Function<Gate, S> maker) {
        this.throttle = Objects.requireNonNull(throttle, "throttle");
        this.maker = maker;
    }

    /** What rules may do to statements of an open transaction; all that they say, unless said otherwise. */
    public ThrottledSourceBuilder<S> inTransaction(InTransaction mode) {
        inTransaction = Objects.requireNonNull(mode, "mode");
        return this;
    }

    /**
     * What may be made up at most of a statement that is ignored. Unless said, either, but no counts for a mapper that stores objects, as
     * Hibernate's flush does: what is to be ignored of that is aborted. It would take such a write for done, and the object for stored, or
     * take it for overtaken by another transaction's. With {@link Fakes#ROWS_AND_COUNT} it is told a count all the same; with
     * {@link Fakes#ROWS} nobody is, for mappers that are not known here.
     */
    public ThrottledSourceBuilder<S> fakes(Fakes most) {
        fakes = Objects.requireNonNull(most, "most");
        return this;
    }

    /**
     * The dialect of the statements. Unless said, it is found by the URL of the first connection, and asked once; where that does not
     * tell, it is the rule file's.
     */
    public ThrottledSourceBuilder<S> dialect(Dialect name) {
        dialect = Objects.requireNonNull(name, "name");
        return this;
    }

    /**
     * Which statements are never checked, by their text; {@link Exemptions#standard()} unless said otherwise. It is asked once of a text
     * that is sent again and again, and each time of others, by any thread.
     */
    public ThrottledSourceBuilder<S> exempt(Predicate<String> texts) {
        exempt = Objects.requireNonNull(texts, "texts");
        return this;
    }

    /**
     * Who sends a statement and where to. It is asked at every check, in the thread that sends the statement, and may return null. What it
     * does not say is known of the connection: the user where one was named for it, the database where its URL names one. An
     * {@link com.jd.sword.sqlthrottle.AmbientContext} goes before it, and before both a parameter that is bound; its weight and what it
     * can fake are not looked at.
     */
    public ThrottledSourceBuilder<S> context(Supplier<StatementContext> source) {
        context = Objects.requireNonNull(source, "source");
        return this;
    }

    /** For tests. */
    ThrottledSourceBuilder<S> time(Wait.Time other) {
        time = other;
        return this;
    }

    /** The source, which is not changed by what is said here later. */
    public S build() {
        return maker.apply(new Gate(throttle, inTransaction, fakes, dialect, exempt, context, time));
    }
}
