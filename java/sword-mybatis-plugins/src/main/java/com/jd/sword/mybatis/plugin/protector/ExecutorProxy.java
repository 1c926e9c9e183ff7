package com.jd.sword.mybatis.plugin.protector;

import com.jd.sword.mybatis.plugin.protector.exception.ProtectionAbortException;
import com.jd.sword.mybatis.plugin.protector.strategy.ProtectionStrategy;
import com.jd.sword.sqlthrottle.Decision;
import com.jd.sword.sqlthrottle.Fakes;
import com.jd.sword.sqlthrottle.Statements;
import com.jd.sword.sqlthrottle.Verdict;
import com.jd.sword.sqlthrottle.jdbc.Decided;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.apache.ibatis.cache.CacheKey;
import org.apache.ibatis.cursor.Cursor;
import org.apache.ibatis.executor.BatchExecutor;
import org.apache.ibatis.executor.Executor;
import org.apache.ibatis.mapping.BoundSql;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.plugin.Invocation;
import org.apache.ibatis.session.ResultHandler;
import org.apache.ibatis.session.RowBounds;

/**
 * Around an executor. It opens a {@link Frame} for what is executed, in which the executor's own handler of the statement, once it is made,
 * has this decide: after the caches were asked, and before a connection is taken. What is refused then leaves the executor as an exception,
 * which enters no cache, and becomes a result here, or the caller's exception.
 *
 * <p>As executors are, one is for one thread at a time.
 */
final class ExecutorProxy implements InvocationHandler {
    private static final MethodHandle PROXY = ProxyClass.constructor(Executor.class);

    /** Of this name, as that of MyBatis' own proxies: programs and interceptors look behind them by it. */
    private final Executor target;
    private final Protector protector;
    private final boolean isBatch;
    /**
     * A frame that nothing is in, for the next execution; null while it is in use. Only one execution gets it, even where a program has
     * several threads share a session: two in one frame would lose a place for good.
     */
    private final AtomicReference<Frame> free = new AtomicReference<>();
    /** What a batch holds until it is sent; null for nothing. */
    private final AtomicReference<Decision> heldByBatch = new AtomicReference<>();
    /** Null until there is one. */
    private Set<HeldCursor<?>> cursors;

    ExecutorProxy(Executor target, Protector protector) {
        this.target = target;
        this.protector = protector;
        this.isBatch = Targets.isBatch(target);
    }

    Executor proxy() {
        try {
            return (Executor) (Object) PROXY.invokeExact((InvocationHandler) this);
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
            case "flushStatements":
                return sending(() -> target.flushStatements());
            case "commit":
                sending(() -> {
                    target.commit((Boolean) arguments[0]);
                    return null;
                });
                endCursors((Boolean) arguments[0]);
                return null;
            case "rollback":
                try {
                    target.rollback((Boolean) arguments[0]);
                } finally {
                    endBatch();
                    endCursors((Boolean) arguments[0]);
                }
                return null;
            case "close":
                try {
                    target.close((Boolean) arguments[0]);
                } finally {
                    endBatch();
                    endCursors(true);
                }
                return null;
            default:
                try {
                    return method.invoke(target, arguments);
                } catch (Exception e) {
                    throw Causes.unwrapped(e);
                }
        }
    }

    /** A call of MyBatis' own proxy, which says nothing of the caches, and nothing of when a batch is sent. */
    Object intercepted(Invocation invocation) throws Throwable {
        Kind kind = "update".equals(invocation.getMethod().getName()) ? Kind.UPDATE
                : "queryCursor".equals(invocation.getMethod().getName()) ? Kind.CURSOR : Kind.QUERY;
        try {
            return execute(kind, invocation.getArgs(), invocation);
        } finally {
            endBatch();
        }
    }

    private Object execute(Kind kind, Object[] arguments, Invocation invocation) throws Throwable {
        Object[] cell = protector.cell();
        Frame outer = (Frame) cell[0];
        Frame unused = free.getAndSet(null);
        Frame frame = unused != null ? unused : new Frame();
        frame.open((MappedStatement) arguments[0], kind, arguments, outer, outer == null ? Decided.isBy(protector.throttle()) : outer.exempt);
        frame.invocation = invocation;
        frame.executor = this;
        Object mark = Decided.enter(protector.throttle());
        cell[0] = frame;
        try {
            if (invocation != null && !frame.exempt) {
                decide(frame, frame.statement, arguments.length == 6 ? (BoundSql) arguments[5] : frame.statement.getBoundSql(arguments[1]));
                approve(frame);
            }
            Object result = proceed(frame);
            return frame.held != null && kind == Kind.CURSOR && result != null ? held(frame, (Cursor<?>) result) : result;
        } catch (Throwable failure) {
            return answer(frame, failure);
        } finally {
            cell[0] = outer;
            Decided.exit(mark);
            Decision held = frame.held;
            frame.free();
            free.set(frame);
            if (held != null) {
                protector.throttle().release(held);
            }
        }
    }

    private Object proceed(Frame frame) throws Throwable {
        Object[] with = frame.arguments;
        if (frame.invocation != null) {
            try {
                return frame.invocation.proceed();
            } catch (Exception e) {
                throw Causes.unwrapped(e);
            }
        }
        switch (frame.kind) {
            case UPDATE:
                return target.update(frame.statement, with[1]);
            case CURSOR:
                return target.queryCursor(frame.statement, with[1], (RowBounds) with[2]);
            default:
                return with.length == 4
                        ? target.query(frame.statement, with[1], (RowBounds) with[2], (ResultHandler<?>) with[3])
                        : target.query(frame.statement, with[1], (RowBounds) with[2], (ResultHandler<?>) with[3], (CacheKey) with[4],
                                (BoundSql) with[5]);
        }
    }

    /**
     * Decides on the statement of a frame.
     *
     * @param statement as its handler has it
     * @throws SQLException it is not sent now
     */
    void decide(Frame frame, MappedStatement statement, BoundSql sql) throws SQLException {
        frame.decided = true;
        if (frame.approved) {
            return;
        }
        boolean isAdded = isBatch && frame.kind == Kind.UPDATE;
        if (isBatch && !isAdded) {
            // It has been sent by now, as every query sends it first.
            endBatch();
        }
        KnownConfiguration known = protector.known(statement.getConfiguration());
        Statements statements = statements(known, statement);
        KnownMapping mapping = known.mapping(statement);
        Fakes fakes = frame.kind.fakes(statement, mapping);
        Decision decision = protector.ask(statements, mapping, statement, sql, fakes);
        if (isAdded && decision != null && isRefusedByBatch(decision)) {
            // The batch has the place itself that it would wait for.
            endBatch();
            decision = protector.ask(statements, mapping, statement, sql, fakes);
        }
        if (decision == null) {
            return;
        }
        if (decision.verdict() == Verdict.DELAY) {
            // What waits holds nothing.
            endBatch();
            decision = protector.await(decision, () -> timeout(statement));
        }
        if (!decision.isAllowed()) {
            throw refusal(frame, decision, statements, sql.getSql(), fakes);
        }
        hold(frame, decision, isAdded);
    }

    /** What can be made up of the result of a frame. */
    Fakes fakes(Frame frame) {
        return frame.kind.fakes(frame.statement, protector.known(frame.statement.getConfiguration()).mapping(frame.statement));
    }

    /** What ends a frame: its statement is not sent, or what counts its rows is not. */
    Refusal refusal(Frame frame, Decision decision, Statements statements, String sql, Fakes fakes) {
        frame.refusal = new Refusal(decision, statements, sql, fakes);
        frame.page = frame.kind == Kind.QUERY ? HelperPages.current(target) : null;
        return frame.refusal;
    }

    private void hold(Frame frame, Decision decision, boolean isAdded) {
        if (!decision.hasPermit()) {
            return;
        }
        if (isAdded) {
            Decision before = heldByBatch.getAndSet(decision);
            if (before != null) {
                protector.throttle().release(before);
            }
        } else {
            frame.held = decision;
        }
    }

    private boolean isRefusedByBatch(Decision decision) {
        Decision held = heldByBatch.get();
        return held != null && !decision.isAllowed() && decision.verdict() != Verdict.DELAY && decision.rule() != null
                && decision.rule().equals(held.rule());
    }

    /** By the connection that the statement takes anyway: a second one might be more than the pool has. */
    private Statements statements(KnownConfiguration known, MappedStatement statement) throws SQLException {
        Statements found = known.statements();
        if (found == null) {
            found = protector.statements(known, statement.getConfiguration().getDatabaseId());
        }
        return found != null ? found : protector.statements(known, target.getTransaction().getConnection());
    }

    private int timeout(MappedStatement statement) throws SQLException {
        Integer ofStatement = statement.getTimeout() != null ? statement.getTimeout() : statement.getConfiguration().getDefaultStatementTimeout();
        return Protector.timeout(ofStatement, target.getTransaction() == null ? null : target.getTransaction().getTimeout());
    }

    /** What becomes of a failure: the result of a statement that is ignored, or what a strategy of the program's own says, or an exception. */
    private Object answer(Frame frame, Throwable failure) throws Throwable {
        Refusal refusal = frame.refusal;
        if (refusal == null || !Causes.has(failure, refusal)) {
            throw Causes.shown(failure);
        }
        frame.refusal = null;
        Decision decision = refusal.decision();
        if (decision.verdict() == Verdict.IGNORE) {
            return empty(frame);
        }
        ProtectionStrategy strategy = protector.strategy(decision);
        if (strategy == null) {
            throw new ProtectionAbortException(decision);
        }
        Supplier<Object> empty = refusal.canBeFaked() ? () -> empty(frame) : null;
        try {
            return new ProtectedCall(protector, decision, frame.statement.getId(), frame.kind, timeout(frame.statement), () -> again(frame), empty)
                    .by(strategy);
        } catch (Exception e) {
            throw Causes.shown(e);
        }
    }

    private Object again(Frame frame) throws Exception {
        approve(frame);
        if (frame.page != null) {
            HelperPages.restore(target, frame.page);
        }
        try {
            return proceed(frame);
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw Causes.<RuntimeException>sneaky(e);
        }
    }

    /** Lets the next handler of a frame's statement pass. */
    private static void approve(Frame frame) {
        frame.approved = true;
        frame.decided = false;
    }

    private Object empty(Frame frame) {
        if (frame.page != null) {
            return frame.page;
        }
        if (isBatch && frame.kind == Kind.UPDATE) {
            return BatchExecutor.BATCH_UPDATE_RETURN_VALUE;
        }
        return frame.kind.empty(frame.kind == Kind.CURSOR ? ((RowBounds) frame.arguments[2]).getOffset() : 0);
    }

    private <T> Cursor<T> held(Frame frame, Cursor<T> cursor) {
        Decision held = frame.held;
        frame.held = null;
        if (cursors == null) {
            cursors = ConcurrentHashMap.newKeySet();
        }
        return new HeldCursor<>(cursor, protector.throttle(), held, cursors);
    }

    /** What sends a batch: it was decided on when it was added to. */
    private Object sending(Sending action) throws SQLException {
        if (!isBatch) {
            return action.run();
        }
        Object mark = Decided.enter(protector.throttle());
        try {
            return action.run();
        } finally {
            Decided.exit(mark);
            endBatch();
        }
    }

    private void endBatch() {
        Decision held = heldByBatch.getAndSet(null);
        if (held != null) {
            protector.throttle().release(held);
        }
    }

    /** @param isOver whether the transaction was ended indeed */
    private void endCursors(boolean isOver) {
        if (isOver && cursors != null) {
            cursors.forEach(HeldCursor::release);
        }
    }

    private interface Sending {
        Object run() throws SQLException;
    }
}
