package com.jd.sword.mybatis.plugin.protector;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.apache.ibatis.mapping.MappedStatement;

/** Selects that say {@code affectData}: they write, and return rows. MyBatis has them since 3.5.12, and before there are none. */
final class DirtySelects {
    /** Null where MyBatis is older. */
    private static final MethodHandle IS_DIRTY = find();

    private DirtySelects() {}

    static boolean isOne(MappedStatement statement) {
        try {
            return IS_DIRTY != null && (boolean) IS_DIRTY.invokeExact(statement);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    private static MethodHandle find() {
        try {
            return MethodHandles.publicLookup().findVirtual(MappedStatement.class, "isDirtySelect", MethodType.methodType(boolean.class));
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return null;
        }
    }
}
