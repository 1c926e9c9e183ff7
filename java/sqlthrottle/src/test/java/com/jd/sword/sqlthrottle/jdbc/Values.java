package com.jd.sword.sqlthrottle.jdbc;

import java.lang.reflect.Array;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.net.MalformedURLException;
import java.net.URI;
import java.sql.RowIdLifetime;
import java.util.concurrent.atomic.AtomicInteger;
import org.mockito.Mockito;

/** Values of any type that JDBC has, each unlike those before it as far as its type has enough of them. */
final class Values {
    private static final AtomicInteger NEXT = new AtomicInteger();

    private Values() {}

    static Object distinct(Class<?> type) {
        int number = NEXT.incrementAndGet();
        if (type == boolean.class) {
            return true;
        } else if (type == byte.class) {
            return (byte) (number | 1);
        } else if (type == short.class) {
            return (short) (number | 1);
        } else if (type == int.class || type == Integer.class) {
            return number;
        } else if (type == long.class) {
            return (long) number;
        } else if (type == float.class) {
            return (float) number;
        } else if (type == double.class) {
            return (double) number;
        } else if (type == String.class) {
            return "value " + number;
        } else if (type == Object.class) {
            return new Object();
        } else if (type == Class.class) {
            return Values.class;
        } else if (type == BigDecimal.class) {
            return BigDecimal.valueOf(number);
        } else if (type == RowIdLifetime.class) {
            return RowIdLifetime.ROWID_VALID_FOREVER;
        } else if (type == java.net.URL.class) {
            return url(number);
        } else if (type.isArray()) {
            return Array.newInstance(type.getComponentType(), 1);
        } else if (type.isInterface() && type.getName().startsWith("java.sql.") || type.getName().startsWith("javax.")) {
            return new Recorder().as(type);
        } else if (Modifier.isFinal(type.getModifiers())) {
            throw new AssertionError("no value of " + type);
        }
        return Mockito.mock(type);
    }

    private static java.net.URL url(int number) {
        try {
            return URI.create("http://localhost/" + number).toURL();
        } catch (MalformedURLException e) {
            throw new AssertionError(e);
        }
    }
}
