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

    /**
     * Getter and setter; null for none. A class of a loader that outlives this library's keeps its value, so that is of no type of ours.
     */
    private static final ClassValue<MethodHandle[]> BY_INTERCEPTOR = new ClassValue<MethodHandle[]>() {
        @Override
        protected MethodHandle[] computeValue(Class<?> type) {
            return find(type);
        }
    };

    private HelperPages() {}

    /** The page that is being read by an interceptor of this executor; null for none. */
    static List<?> current(Object executor) {
        MethodHandle[] pages = of(executor);
        try {
            return pages == null ? null : (List<?>) pages[0].invokeExact();
        } catch (Throwable e) {
            throw Targets.unexpected(e);
        }
    }

    /** Has the same page read again: PageHelper forgets it with a statement that fails. */
    static void restore(Object executor, List<?> page) {
        MethodHandle[] pages = of(executor);
        try {
            if (pages != null) {
                pages[1].invokeExact(page);
            }
        } catch (Throwable e) {
            throw Targets.unexpected(e);
        }
    }

    private static MethodHandle[] of(Object executor) {
        for (Interceptor interceptor : Targets.interceptors(executor)) {
            MethodHandle[] pages = BY_INTERCEPTOR.get(interceptor.getClass());
            if (pages != null) {
                return pages;
            }
        }
        return null;
    }

    /** Null where an interceptor is another one, or one whose pages are not told. */
    private static MethodHandle[] find(Class<?> interceptor) {
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
            return new MethodHandle[] {getter.asType(MethodType.methodType(List.class)),
                    setter(pages, page).asType(MethodType.methodType(void.class, List.class))};
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
