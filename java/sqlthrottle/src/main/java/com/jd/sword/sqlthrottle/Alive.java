package com.jd.sword.sqlthrottle;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The texts of which the native library has memory, be they still kept or only not yet freed. What is forgotten is freed by the garbage
 * collector, to which a text looks as small as its Java object: where texts come and go soon, and the heap is large, it has no reason to
 * look for a long time. So there is a bound, beyond which no text is kept until some are freed.
 */
final class Alive {
    /** As many again as are kept. */
    static final int MAX_TEXTS = 4 * KnownTexts.MAX_TEXTS;
    static final long MAX_CHARACTERS = 4 * KnownTexts.MAX_CHARACTERS;

    private final AtomicInteger texts = new AtomicInteger();
    private final AtomicLong characters = new AtomicLong();

    /** Whether no more is to be kept for now. */
    boolean isFull() {
        return texts.get() >= MAX_TEXTS || characters.get() >= MAX_CHARACTERS;
    }

    /** Counts a text, until its owner is unreachable. */
    void count(Object owner, int length) {
        add(length);
        Cleanup.of(owner, () -> remove(length));
    }

    /** How many there are. */
    int texts() {
        return texts.get();
    }

    void add(int length) {
        texts.incrementAndGet();
        characters.addAndGet(length);
    }

    void remove(int length) {
        texts.decrementAndGet();
        characters.addAndGet(-length);
    }
}
