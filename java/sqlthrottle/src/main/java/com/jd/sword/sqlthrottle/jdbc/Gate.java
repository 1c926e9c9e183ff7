package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.AmbientContext;
import com.jd.sword.sqlthrottle.Decision;
import com.jd.sword.sqlthrottle.Dialect;
import com.jd.sword.sqlthrottle.Fakes;
import com.jd.sword.sqlthrottle.KnownStatement;
import com.jd.sword.sqlthrottle.Reason;
import com.jd.sword.sqlthrottle.SqlThrottledException;
import com.jd.sword.sqlthrottle.StatementContext;
import com.jd.sword.sqlthrottle.Statements;
import com.jd.sword.sqlthrottle.Throttle;
import com.jd.sword.sqlthrottle.Verdict;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Where the statements of a source are decided: it asks the throttle, waits, refuses, and hands out what a statement may hold. The
 * wrappers only say which method is called, and what can be made up in place of its result.
 */
final class Gate {
    private final Throttle throttle;
    private final InTransaction inTransaction;
    private final Fakes most;
    /** Whether counts are made up for whoever knows that they may be, and not for mappers that store objects. */
    private final boolean sparesMappers;
    private final Supplier<StatementContext> context;
    private final Wait.Time time;
    private final Texts texts;
    /** How texts are read: null for as the rules say, and until the first connection is there. */
    private volatile Dialect dialect;
    /** By that dialect; null until the first connection is there. */
    private volatile Statements statements;

    /**
     * @param dialect null to find out by the URL of the first connection
     * @param context null for none
     */
    Gate(Throttle throttle, InTransaction inTransaction, Dialect dialect, Predicate<String> exempt,
            Supplier<StatementContext> context, Wait.Time time) {
        this(throttle, inTransaction, Fakes.ROWS_AND_COUNT, dialect, exempt, context, time);
    }

    /** @param most what may be made up at all; null for anything, but no counts for mappers that store objects */
    Gate(Throttle throttle, InTransaction inTransaction, Fakes most, Dialect dialect, Predicate<String> exempt,
            Supplier<StatementContext> context, Wait.Time time) {
        this.throttle = throttle;
        this.inTransaction = inTransaction;
        this.most = most == null ? Fakes.ROWS_AND_COUNT : most;
        this.sparesMappers = most == null;
        this.context = context;
        this.time = time;
        this.texts = new Texts(exempt);
        if (dialect != null) {
            this.dialect = dialect;
            statements = throttle.statements(dialect);
        }
    }

    Throttle throttle() {
        return throttle;
    }

    /**
     * A connection whose statements pass here. Where that fails the connection is closed: nobody else would.
     *
     * @param raw null for null
     * @param defaults who uses it, for what the context does not say; may be null
     */
    Connection wrap(Connection raw, StatementContext defaults) throws SQLException {
        return wrap(raw, defaults, null);
    }

    /** @param branch of the distributed transaction that it takes part in; null where it never does */
    ThrottledConnection wrap(Connection raw, StatementContext defaults, Branch branch) throws SQLException {
        if (raw == null) {
            return null;
        }
        try {
            if (statements == null) {
                DatabaseMetaData metaData = raw.getMetaData();
                // A driver that does not tell has the dialect of the rules.
                Dialect found = metaData == null ? null : Dialect.ofJdbcUrl(metaData.getURL()).orElse(null);
                dialect = found;
                statements = throttle.statements(found);
            }
            return new ThrottledConnection(this, raw, defaults, branch);
        } catch (RuntimeException e) {
            throw closing(raw, failed(e));
        } catch (SQLException e) {
            throw closing(raw, e);
        } catch (Error e) {
            throw closing(raw, e);
        }
    }

    private static <E extends Throwable> E closing(Connection raw, E failure) {
        try {
            raw.close();
        } catch (SQLException | RuntimeException e) {
            failure.addSuppressed(e);
        }
        return failure;
    }

    /** What is known of a text. */
    Text text(String sql) throws SQLException {
        if (sql == null) {
            // What a driver says to that is its own affair.
            return new Text("", true, false);
        }
        try {
            return texts.of(sql);
        } catch (RuntimeException e) {
            throw failed(e);
        }
    }

    /** The shape of a text, by which the texts of a batch are told apart. */
    String shape(String sql) throws SQLException {
        try {
            return throttle.fingerprint(sql, dialect);
        } catch (RuntimeException e) {
            throw failed(e);
        }
    }

    /** Whether rules look at bound parameters, as far as is known now. */
    boolean readsParameters() {
        return statements.readsParameters();
    }

    /** Keeps the columns of the first result of a text, for when it is ignored. */
    void learn(Text text, ResultSet rows) {
        if (text.isToLearn()) {
            text.learn(texts.columns() < Texts.COLUMNS ? Columns.of(rows) : null);
        }
    }

    /**
     * Decides on one execution, after its wait where there is one.
     *
     * @param cell of this thread
     * @param fakeable what the method that is called can make up
     * @param parameters in order, or null
     * @param held what the same execution holds by now, of a batch that is checked in parts. It is given back where this part is not
     *     let through by a rule that it holds a place of, which would be to wait for itself, and before any wait: what waits holds nothing
     * @throws SQLException it may not be sent, or the wait was ended
     */
    Pass enter(Object[] cell, ExecutedStatement statement, Text text, Fakes fakeable, int weight, List<String> parameters, Pass held)
            throws SQLException {
        if (text.isExempt() || Decided.has(cell, throttle)) {
            return Pass.SEND;
        }
        boolean delayOnly = false;
        if (inTransaction != InTransaction.APPLY && statement.connection().isInTransaction()) {
            if (inTransaction == InTransaction.BYPASS) {
                return Pass.SEND;
            }
            delayOnly = true;
        }
        Fakes fakes = fakeable.and(most);
        Decision decision = decided(statement, text, fakes, weight, parameters);
        if (decision != null && held.isHeld() && isRefused(decision) && held.isOf(decision.rule())) {
            held.release();
            decision = decided(statement, text, fakes, weight, parameters);
        }
        if (decision == null) {
            return Pass.SEND;
        }
        if (decision.verdict() == Verdict.DELAY) {
            held.release();
            decision = waited(statement, decision);
        }
        if (decision.isAllowed()) {
            return Pass.of(throttle, decision);
        }
        if (delayOnly) {
            return Pass.SEND;
        }
        if (decision.verdict() == Verdict.IGNORE) {
            if (isRead(text, fakes)) {
                return Pass.ROWS;
            }
            if (sparesMappers && ObjectMappers.areStoring()) {
                throw new SqlThrottledException(decision, Reason.IGNORE_UNAVAILABLE);
            }
            return Pass.COUNT;
        }
        throw new SqlThrottledException(decision);
    }

    private Decision decided(ExecutedStatement statement, Text text, Fakes fakes, int weight, List<String> parameters)
            throws SQLException {
        try {
            StatementContext sender = contextOf(statement);
            KnownStatement known = text.known(statements);
            return known == null
                    ? statements.checkOrPass(text.sql(), fakes, weight, sender, parameters)
                    : known.checkOrPass(fakes, weight, sender, parameters);
        } catch (RuntimeException e) {
            throw failed(e);
        }
    }

    private static boolean isRefused(Decision decision) {
        return !decision.isAllowed() && decision.verdict() != Verdict.DELAY;
    }

    /** Whether what is ignored is a read. Where only one can be faked, it is that. */
    private boolean isRead(Text text, Fakes fakes) throws SQLException {
        if (fakes != Fakes.ROWS_AND_COUNT) {
            return fakes == Fakes.ROWS;
        }
        try {
            KnownStatement known = text.known(statements);
            return (known == null ? statements.faked(text.sql()) : known.faked()) == Fakes.ROWS;
        } catch (RuntimeException e) {
            throw failed(e);
        }
    }

    private StatementContext contextOf(ExecutedStatement statement) {
        StatementContext defaults = statement.connection().defaults(statements.readsDatabase());
        if (context != null) {
            StatementContext said = context.get();
            defaults = said == null ? defaults : said.withDefaults(defaults);
        }
        return AmbientContext.over(defaults);
    }

    /** Waits, and again where it is told to, until the statement is let through or not. */
    private Decision waited(ExecutedStatement statement, Decision delayed) throws SQLException {
        if (statement.isClosed()) {
            throw new SQLException("the statement is closed", "HY010");
        }
        Wait wait = new Wait(time, TimeUnit.SECONDS.toNanos(statement.queryTimeout()));
        statement.begins(wait);
        try {
            return wait.resumed(throttle, delayed);
        } finally {
            statement.ends(wait);
        }
    }

    private SQLException failed(RuntimeException e) {
        return Unsent.failed(throttle, e);
    }
}
