package com.jd.sword.sqlthrottle.integration.mybatis;

import com.jd.sword.sqlthrottle.integration.Shop;
import com.jd.sword.sqlthrottle.integration.Shows;
import java.sql.Connection;
import java.sql.Statement;
import org.apache.ibatis.executor.Executor;
import org.apache.ibatis.executor.parameter.ParameterHandler;
import org.apache.ibatis.executor.resultset.ResultSetHandler;
import org.apache.ibatis.executor.statement.StatementHandler;
import org.apache.ibatis.mapping.BoundSql;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.plugin.Interceptor;
import org.apache.ibatis.plugin.Intercepts;
import org.apache.ibatis.plugin.Invocation;
import org.apache.ibatis.plugin.Signature;
import org.apache.ibatis.reflection.SystemMetaObject;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.ResultHandler;
import org.apache.ibatis.session.RowBounds;

/** Among interceptors that do what such as these do: look on, take the call to another method, change the text. */
@Shows("Between other interceptors")
class InterceptorsTest extends MapperContract {
    @Override
    Mappers over(Shop shop, ExecutorType type) {
        return new Mappers(shop, type, shop.raw, new Configuration(), (configuration, plugin) -> {
            configuration.addInterceptor(new Watching());
            configuration.addInterceptor(new Rerouting());
            configuration.addInterceptor(new Commenting());
            configuration.addInterceptor(plugin);
            configuration.addInterceptor(new Commenting());
            configuration.addInterceptor(new Rerouting());
            configuration.addInterceptor(new Watching());
        });
    }

    /** At everything that there is to look at. */
    @Intercepts({
        @Signature(type = Executor.class, method = "query",
                args = {MappedStatement.class, Object.class, RowBounds.class, ResultHandler.class}),
        @Signature(type = Executor.class, method = "queryCursor", args = {MappedStatement.class, Object.class, RowBounds.class}),
        @Signature(type = Executor.class, method = "update", args = {MappedStatement.class, Object.class}),
        @Signature(type = Executor.class, method = "commit", args = boolean.class),
        @Signature(type = StatementHandler.class, method = "query", args = {Statement.class, ResultHandler.class}),
        @Signature(type = StatementHandler.class, method = "update", args = Statement.class),
        @Signature(type = ParameterHandler.class, method = "setParameters", args = java.sql.PreparedStatement.class),
        @Signature(type = ResultSetHandler.class, method = "handleResultSets", args = Statement.class)
    })
    private static final class Watching implements Interceptor {
        @Override
        public Object intercept(Invocation invocation) throws Throwable {
            return invocation.proceed();
        }
    }

    /** To the method that takes a text of its own. */
    @Intercepts(@Signature(type = Executor.class, method = "query",
            args = {MappedStatement.class, Object.class, RowBounds.class, ResultHandler.class}))
    private static final class Rerouting implements Interceptor {
        @Override
        public Object intercept(Invocation invocation) throws Throwable {
            Executor executor = (Executor) invocation.getTarget();
            Object[] with = invocation.getArgs();
            MappedStatement statement = (MappedStatement) with[0];
            BoundSql sql = statement.getBoundSql(with[1]);
            RowBounds bounds = (RowBounds) with[2];
            return executor.query(statement, with[1], bounds, (ResultHandler<?>) with[3],
                    executor.createCacheKey(statement, with[1], bounds, sql), sql);
        }
    }

    /** Last of all, when a statement is prepared. */
    @Intercepts(@Signature(type = StatementHandler.class, method = "prepare", args = {Connection.class, Integer.class}))
    private static final class Commenting implements Interceptor {
        @Override
        public Object intercept(Invocation invocation) throws Throwable {
            BoundSql sql = ((StatementHandler) invocation.getTarget()).getBoundSql();
            SystemMetaObject.forObject(sql).setValue("sql", "/* of the shop */ " + sql.getSql());
            return invocation.proceed();
        }
    }
}
