package com.jd.sword.sqlthrottle;

/** A sliding window of the native library. Its memory is freed as that of a {@link NativeEngine} is. */
final class NativeWindow {
    private final long handle;

    /** @param clock null for the machine's */
    NativeWindow(long windowNanos, int buckets, NativeClock clock) {
        NativeLibrary.load();
        long made = Reply.number(make(windowNanos, buckets, clock, clock == null ? 0 : clock.handle()));
        handle = made;
        Cleanup.of(this, () -> free(made));
    }

    long record() {
        return record(handle);
    }

    long count() {
        return count(handle);
    }

    void reset() {
        reset(handle);
    }

    private static native byte[] make(long window, int buckets, NativeClock clock, long time);

    private static native void free(long handle);

    private native long record(long handle);

    private native long count(long handle);

    private native void reset(long handle);
}
