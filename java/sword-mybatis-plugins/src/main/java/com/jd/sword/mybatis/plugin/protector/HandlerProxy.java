package com.jd.sword.mybatis.plugin.protector;

import com.jd.sword.mybatis.plugin.protector.exception.ProtectionAbortException;
import com.jd.sword.mybatis.plugin.protector.strategy.ProtectionStrategy;
import com.jd.sword.sqlthrottle.Decision;
import com.jd.sword.sqlthrottle.Fakes;
import com.jd.sword.sqlthrottle.SqlThrottledException;
import com.jd.sword.sqlthrottle.Statements;
import com.jd.sword.sqlthrottle.Verdict;
import com.jd.sword.sqlthrottle.jdbc.Decided;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.sql.SQLException;
import java.sql.Statement;
import org.apache.ibatis.cursor.Cursor;
import org.apache.ibatis.executor.statement.StatementHandler;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.plugin.Invocation;
import org.apache.ibatis.session.ResultHandler;

/**
 * Around a handler that no executor of ours has called for: of a nested select, of one that is loaded lazily, of what another interceptor
 * sends besides. It decides when the handler is to send its statement, and can make up no result, as that would enter the cache of the
 * statement that this one is part of.
 */
final class HandlerProxy implements InvocationHandler {
    private static final MethodHandle PROXY = ProxyClass.constructor(StatementHandler.class);

    /** Of this name, as that of MyBatis' own proxies: programs and interceptors look behind them by it. */
    private final StatementHandler target;
    private final Protector protector;
    private final MappedStatement statement;

    /** @param statement null where the handler does not tell */
    HandlerProxy(StatementHandler target, MappedStatement statement, Protector protector) {
        this.target = target;
        this.statement = statement;
        this.protector = protector;
    }

    StatementHandler proxy() {
        try {
            return (StatementHandler) (Object) PROXY.invokeExact((InvocationHandler) this);
        } catch (Throwable e) {
            throw Causes.<RuntimeException>sneaky(e);
        }
    }

    boolean isOf(Protector other) {
        return protector == other;
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        switch (method.getName()) {
            case "query":
                return execute(Kind.QUERY, arguments, null);
            case "queryCursor":
                return execute(Kind.CURSOR, arguments, null);
            case "update":
                return execute(Kind.UPDATE, arguments, null);
            case "batch":
                return execute(Kind.BATCH, arguments, null);
            default:
                try {
                    return method.invoke(target, arguments);
                } catch (Exception e) {
                    throw Causes.unwrapped(e);
                }
        }
    }

    /** A call of MyBatis' own proxy. */
    Object intercepted(Invocation invocation) throws Throwable {
        switch (invocation.getMethod().getName()) {
            case "query":
                return execute(Kind.QUERY, invocation.getArgs(), invocation);
            case "queryCursor":
                return execute(Kind.CURSOR, invocation.getArgs(), invocation);
            case "update":
                return execute(Kind.UPDATE, invocation.getArgs(), invocation);
            default:
                return execute(Kind.BATCH, invocation.getArgs(), invocation);
        }
    }

    private Object execute(Kind kind, Object[] arguments, Invocation invocation) throws Throwable {
        Object[] cell = protector.cell();
        Frame outer = (Frame) cell[0];
        if (outer == null ? Decided.isBy(protector.throttle()) : outer.exempt || isApproved(outer)) {
            return proceed(kind, arguments, invocation);
        }
        Statement sent = (Statement) arguments[0];
        Statements statements = statements(sent);
        KnownMapping mapping = statement == null ? null : protector.known(statement.getConfiguration()).mapping(statement);
        Decision decision = protector.ask(statements, mapping, statement, target.getBoundSql(), Fakes.NONE);
        if (decision != null && decision.verdict() == Verdict.DELAY) {
            decision = protector.await(decision, sent.getQueryTimeout());
        }
        Frame frame = new Frame();
        frame.open(statement, kind, arguments, outer, false);
        frame.decided = true;
        Object mark = Decided.enter(protector.throttle());
        cell[0] = frame;
        try {
            if (decision != null && !decision.isAllowed()) {
                return refused(decision, outer, kind, arguments, invocation);
            }
            Object result = proceed(kind, arguments, invocation);
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

    private Object refused(Decision decision, Frame outer, Kind kind, Object[] arguments, Invocation invocation) throws Throwable {
        ProtectionStrategy strategy = protector.strategy(decision);
        if (strategy != null) {
            String id = statement == null ? "a statement" : statement.getId();
            int timeout = ((Statement) arguments[0]).getQueryTimeout();
            return new ProtectedCall(protector, decision, id, kind, timeout, () -> again(kind, arguments, invocation), null).by(strategy);
        }
        if (outer == null) {
            // Such as a getter that loads: callers of that expect no exception of JDBC.
            throw new ProtectionAbortException(decision);
        }
        throw new SqlThrottledException(decision);
    }

    private Object again(Kind kind, Object[] arguments, Invocation invocation) throws Exception {
        try {
            return proceed(kind, arguments, invocation);
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw Causes.<RuntimeException>sneaky(e);
        }
    }

    private Object proceed(Kind kind, Object[] arguments, Invocation invocation) throws Throwable {
        if (invocation != null) {
            try {
                return invocation.proceed();
            } catch (Exception e) {
                throw Causes.unwrapped(e);
            }
        }
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
