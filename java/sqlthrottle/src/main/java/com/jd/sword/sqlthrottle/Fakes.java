package com.jd.sword.sqlthrottle;

/** What a caller can stand in for when a statement is ignored. What it cannot is aborted instead. */
public enum Fakes {
    /** Nothing. */
    NONE,
    /** An empty result set: what a plain read needs. */
    ROWS,
    /** A count of no affected rows: what a write needs whose count is all that is asked for. */
    COUNT,
    /** Either. */
    ROWS_AND_COUNT;

    private static final Fakes[] ALL = values();

    /** What both this and another can stand in for. */
    public Fakes and(Fakes other) {
        return ofNumber(number() & other.number());
    }

    static Fakes ofNumber(int number) {
        return ALL[number];
    }

    /** The number that the native library has for it: bits of 1 for rows and 2 for a count. */
    int number() {
        return ordinal();
    }
}
