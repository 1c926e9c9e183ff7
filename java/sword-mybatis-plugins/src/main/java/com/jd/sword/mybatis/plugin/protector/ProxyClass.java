package com.jd.sword.mybatis.plugin.protector;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

/**
 * The class of the proxies of an interface, of which each session has one. {@link Proxy} looks for the class each time that it makes one,
 * which takes longer than a check does; this looks once.
 */
final class ProxyClass {
    private static final InvocationHandler NONE = (proxy, method, arguments) -> null;

    private ProxyClass() {}

    /**
     * What makes proxies of a public interface: it takes an {@link InvocationHandler}, and returns an {@code Object}. For a constant, which
     * is what the compiler sees through.
     */
    static MethodHandle constructor(Class<?> type) {
        // The interface that is none of the public's has the class defined in this package, where its constructor can be called.
        Class<?> proxy = Proxy.newProxyInstance(ProxyClass.class.getClassLoader(), new Class<?>[] {type, OfProtector.class}, NONE).getClass();
        try {
            return MethodHandles.lookup().unreflectConstructor(proxy.getConstructor(InvocationHandler.class))
                    .asType(MethodType.methodType(Object.class, InvocationHandler.class));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("proxies of " + type.getName() + " cannot be made", e);
        }
    }

    /** What all of them implement, and nothing else does. */
    interface OfProtector {}
}
