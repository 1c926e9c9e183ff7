package com.jd.sword.mybatis.plugin.protector;

import com.jd.sword.mybatis.plugin.protector.strategy.ProtectionStrategy;
import com.jd.sword.sqlthrottle.AmbientContext;
import com.jd.sword.sqlthrottle.Decision;
import com.jd.sword.sqlthrottle.Dialect;
import com.jd.sword.sqlthrottle.Fakes;
import com.jd.sword.sqlthrottle.KnownStatement;
import com.jd.sword.sqlthrottle.StatementContext;
import com.jd.sword.sqlthrottle.Statements;
import com.jd.sword.sqlthrottle.Throttle;
import com.jd.sword.sqlthrottle.jdbc.Unsent;
import com.jd.sword.sqlthrottle.jdbc.Wait;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.ibatis.mapping.BoundSql;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.session.Configuration;

/** Asks the throttle for the proxies, and waits for them. They say what is sent, and what can be made up in place of its result. */
final class Protector {
    private final Throttle throttle;
    /** Null to find out. */
    private final Dialect dialect;
    /** Null for none. */
    private final Supplier<StatementContext> context;
    private final Strategies strategies;
    private final Wait.Time time;
    private final HandlerInterceptor handlers = new HandlerInterceptor(this);

    /**
     * One cell a thread, which holds its innermost {@link Frame}, and null otherwise. The cell is of a type of the platform, so a thread that
     * outlives this library's class loader keeps nothing of it.
     */
    private final ThreadLocal<Object[]> cells = new ThreadLocal<>();
    private final Map<Configuration, KnownConfiguration> known = new WeakHashMap<>();
    /** The last that was asked for: most programs have one. */
    private volatile KnownConfiguration last;

    Protector(Throttle throttle, Dialect dialect, Supplier<StatementContext> context, Strategies strategies, Wait.Time time) {
        this.throttle = throttle;
        this.dialect = dialect;
        this.context = context;
        this.strategies = strategies;
        this.time = time;
    }

    Throttle throttle() {
        return throttle;
    }

    /** What is put around handlers. */
    HandlerInterceptor handlers() {
        return handlers;
    }

    /** The cell of this thread. */
    Object[] cell() {
        Object[] cell = cells.get();
        if (cell == null) {
            cell = new Object[1];
            cells.set(cell);
        }
        return cell;
    }

    /** The innermost frame of this thread; null where it is in none. */
    Frame frame() {
        Object[] cell = cells.get();
        return cell == null ? null : (Frame) cell[0];
    }

    KnownConfiguration known(Configuration configuration) {
        KnownConfiguration found = last;
        if (found == null || !found.isOf(configuration)) {
            synchronized (known) {
                found = known.computeIfAbsent(configuration, KnownConfiguration::new);
            }
            last = found;
        }
        return found;
    }

    /** The statements of a configuration; null where a connection has to say which dialect they are of. */
    Statements statements(KnownConfiguration configuration, String databaseId) {
        Statements found = configuration.statements();
        if (found == null) {
            Dialect said = dialect != null ? dialect : Dialects.ofDatabaseId(databaseId);
            if (said != null) {
                found = throttle.statements(said);
                configuration.setStatements(found);
            }
        }
        return found;
    }

    /** The same by the URL of a connection. */
    Statements statements(KnownConfiguration configuration, Connection connection) throws SQLException {
        Statements found = throttle.statements(dialectOf(connection));
        configuration.setStatements(found);
        return found;
    }

    /** The statements of a handler that does not tell its configuration. */
    Statements statements(Connection connection) throws SQLException {
        return throttle.statements(dialect != null ? dialect : dialectOf(connection));
    }

    /**
     * Decides on one execution.
     *
     * @param mapping null where the statement is not known
     * @param statement likewise
     * @return null where it may be sent and holds nothing
     */
    Decision ask(Statements statements, KnownMapping mapping, MappedStatement statement, BoundSql sql, Fakes fakes) throws SQLException {
        try {
            StatementContext sender = AmbientContext.over(context == null ? null : context.get());
            List<String> values = statement != null && statements.readsParameters() ? BoundValues.of(statement, sql) : null;
            KnownStatement known = mapping == null ? null : mapping.text(statements, sql.getSql());
            return known == null
                    ? statements.checkOrPass(sql.getSql(), fakes, 1, sender, values)
                    : known.checkOrPass(fakes, 1, sender, values);
        } catch (RuntimeException e) {
            throw Unsent.failed(throttle, e);
        }
    }

    /**
     * Waits, and again where it is told to, until a statement is let through or not.
     *
     * @param timeout how long the statement may take in all
     */
    Decision await(Decision delayed, Timeout timeout) throws SQLException {
        Wait wait;
        try {
            wait = new Wait(time, TimeUnit.SECONDS.toNanos(timeout.seconds()));
        } catch (SQLException | RuntimeException e) {
            // A transaction whose time is over, or a driver that has no timeouts. Another statement may wait in its place.
            throttle.giveUp(delayed);
            throw e;
        }
        return wait.resumed(throttle, delayed);
    }

    /** Waits for a strategy of the program's own. */
    void await(long nanos, int seconds, Decision decision) throws SQLException {
        Wait wait = new Wait(time, TimeUnit.SECONDS.toNanos(seconds));
        Runnable awake = throttle.onClose(() -> wait.end(Wait.End.CLOSED));
        try {
            Wait.End end = wait.await(nanos);
            if (end != Wait.End.ELAPSED) {
                throw Unsent.ended(throttle, end, decision);
            }
        } finally {
            awake.run();
        }
    }

    /** Which of the program's own strategies is to decide; null where none is. */
    ProtectionStrategy strategy(Decision decision) {
        return strategies.of(decision);
    }

    /** Asks for the timeout of a statement: whoever knows it may fail. */
    interface Timeout {
        /** 0 for none. */
        int seconds() throws SQLException;
    }

    /** The timeout of a statement in seconds; 0 for none. */
    static int timeout(Integer... seconds) {
        int least = 0;
        for (Integer each : seconds) {
            if (each != null && each > 0 && (least == 0 || each < least)) {
                least = each;
            }
        }
        return least;
    }

    /** Null for that of the rules: of a database that is not known, and of a driver that does not tell. */
    private static Dialect dialectOf(Connection connection) throws SQLException {
        DatabaseMetaData metaData = connection.getMetaData();
        return metaData == null ? null : Dialect.ofJdbcUrl(metaData.getURL()).orElse(null);
    }
}
