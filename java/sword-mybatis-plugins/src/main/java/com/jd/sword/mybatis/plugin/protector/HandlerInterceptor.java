package com.jd.sword.mybatis.plugin.protector;

import java.sql.Statement;
import java.util.Properties;
import org.apache.ibatis.executor.statement.StatementHandler;
import org.apache.ibatis.plugin.Interceptor;
import org.apache.ibatis.plugin.Intercepts;
import org.apache.ibatis.plugin.Invocation;
import org.apache.ibatis.plugin.Plugin;
import org.apache.ibatis.plugin.Signature;
import org.apache.ibatis.session.ResultHandler;

/**
 * Around a handler that no executor of ours has called for: of a nested select, of one that is loaded lazily, of what another interceptor
 * sends besides. It decides when the handler is to send its statement, and can make up no result, as that would enter the cache of the
 * statement that this one is part of: all it can do is to have that one ignored as a whole, where this one counts its rows.
 *
 * <p>By a proxy of MyBatis' own kind, as interceptors such as those of MyBatis-Plus take any proxy of a handler for one.
 */
@Intercepts({
    @Signature(type = StatementHandler.class, method = "query", args = {Statement.class, ResultHandler.class}),
    @Signature(type = StatementHandler.class, method = "queryCursor", args = Statement.class),
    @Signature(type = StatementHandler.class, method = "update", args = Statement.class),
    @Signature(type = StatementHandler.class, method = "batch", args = Statement.class)
})
final class HandlerInterceptor implements Interceptor {
    private final Protector protector;

    HandlerInterceptor(Protector protector) {
        this.protector = protector;
    }

    boolean isOf(Protector other) {
        return protector == other;
    }

    @Override
    public Object intercept(Invocation invocation) throws Throwable {
        return new HandlerCall((StatementHandler) invocation.getTarget(), kind(invocation.getMethod().getName()), invocation.getArgs(),
                protector).execute();
    }

    @Override
    public Object plugin(Object target) {
        return Plugin.wrap(target, this);
    }

    @Override
    public void setProperties(Properties properties) {
        // There are none.
    }

    private static Kind kind(String method) {
        switch (method) {
            case "query":
                return Kind.QUERY;
            case "queryCursor":
                return Kind.CURSOR;
            case "update":
                return Kind.UPDATE;
            default:
                return Kind.BATCH;
        }
    }
}
