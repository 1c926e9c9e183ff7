package com.jd.sword.sqlthrottle;

/**
 * An engine of the native library. Its memory is freed once this object is unreachable, and not before: a native method keeps its
 * receiver reachable until it returns.
 */
final class NativeEngine {
    /** The check asks no cluster, and so does not block; it says instead that it would have to. */
    static final int NO_REFILL = 1;
    /** What the statement would hold is given back at once, be it places or a wait. */
    static final int RELEASE = 2;
    /** Of a statement that may be sent and holds nothing, no answer is written. */
    static final int PASS_UNSAID = 4;

    static final int READS_PARAMETERS = 1;
    static final int READS_DATABASE = 2;

    private static final int IS_PATH = 1;
    private static final int ASKS_PROVIDER = 2;

    private final long handle;

    private NativeEngine(long handle) {
        this.handle = handle;
        Cleanup.of(this, () -> free(handle));
    }

    /**
     * @param source rules, or the path of a file of them
     * @param clock null for the machine's
     * @throws SqlThrottleException the rules are refused
     */
    static NativeEngine open(String source, boolean isPath, boolean asksProvider, NativeClock clock) {
        NativeLibrary.load();
        int flags = (isPath ? IS_PATH : 0) | (asksProvider ? ASKS_PROVIDER : 0);
        long time = clock == null ? 0 : clock.handle();
        return new NativeEngine(Reply.number(open(Utf8.encode(source), flags, clock, time)));
    }

    /** Decides on a text. Dialect 0 is that of the rules; a context may be null, and an answer 0. See {@link Answer}. */
    long check(byte[] sql, byte[] context, int dialect, int fakes, int weight, int flags, long answer) {
        return check(handle, sql, context, dialect, fakes, weight, flags, answer);
    }

    long checkRequest(byte[] context, int flags, long answer) {
        return checkRequest(handle, context, flags, answer);
    }

    long resume(long ticket, int flags, long answer) {
        return resume(handle, ticket, flags, answer);
    }

    boolean release(long permit) {
        return release(handle, permit);
    }

    boolean giveUp(long ticket) {
        return giveUp(handle, ticket);
    }

    /** Keeps a text, and the context that its checks go by where they bring none. */
    NativePrepared prepare(String sql, byte[] context, int dialect) {
        return new NativePrepared(Reply.number(prepare(handle, Utf8.encode(sql), context, dialect)));
    }

    /** The version of the rules in force. */
    long reload(String source, boolean isPath) {
        return Reply.number(reload(handle, Utf8.encode(source), isPath ? IS_PATH : 0));
    }

    /** Whether there were other rules in the file. */
    boolean refresh() {
        return Reply.number(refresh(handle)) != 0;
    }

    /** Nanoseconds between two looks at the file; 0 for never. */
    long watch() {
        return watch(handle);
    }

    void afterFork() {
        Reply.checked(afterFork(handle));
    }

    /** What rules read of a statement beside its text: {@link #READS_PARAMETERS}, {@link #READS_DATABASE}. */
    int reads() {
        return reads(handle);
    }

    String admin(String statement) {
        return Reply.text(admin(handle, Utf8.encode(statement)));
    }

    String snapshot() {
        return Reply.text(snapshot(handle));
    }

    String metrics() {
        return Reply.text(metrics(handle));
    }

    String top(int most) {
        return Reply.text(top(handle, most));
    }

    byte[] fingerprint(byte[] sql, int dialect) {
        return Reply.checked(fingerprint(handle, sql, dialect));
    }

    byte[] normalize(byte[] sql, int dialect) {
        return Reply.checked(normalize(handle, sql, dialect));
    }

    /** @param threshold null for none */
    void setThreshold(Digest fingerprint, Threshold threshold, long timeToLiveNanos) {
        byte[] digest = fingerprint.bytes();
        Reply.checked(threshold == null
                ? setThreshold(handle, digest, 0, 0, 0, null, 0, 0, 0, null, timeToLiveNanos)
                : setThreshold(handle, digest, threshold.maxCount, threshold.windowNanos, threshold.buckets,
                        Utf8.encode(threshold.rate), threshold.strategy, threshold.delayNanos, threshold.maxDelayed,
                        threshold.custom == null ? null : Utf8.encode(threshold.custom), timeToLiveNanos));
    }

    void thresholdFailed(Digest fingerprint) {
        Reply.checked(thresholdFailed(handle, fingerprint.bytes()));
    }

    /** Digests one after another, each behind a byte that says how long it is, all of them behind the first byte of the reply. */
    byte[] thresholdsDue(int most) {
        return Reply.checked(thresholdsDue(handle, most));
    }

    void recordDuration(Digest fingerprint, long nanos) {
        Reply.checked(recordDuration(handle, fingerprint.bytes(), nanos));
    }

    private static native byte[] open(byte[] source, int flags, NativeClock clock, long time);

    private static native void free(long handle);

    private native long check(long handle, byte[] sql, byte[] context, int dialect, int fakes, int weight, int flags,
            long answer);

    private native long checkRequest(long handle, byte[] context, int flags, long answer);

    private native long resume(long handle, long ticket, int flags, long answer);

    private native boolean release(long handle, long permit);

    private native boolean giveUp(long handle, long ticket);

    private native byte[] prepare(long handle, byte[] sql, byte[] context, int dialect);

    private native byte[] reload(long handle, byte[] source, int flags);

    private native byte[] refresh(long handle);

    private native long watch(long handle);

    private native byte[] afterFork(long handle);

    private native int reads(long handle);

    private native byte[] admin(long handle, byte[] statement);

    private native byte[] snapshot(long handle);

    private native byte[] metrics(long handle);

    private native byte[] top(long handle, int most);

    private native byte[] fingerprint(long handle, byte[] sql, int dialect);

    private native byte[] normalize(long handle, byte[] sql, int dialect);

    private native byte[] setThreshold(long handle, byte[] fingerprint, int maxCount, long window, int buckets, byte[] rate,
            int strategy, long delay, int maxDelayed, byte[] custom, long timeToLive);

    private native byte[] thresholdFailed(long handle, byte[] fingerprint);

    private native byte[] thresholdsDue(long handle, int most);

    private native byte[] recordDuration(long handle, byte[] fingerprint, long nanos);
}
