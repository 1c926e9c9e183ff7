package com.jd.sword.mybatis.plugin.protector;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.apache.ibatis.executor.BatchExecutor;
import org.apache.ibatis.executor.CachingExecutor;
import org.apache.ibatis.executor.ReuseExecutor;
import org.apache.ibatis.executor.SimpleExecutor;
import org.apache.ibatis.executor.statement.BaseStatementHandler;
import org.apache.ibatis.executor.statement.RoutingStatementHandler;
import org.apache.ibatis.executor.statement.StatementHandler;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.plugin.Interceptor;
import org.apache.ibatis.plugin.Plugin;

/**
 * What is behind the wrappers of MyBatis, of its interceptors, and of those that do as they do. MyBatis has no other way to it than the
 * fields, which every interceptor for it reads: {@code h.target}, {@code delegate}, {@code mappedStatement}.
 */
final class Targets {
    /** Wrappers over each other; more are a circle. */
    private static final int MOST = 32;

    private static final MethodHandle PLUGIN_TARGET = getter(Plugin.class, "target", Object.class);
    private static final MethodHandle PLUGIN_INTERCEPTOR = getter(Plugin.class, "interceptor", Interceptor.class);
    private static final MethodHandle ROUTED = getter(RoutingStatementHandler.class, "delegate", StatementHandler.class);
    private static final MethodHandle STATEMENT = getter(BaseStatementHandler.class, "mappedStatement", MappedStatement.class);
    private static final MethodHandle CACHED = getter(CachingExecutor.class, "delegate", Object.class);

    /** Of the classes that are not MyBatis' own. */
    private static final ClassValue<MethodHandle[]> OTHERS = new ClassValue<MethodHandle[]>() {
        @Override
        protected MethodHandle[] computeValue(Class<?> type) {
            return new MethodHandle[] {find(type, "target", Object.class), find(type, "delegate", Object.class)};
        }
    };

    private Targets() {}

    /** The statement of a handler; null where the handler does not tell. */
    static MappedStatement statement(Object handler) {
        return ofCore(core(handler));
    }

    /** That of what is innermost of a handler. */
    static MappedStatement ofCore(Object core) {
        try {
            return core instanceof BaseStatementHandler ? (MappedStatement) STATEMENT.invokeExact((BaseStatementHandler) core) : null;
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** What is innermost of a handler. */
    static Object core(Object handler) {
        Object inner = handler;
        for (int i = 0; i < MOST && !(inner instanceof BaseStatementHandler); i++) {
            Object next = inner instanceof RoutingStatementHandler ? routed((RoutingStatementHandler) inner) : within(inner);
            if (next == null) {
                return inner;
            }
            inner = next;
        }
        return inner;
    }

    /** Whether an executor collects updates, and sends them later. */
    static boolean isBatch(Object executor) {
        Object inner = executor;
        for (int i = 0; i < MOST && inner != null; i++) {
            if (inner instanceof CachingExecutor) {
                inner = cached((CachingExecutor) inner);
            } else if (inner.getClass() == SimpleExecutor.class || inner.getClass() == ReuseExecutor.class) {
                // What nearly every session has: it spares them the name.
                return false;
            } else if (inner instanceof BatchExecutor || inner.getClass().getSimpleName().endsWith("BatchExecutor")) {
                // MyBatis-Plus has one that is not of this class, and that does the same.
                return true;
            } else {
                inner = within(inner);
            }
        }
        return false;
    }

    /** Whether a proxy of a protector is among the wrappers of an executor or a handler. */
    static boolean isProxied(Object wrapped, Protector protector) {
        Object inner = wrapped;
        for (int i = 0; i < MOST && inner != null && Proxy.isProxyClass(inner.getClass()); i++) {
            InvocationHandler handler = Proxy.getInvocationHandler(inner);
            Interceptor interceptor = interceptor(handler);
            if (handler instanceof ExecutorProxy && ((ExecutorProxy) handler).isOf(protector)
                    || interceptor instanceof HandlerInterceptor && ((HandlerInterceptor) interceptor).isOf(protector)) {
                return true;
            }
            inner = behind(handler);
        }
        return false;
    }

    /** Whom MyBatis' own proxies of an executor call, from the outermost inwards. */
    static List<Interceptor> interceptors(Object executor) {
        List<Interceptor> found = new ArrayList<>();
        Object inner = executor;
        for (int i = 0; i < MOST && inner != null && Proxy.isProxyClass(inner.getClass()); i++) {
            InvocationHandler handler = Proxy.getInvocationHandler(inner);
            Interceptor interceptor = interceptor(handler);
            if (interceptor != null) {
                found.add(interceptor);
            }
            inner = behind(handler);
        }
        return found;
    }

    /** Null where a proxy is not one of MyBatis' own. */
    private static Interceptor interceptor(InvocationHandler handler) {
        try {
            return handler instanceof Plugin ? (Interceptor) PLUGIN_INTERCEPTOR.invokeExact((Plugin) handler) : null;
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    private static Object within(Object wrapper) {
        if (Proxy.isProxyClass(wrapper.getClass())) {
            return behind(Proxy.getInvocationHandler(wrapper));
        }
        return read(OTHERS.get(wrapper.getClass())[1], wrapper);
    }

    private static Object behind(InvocationHandler handler) {
        try {
            if (handler instanceof Plugin) {
                return (Object) PLUGIN_TARGET.invokeExact((Plugin) handler);
            }
        } catch (Throwable e) {
            throw unexpected(e);
        }
        return read(OTHERS.get(handler.getClass())[0], handler);
    }

    private static Object routed(RoutingStatementHandler handler) {
        try {
            return (StatementHandler) ROUTED.invokeExact(handler);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    private static Object cached(CachingExecutor executor) {
        try {
            return (Object) CACHED.invokeExact(executor);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    private static Object read(MethodHandle getter, Object from) {
        try {
            return getter == null ? null : getter.invoke(from);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Getters and their like fail only with errors of the JVM itself. */
    static Error unexpected(Throwable e) {
        return e instanceof Error ? (Error) e : new AssertionError(e);
    }

    private static MethodHandle getter(Class<?> type, String field, Class<?> as) {
        MethodHandle found = find(type, field, as);
        if (found == null) {
            throw new IllegalStateException(type.getName() + " has no field `" + field + "` any more: this version of MyBatis is not known");
        }
        return found;
    }

    /** Null where there is none, or none that may be read. */
    private static MethodHandle find(Class<?> type, String field, Class<?> as) {
        for (Class<?> from = type; from != null && from != Object.class; from = from.getSuperclass()) {
            try {
                Field found = from.getDeclaredField(field);
                found.setAccessible(true);
                MethodHandle getter = MethodHandles.lookup().unreflectGetter(found);
                return getter.asType(getter.type().changeReturnType(as));
            } catch (NoSuchFieldException | IllegalAccessException e) {
                continue;
            } catch (RuntimeException e) {
                // A module that does not open itself.
                return null;
            }
        }
        return null;
    }
}
