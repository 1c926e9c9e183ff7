package com.jd.sword.sqlthrottle.jdbc;

import java.sql.SQLException;
import java.sql.Wrapper;

/** How {@link Wrapper} is answered: by the wrapper where it is what is asked for, else by what it wraps, however deep. */
final class Unwrapping {
    private Unwrapping() {}

    static <T> T unwrap(Object wrapper, Wrapper target, Class<T> type) throws SQLException {
        if (type.isInstance(wrapper)) {
            return type.cast(wrapper);
        }
        // Some drivers and pools do not count themselves.
        return type.isInstance(target) ? type.cast(target) : target.unwrap(type);
    }

    static boolean isWrapperFor(Object wrapper, Wrapper target, Class<?> type) throws SQLException {
        return type.isInstance(wrapper) || type.isInstance(target) || target.isWrapperFor(type);
    }
}
