package com.jd.sword.sqlthrottle;

import java.lang.ref.Cleaner;

/** Frees what an object holds outside of the heap once the object is unreachable: the one for Java 9 and later. */
final class Cleanup {
    /** Its thread ends once this class is unloaded: it is the JDK's own, and refers to nothing but what waits. */
    private static final Cleaner CLEANER = Cleaner.create();

    private Cleanup() {}

    /**
     * Has an action run once its owner is unreachable.
     *
     * @param action which does not refer to the owner
     */
    static void of(Object owner, Runnable action) {
        CLEANER.register(owner, action);
    }
}
