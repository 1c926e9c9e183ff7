package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.Throttle;
import java.sql.SQLException;
import java.sql.Wrapper;

/**
 * How {@link Wrapper} is answered: by the wrapper where it is what is asked for, by its throttle where that is, else by what it wraps,
 * however deep.
 */
final class Unwrapping {
    private Unwrapping() {}

    static <T> T unwrap(Object wrapper, Gate gate, Wrapper target, Class<T> type) throws SQLException {
        if (type.isInstance(wrapper)) {
            return type.cast(wrapper);
        }
        if (type == Throttle.class) {
            return type.cast(gate.throttle());
        }
        // Some drivers and pools do not count themselves.
        return type.isInstance(target) ? type.cast(target) : target.unwrap(type);
    }

    static boolean isWrapperFor(Object wrapper, Wrapper target, Class<?> type) throws SQLException {
        return type.isInstance(wrapper) || type == Throttle.class || type.isInstance(target) || target.isWrapperFor(type);
    }
}
