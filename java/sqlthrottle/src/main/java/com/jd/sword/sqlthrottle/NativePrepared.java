package com.jd.sword.sqlthrottle;

/** A text that the native library has read once and keeps. Its memory is freed as that of a {@link NativeEngine} is. */
final class NativePrepared {
    private final long handle;
    /** What its decisions have named last: mostly they name the same. */
    private final LastNamed lastNamed = new LastNamed();

    NativePrepared(long handle) {
        this.handle = handle;
        Cleanup.of(this, () -> free(handle));
    }

    LastNamed lastNamed() {
        return lastNamed;
    }

    /** Decides by the context that it was prepared with. An answer may be 0. See {@link Answer}. */
    long check(int fakes, int weight, int flags, long answer) {
        return check(handle, fakes, weight, flags, answer);
    }

    /** Decides by another context. */
    long check(byte[] context, int fakes, int weight, int flags, long answer) {
        return checkIn(handle, context, fakes, weight, flags, answer);
    }

    /** What is stood in for when it is ignored: rows, a count, or nothing. */
    Fakes faked() {
        return Fakes.ofNumber(faked(handle));
    }

    private static native void free(long handle);

    private native int faked(long handle);

    private native long check(long handle, int fakes, int weight, int flags, long answer);

    private native long checkIn(long handle, byte[] context, int fakes, int weight, int flags, long answer);
}
