package com.jd.sword.sqlthrottle;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Answers at hand, so that a check makes none. A few places, of which a thread looks at one: threads may be many, and virtual ones do
 * not last. Where the one is taken, it gets a new answer, which is garbage afterwards.
 */
final class Answers {
    /** Places of two cache lines apart, so that threads at neighbouring ones do not wait for each other. */
    private static final int STRIDE = 32;

    private final Answer[] answers;
    /** Whether the answer of a place is taken. */
    private final AtomicIntegerArray taken;
    private final int mask;

    Answers() {
        int count = Math.max(8, Integer.highestOneBit(Runtime.getRuntime().availableProcessors()) * 4);
        answers = new Answer[count];
        taken = new AtomicIntegerArray((count + 1) * STRIDE);
        mask = count - 1;
    }

    /** An answer for this thread, until it {@linkplain #give gives} it back. */
    Answer take() {
        // Threads are numbered one after another.
        int place = (int) Thread.currentThread().getId() & mask;
        int flag = (place + 1) * STRIDE;
        if (taken.get(flag) != 0 || !taken.compareAndSet(flag, 0, 1)) {
            return new Answer(0);
        }
        Answer answer = answers[place];
        if (answer == null) {
            answer = new Answer(flag);
            answers[place] = answer;
        }
        return answer;
    }

    void give(Answer answer) {
        if (answer.flag() != 0) {
            taken.lazySet(answer.flag(), 0);
        }
    }
}
