package com.jd.sword.sqlthrottle.jdbc;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;

/**
 * The parameters that are bound to a statement, in the textual form that a constant in their place would have. What has none, such as
 * a stream, is unknown to rules, as NULL is.
 */
public final class Parameters {
    /** More than statements of rules by column have: what is bound beyond is not kept. */
    private static final int MOST = 1024;

    private String[] values = new String[8];
    private int count;

    /** None yet. */
    public Parameters() {}

    /**
     * Takes note of one.
     *
     * @param index from 1, as drivers have it, which refuse others themselves: those below, and those beyond 1024, are not kept
     * @param value its textual form; null for NULL, and for what has none
     */
    public void set(int index, String value) {
        if (index < 1 || index > MOST) {
            return;
        }
        if (index > values.length) {
            values = Arrays.copyOf(values, Math.max(index, Math.min(2 * values.length, MOST)));
        }
        values[index - 1] = value;
        count = Math.max(count, index);
    }

    void clear() {
        Arrays.fill(values, 0, count, null);
        count = 0;
    }

    /** All up to the last, as of now: what is bound later shows in it, so it is to be read before. */
    public List<String> list() {
        return Arrays.asList(values).subList(0, count);
    }

    /** How a constant of the same value would be written, without quotes; null where it has no such form. */
    public static String text(Object value) {
        if (value instanceof String || value instanceof Boolean || value instanceof Character || value instanceof java.util.UUID
                || value instanceof java.util.Date || value instanceof java.time.temporal.TemporalAccessor
                || value instanceof Enum) {
            return value.toString();
        }
        if (value instanceof BigDecimal) {
            return ((BigDecimal) value).toPlainString();
        }
        return value instanceof Number ? value.toString() : null;
    }
}
