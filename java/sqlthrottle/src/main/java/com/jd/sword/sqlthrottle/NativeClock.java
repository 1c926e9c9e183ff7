package com.jd.sword.sqlthrottle;

/** A clock of the native library that a test moves. Its memory is freed as that of a {@link NativeEngine} is. */
final class NativeClock {
    private final long handle;

    NativeClock() {
        NativeLibrary.load();
        long made = Reply.number(make());
        handle = made;
        Cleanup.of(this, () -> free(made));
    }

    long handle() {
        return handle;
    }

    /** Nanoseconds since it was made. */
    long now() {
        return now(handle);
    }

    void advance(long nanos) {
        advance(handle, nanos);
    }

    /** Sets the time of day, in nanoseconds since the beginning of 1970 UTC. */
    void setWall(long unixNanos) {
        setWall(handle, unixNanos);
    }

    private static native byte[] make();

    private static native void free(long handle);

    private native long now(long handle);

    private native void advance(long handle, long nanos);

    private native void setWall(long handle, long unixNanos);
}
