package com.jd.sword.sqlthrottle;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Answers at hand, so that a check makes none. A few places, of which a thread looks at one: threads may be many, and virtual ones do
 * not last. An answer that is not given back is garbage.
 */
final class Answers {
    /** Places of one cache line apart, so that threads at neighbouring ones do not wait for each other. */
    private static final int STRIDE = 16;

    private final AtomicReferenceArray<Answer> places;
    private final int mask;

    Answers() {
        int count = Math.max(8, Integer.highestOneBit(Runtime.getRuntime().availableProcessors()) * 4);
        places = new AtomicReferenceArray<>((count + 1) * STRIDE);
        mask = count - 1;
    }

    /** The place of this thread, for the next two. */
    int place() {
        // Threads are numbered one after another.
        return (((int) Thread.currentThread().getId() & mask) + 1) * STRIDE;
    }

    Answer take(int place) {
        Answer answer = places.get(place) == null ? null : places.getAndSet(place, null);
        return answer == null ? new Answer() : answer;
    }

    void give(int place, Answer answer) {
        places.lazySet(place, answer);
    }
}
