package com.jd.sword.sqlthrottle.jdbc;

/**
 * What rules may do to statements of an open transaction, which is one whose connection does not commit by itself
 * ({@link java.sql.Connection#getAutoCommit()} is false). A statement that is aborted or ignored leaves the transaction usable: it
 * can still be committed, without that statement.
 */
public enum InTransaction {
    /** All that they say. */
    APPLY("apply"),
    /** Delay them, and no more: what would be aborted or ignored is sent, and holds no place of a concurrency rule. */
    DELAY_ONLY("delay-only"),
    /** Nothing: they are not checked, and not counted. */
    BYPASS("bypass");

    private final String text;

    InTransaction(String text) {
        this.text = text;
    }

    /**
     * The one of a name.
     *
     * @param name {@code apply}, {@code delay-only} or {@code bypass}
     * @throws IllegalArgumentException it is another
     */
    public static InTransaction ofName(String name) {
        for (InTransaction mode : values()) {
            if (mode.text.equals(name)) {
                return mode;
            }
        }
        throw new IllegalArgumentException("in-transaction is apply, delay-only or bypass, and not " + name);
    }

    /** The name that configuration uses. */
    @Override
    public String toString() {
        return text;
    }
}
