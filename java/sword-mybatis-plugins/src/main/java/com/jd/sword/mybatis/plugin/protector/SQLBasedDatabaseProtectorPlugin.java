package com.jd.sword.mybatis.plugin.protector;

import com.jd.sword.sqlthrottle.SqlThrottleException;
import com.jd.sword.sqlthrottle.Throttle;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.Properties;
import org.apache.ibatis.cache.CacheKey;
import org.apache.ibatis.executor.Executor;
import org.apache.ibatis.executor.resultset.DefaultResultSetHandler;
import org.apache.ibatis.executor.statement.RoutingStatementHandler;
import org.apache.ibatis.executor.statement.StatementHandler;
import org.apache.ibatis.mapping.BoundSql;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.plugin.Interceptor;
import org.apache.ibatis.plugin.Intercepts;
import org.apache.ibatis.plugin.Invocation;
import org.apache.ibatis.plugin.Signature;
import org.apache.ibatis.scripting.defaults.DefaultParameterHandler;
import org.apache.ibatis.session.ResultHandler;
import org.apache.ibatis.session.RowBounds;

/**
 * Stops bursts of SQL in MyBatis: every statement that would reach the database is checked by a throttle, and sent, delayed, ignored or
 * aborted; what a cache answers is not.
 *
 * <pre>{@code
 * configuration.addInterceptor(new SQLBasedDatabaseProtectorPlugin());
 * }</pre>
 *
 * <p>Aborted, a mapper throws what {@link com.jd.sword.mybatis.plugin.protector.exception.ProtectionAbortException#in} finds. Ignored, it
 * answers no rows or a count of 0, and nothing of that enters a cache; where that is no honest answer it is aborted. Delayed, it waits before
 * a connection is taken, where MyBatis allows that. Over a DataSource that is wrapped by the same throttle, a statement is counted once.
 *
 * <p>One serves any number of configurations and threads. A throttle of its own is opened at the first session, and closed by
 * {@link #close}.
 */
@Intercepts({
    @Signature(type = Executor.class, method = "query",
            args = {MappedStatement.class, Object.class, RowBounds.class, ResultHandler.class}),
    @Signature(type = Executor.class, method = "query",
            args = {MappedStatement.class, Object.class, RowBounds.class, ResultHandler.class, CacheKey.class, BoundSql.class}),
    @Signature(type = Executor.class, method = "queryCursor", args = {MappedStatement.class, Object.class, RowBounds.class}),
    @Signature(type = Executor.class, method = "update", args = {MappedStatement.class, Object.class}),
    @Signature(type = StatementHandler.class, method = "query", args = {Statement.class, ResultHandler.class}),
    @Signature(type = StatementHandler.class, method = "queryCursor", args = Statement.class),
    @Signature(type = StatementHandler.class, method = "update", args = Statement.class),
    @Signature(type = StatementHandler.class, method = "batch", args = Statement.class)
})
public class SQLBasedDatabaseProtectorPlugin implements Interceptor, AutoCloseable {
    /** Guards what follows. */
    private final Object lock = new Object();
    private ProtectorBuilder options;
    /** Null until the first session. */
    private volatile Protector protector;
    private boolean closed;

    /**
     * With the thresholds of the {@link SqlThresholdProvider} that {@link java.util.ServiceLoader} finds, or those of {@code application.yml} or
     * {@code application.properties} on the class path, as {@link SpringSqlThresholdProvider} reads them.
     *
     * @throws SqlThrottleException they have faults: the message names the key, and what would be right
     */
    public SQLBasedDatabaseProtectorPlugin() {
        this(builder().findThresholds());
    }

    /** With the thresholds of a provider. */
    public SQLBasedDatabaseProtectorPlugin(SqlThresholdProvider thresholds) {
        this(builder().thresholds(Objects.requireNonNull(thresholds, "thresholds")));
    }

    /** With the rules of a throttle, which may serve other layers too. {@link #close} does not close it. */
    public SQLBasedDatabaseProtectorPlugin(Throttle throttle) {
        this(builder().throttle(Objects.requireNonNull(throttle, "throttle")));
    }

    SQLBasedDatabaseProtectorPlugin(ProtectorBuilder options) {
        this.options = options;
    }

    /** A plugin of which more is to be said. */
    public static ProtectorBuilder builder() {
        return new ProtectorBuilder();
    }

    /**
     * What a {@code <plugin>} of MyBatis' configuration file says: {@code rules}, a rule file; {@code dialect}, as rule files name it;
     * {@code strategy.NAME}, the class of a {@link com.jd.sword.mybatis.plugin.protector.strategy.ProtectionStrategy} with a constructor that
     * takes nothing.
     *
     * @throws SqlThrottleException one has another name, or a wrong value: the message says what would be right
     * @throws IllegalStateException the plugin is in use
     */
    @Override
    public void setProperties(Properties properties) {
        synchronized (lock) {
            if (protector != null) {
                throw new IllegalStateException("the plugin is in use: properties come before the first session");
            }
            options = options.with(properties);
        }
    }

    /** Around executors, and around handlers that none of these has called for. Called by MyBatis. */
    @Override
    public Object plugin(Object target) {
        Class<?> type = target.getClass();
        // Four objects are made for each statement. That one is of no such interface takes longer to find out than all else that is done here.
        if (type == DefaultParameterHandler.class || type == DefaultResultSetHandler.class) {
            return target;
        }
        if (type == RoutingStatementHandler.class) {
            return handler((StatementHandler) target);
        }
        if (target instanceof Executor) {
            return executor((Executor) target);
        }
        if (target instanceof StatementHandler) {
            return handler((StatementHandler) target);
        }
        return target;
    }

    /**
     * Decides on one call, and proceeds with it if it may. For proxies of MyBatis' own, as {@code Plugin.wrap} makes them, and for tests:
     * {@link #plugin} makes others. It decides whatever a cache would answer.
     */
    @Override
    public Object intercept(Invocation invocation) throws Throwable {
        Object target = invocation.getTarget();
        if (target instanceof Executor && invocation.getArgs()[0] instanceof MappedStatement) {
            return new ExecutorProxy((Executor) target, protector()).intercepted(invocation);
        }
        if (target instanceof StatementHandler && invocation.getArgs()[0] instanceof Statement) {
            return protector().handlers().intercept(invocation);
        }
        return invocation.proceed();
    }

    /**
     * The throttle that decides, such as for its metrics.
     *
     * @throws SqlThrottleException it is one of the plugin's own, and its rule file has faults
     */
    public Throttle throttle() {
        return protector().throttle();
    }

    /** Closes a throttle of the plugin's own: sessions then throw. Does nothing the second time, and nothing to a throttle that it was given. */
    @Override
    public void close() {
        synchronized (lock) {
            closed = options.isOwn();
            if (protector != null && closed) {
                protector.throttle().close();
            }
        }
    }

    private Object executor(Executor target) {
        Protector open = protector();
        return Targets.isProxied(target, open) ? target : new ExecutorProxy(target, open).proxy();
    }

    private Object handler(StatementHandler target) {
        Protector open = protector();
        Frame frame = open.frame();
        if (frame != null && frame.exempt) {
            return target;
        }
        Object core = Targets.core(target);
        MappedStatement statement = Targets.ofCore(core);
        if (frame != null && frame.executor != null && frame.awaits(statement)) {
            try {
                frame.handler = core;
                frame.executor.decide(frame, statement, target.getBoundSql());
                return target;
            } catch (SQLException e) {
                // Executors declare it where they ask for a handler, though what makes one does not.
                throw Causes.<RuntimeException>sneaky(e);
            }
        }
        if (frame != null && frame.handler == core || Targets.isProxied(target, open)) {
            // Of a configuration that has this plugin twice.
            return target;
        }
        return open.handlers().plugin(target);
    }

    private Protector protector() {
        Protector open = protector;
        if (open == null) {
            synchronized (lock) {
                if (closed) {
                    throw new IllegalStateException("the plugin is closed");
                }
                if (protector == null) {
                    protector = options.open();
                }
                open = protector;
            }
        }
        return open;
    }
}
