package com.jd.sword.mybatis.plugin.protector;

import com.jd.sword.mybatis.plugin.protector.exception.ProtectionAbortException;
import com.jd.sword.mybatis.plugin.protector.strategy.ProtectionStrategy;
import com.jd.sword.sqlthrottle.Decision;
import com.jd.sword.sqlthrottle.Fakes;
import com.jd.sword.sqlthrottle.SqlThrottledException;
import com.jd.sword.sqlthrottle.Statements;
import com.jd.sword.sqlthrottle.Verdict;
import com.jd.sword.sqlthrottle.jdbc.Decided;
import java.sql.SQLException;
import java.sql.Statement;
import org.apache.ibatis.cursor.Cursor;
import org.apache.ibatis.executor.statement.StatementHandler;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.session.ResultHandler;

/** One call of a handler that sends its statement, as a {@link HandlerInterceptor} sees it. */
final class HandlerCall {
    private final StatementHandler target;
    private final Kind kind;
    private final Object[] arguments;
    private final Protector protector;
    /** Null where the handler does not tell. */
    private final MappedStatement statement;

    HandlerCall(StatementHandler target, Kind kind, Object[] arguments, Protector protector) {
        this.target = target;
        this.kind = kind;
        this.arguments = arguments;
        this.protector = protector;
        this.statement = Targets.statement(target);
    }

    /** Sends the statement, if it may be sent. */
    Object execute() throws Throwable {
        Object[] cell = protector.cell();
        Frame outer = (Frame) cell[0];
        if (outer == null ? Decided.isBy(protector.throttle()) : outer.exempt || isApproved(outer)) {
            return proceed();
        }
        Statement sent = (Statement) arguments[0];
        Statements statements = statements(sent);
        KnownMapping mapping = statement == null ? null : protector.known(statement.getConfiguration()).mapping(statement);
        // The count of a page that is ignored leaves no page to read.
        Fakes fakes = kind == Kind.QUERY && outer != null && outer.isCountedBy(statement) ? outer.executor.fakes(outer) : Fakes.NONE;
        Decision decision = protector.ask(statements, mapping, statement, target.getBoundSql(), fakes);
        if (decision != null && decision.verdict() == Verdict.DELAY) {
            decision = protector.await(decision, sent::getQueryTimeout);
        }
        if (decision != null && decision.verdict() == Verdict.IGNORE) {
            throw outer.executor.refusal(outer, decision, statements, target.getBoundSql().getSql(), fakes);
        }
        Frame frame = new Frame();
        frame.open(statement, kind, arguments, outer, false);
        frame.decided = true;
        Object mark = Decided.enter(protector.throttle());
        cell[0] = frame;
        try {
            if (decision != null && !decision.isAllowed()) {
                return refused(decision, outer);
            }
            Object result = proceed();
            if (decision != null && kind == Kind.CURSOR && decision.hasPermit() && result != null) {
                Object held = new HeldCursor<>((Cursor<?>) result, protector.throttle(), decision, null);
                decision = null;
                return held;
            }
            return result;
        } finally {
            cell[0] = outer;
            Decided.exit(mark);
            if (decision != null) {
                protector.throttle().release(decision);
            }
        }
    }

    private Object refused(Decision decision, Frame outer) throws Throwable {
        ProtectionStrategy strategy = protector.strategy(decision);
        if (strategy != null) {
            String id = statement == null ? "a statement" : statement.getId();
            int timeout = ((Statement) arguments[0]).getQueryTimeout();
            return new ProtectedCall(protector, decision, id, kind, timeout, this::proceed, null).by(strategy);
        }
        if (outer == null) {
            // Such as a getter that loads: callers of that expect no exception of JDBC.
            throw new ProtectionAbortException(decision);
        }
        throw new SqlThrottledException(decision);
    }

    private Object proceed() throws SQLException {
        Statement sent = (Statement) arguments[0];
        switch (kind) {
            case UPDATE:
                return target.update(sent);
            case CURSOR:
                return target.queryCursor(sent);
            case BATCH:
                target.batch(sent);
                return null;
            default:
                return target.query(sent, (ResultHandler<?>) arguments[1]);
        }
    }

    /** Whether this is the handler of a statement that was decided on where the executor was called. */
    private boolean isApproved(Frame frame) {
        if (frame.approved && frame.awaits(statement)) {
            frame.decided = true;
            return true;
        }
        return false;
    }

    private Statements statements(Statement sent) throws SQLException {
        if (statement == null) {
            return protector.statements(sent.getConnection());
        }
        KnownConfiguration known = protector.known(statement.getConfiguration());
        Statements found = protector.statements(known, statement.getConfiguration().getDatabaseId());
        return found != null ? found : protector.statements(known, sent.getConnection());
    }
}
