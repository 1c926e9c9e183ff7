package com.jd.sword.mybatis.plugin.protector;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.List;
import org.apache.ibatis.plugin.Interceptor;

/**
 * The page that PageHelper is about to read, where it stands behind this plugin. Its callers cast what a mapper returns to such a page, so a
 * list of ours is no result for them, and the page itself is one. It is known by its names alone, as a program need not have it.
 */
final class HelperPages {
    private static final String INTERCEPTOR = "com.github.pagehelper.PageInterceptor";
    private static final String PAGES = "com.github.pagehelper.PageHelper";
    private static final String PAGE = "com.github.pagehelper.Page";

    private static final ClassValue<HelperPages> BY_INTERCEPTOR = new ClassValue<HelperPages>() {
        @Override
        protected HelperPages computeValue(Class<?> type) {
            return find(type);
        }
    };

    private final MethodHandle getter;
    private final MethodHandle setter;

    private HelperPages(MethodHandle getter, MethodHandle setter) {
        this.getter = getter;
        this.setter = setter;
    }

    /** The page that is being read by an interceptor of this executor; null for none. */
    static List<?> current(Object executor) {
        HelperPages pages = of(executor);
        try {
            return pages == null ? null : (List<?>) pages.getter.invokeExact();
        } catch (Throwable e) {
            throw Targets.unexpected(e);
        }
    }

    /** Has the same page read again: PageHelper forgets it with a statement that fails. */
    static void restore(Object executor, List<?> page) {
        HelperPages pages = of(executor);
        try {
            if (pages != null) {
                pages.setter.invokeExact(page);
            }
        } catch (Throwable e) {
            throw Targets.unexpected(e);
        }
    }

    private static HelperPages of(Object executor) {
        for (Interceptor interceptor : Targets.interceptors(executor)) {
            HelperPages pages = BY_INTERCEPTOR.get(interceptor.getClass());
            if (pages != null) {
                return pages;
            }
        }
        return null;
    }

    /** Null where an interceptor is another one, or one whose pages are not told. */
    private static HelperPages find(Class<?> interceptor) {
        Class<?> type = interceptor;
        while (type != null && !type.getName().equals(INTERCEPTOR)) {
            type = type.getSuperclass();
        }
        if (type == null) {
            return null;
        }
        try {
            Class<?> pages = Class.forName(PAGES, true, type.getClassLoader());
            Class<?> page = Class.forName(PAGE, false, type.getClassLoader());
            MethodHandle getter = MethodHandles.publicLookup().unreflect(pages.getMethod("getLocalPage"));
            return new HelperPages(getter.asType(MethodType.methodType(List.class)),
                    setter(pages, page).asType(MethodType.methodType(void.class, List.class)));
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            return null;
        }
    }

    /** It is not public in every version. */
    private static MethodHandle setter(Class<?> pages, Class<?> page) throws ReflectiveOperationException {
        for (Class<?> in = pages; in != null; in = in.getSuperclass()) {
            for (Method method : in.getDeclaredMethods()) {
                if (method.getName().equals("setLocalPage") && method.getParameterCount() == 1 && method.getParameterTypes()[0] == page) {
                    method.setAccessible(true);
                    return MethodHandles.lookup().unreflect(method);
                }
            }
        }
        throw new NoSuchMethodException("setLocalPage");
    }
}
