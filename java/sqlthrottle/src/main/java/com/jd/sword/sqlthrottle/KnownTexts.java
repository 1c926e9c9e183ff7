package com.jd.sword.sqlthrottle;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Texts that were seen before, each as the native library keeps it, so that a text crosses once. A text is kept from its second sight
 * on: those that are seen once, with their constants written into them, would fill it. What is kept is bounded by number and by
 * characters; where it is full, what was not asked for since it was half full is forgotten.
 */
final class KnownTexts {
    /** Most texts of a generation, of which there are two. */
    static final int MAX_TEXTS = 16_384;
    /** Most characters of a generation, and of a single text a sixteenth of that. */
    static final long MAX_CHARACTERS = 8L << 20;

    private static final int DOOR_LOG = 18;
    private static final int DOOR_BITS = 1 << DOOR_LOG;
    /** As many sights as leave most of the bits of the door free. */
    private static final int DOOR_SIGHTS = DOOR_BITS / 8;

    private volatile ConcurrentHashMap<String, NativePrepared> young = new ConcurrentHashMap<>();
    private volatile ConcurrentHashMap<String, NativePrepared> old = new ConcurrentHashMap<>();
    /** Set before what is kept is forgotten, and looked at after something is kept. */
    private volatile boolean closed;
    private final AtomicInteger texts = new AtomicInteger();
    private final AtomicLong characters = new AtomicLong();
    private final Alive alive;

    /** Texts that were seen once, by a bit of their hash. */
    private final AtomicLongArray door = new AtomicLongArray(DOOR_BITS / Long.SIZE);
    private final AtomicInteger sights = new AtomicInteger();

    /** @param alive of the texts that are put here */
    KnownTexts(Alive alive) {
        this.alive = alive;
    }

    /** The text as it is kept; null where it is not. */
    NativePrepared get(String sql) {
        NativePrepared known = young.get(sql);
        return known != null ? known : getOld(sql);
    }

    /**
     * Whether to keep a text that is not kept: it was seen before, or another that looks like it from here. Not while too many that were
     * forgotten are still in memory.
     */
    boolean admits(String sql) {
        if (!hasRoomFor(sql)) {
            return false;
        }
        // Texts that differ in a number have hashes that differ little: multiplied, they do so at the top.
        int bit = sql.hashCode() * 0x9e3779b9 >>> Integer.SIZE - DOOR_LOG;
        int word = bit / Long.SIZE;
        long mask = 1L << bit;
        long before = door.get(word);
        if ((before & mask) != 0) {
            return true;
        }
        if (sights.incrementAndGet() > DOOR_SIGHTS) {
            sights.set(0);
            for (int i = 0; i < door.length(); i++) {
                door.lazySet(i, 0);
            }
        }
        // Lost to another thread, it is seen once more.
        door.compareAndSet(word, before, before | mask);
        return false;
    }

    /** Whether a text may be kept, if it is worth it. */
    boolean hasRoomFor(String sql) {
        return sql.length() <= MAX_CHARACTERS / 16 && !alive.isFull();
    }

    void put(String sql, NativePrepared prepared) {
        if (young.putIfAbsent(sql, prepared) == null
                && (texts.incrementAndGet() > MAX_TEXTS | characters.addAndGet(sql.length()) > MAX_CHARACTERS)) {
            age();
        }
        if (closed) {
            clear();
        }
    }

    /** Forgets all texts, and keeps none from now on. */
    void close() {
        closed = true;
        clear();
    }

    private void clear() {
        young = new ConcurrentHashMap<>();
        old = new ConcurrentHashMap<>();
    }

    /** How many are kept. */
    int size() {
        return young.size() + old.size();
    }

    private NativePrepared getOld(String sql) {
        NativePrepared known = old.get(sql);
        if (known != null) {
            put(sql, known);
        }
        return known;
    }

    private synchronized void age() {
        if (texts.get() <= MAX_TEXTS && characters.get() <= MAX_CHARACTERS) {
            return;
        }
        old = young;
        young = new ConcurrentHashMap<>();
        texts.set(0);
        characters.set(0);
    }
}
