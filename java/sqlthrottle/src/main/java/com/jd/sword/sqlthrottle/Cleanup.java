package com.jd.sword.sqlthrottle;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Frees what an object holds outside of the heap once the object is unreachable. Java 8 has nothing for it but the queue, which is
 * looked at whenever another such object is made; from Java 9 on a class of the same name takes the place of this one.
 */
final class Cleanup extends PhantomReference<Object> {
    private static final ReferenceQueue<Object> UNREACHABLE = new ReferenceQueue<>();
    /** Those that wait: a reference that is itself unreachable is never put into the queue. */
    private static final Set<Cleanup> WAITING = ConcurrentHashMap.newKeySet();

    /** Most that are freed where another is made: more than come, and not so many that a check stops for them. */
    private static final int MAX_FREED = 32;

    private final Runnable action;

    private Cleanup(Object owner, Runnable action) {
        super(owner, UNREACHABLE);
        this.action = action;
    }

    /**
     * Has an action run once its owner is unreachable.
     *
     * @param action which does not refer to the owner
     */
    static void of(Object owner, Runnable action) {
        WAITING.add(new Cleanup(owner, action));
        run();
    }

    /** Runs actions whose owners are unreachable by now. */
    private static void run() {
        for (int freed = 0; freed < MAX_FREED; freed++) {
            Cleanup cleanup = (Cleanup) UNREACHABLE.poll();
            if (cleanup == null) {
                return;
            }
            if (WAITING.remove(cleanup)) {
                cleanup.action.run();
            }
        }
    }
}
