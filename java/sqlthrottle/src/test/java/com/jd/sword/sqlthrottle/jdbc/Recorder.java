package com.jd.sword.sqlthrottle.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

/** A driver's object that does nothing but note how it is called, and answers each call with something of its own. */
final class Recorder implements InvocationHandler {
    record Call(Method method, List<Object> arguments, Object result) {}

    final List<Call> calls = new ArrayList<>();

    <T> T as(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, this));
    }

    @Override
    public Object invoke(Object self, Method method, Object[] arguments) {
        switch (method.getName()) {
            case "hashCode":
                return System.identityHashCode(self);
            case "equals":
                return self == arguments[0];
            case "toString":
                return "recorder";
            default:
                Object result = method.getReturnType() == void.class ? null : Values.distinct(method.getReturnType());
                calls.add(new Call(method, arguments == null ? List.of() : List.of(arguments), result));
                return result;
        }
    }
}
