package com.jd.sword.sqlthrottle;

/** What keeps a text as the native library has read it, until the throttle is closed: it would keep the engine in memory. */
abstract class TextHolder {
    /** Null once the throttle is closed. */
    private volatile NativePrepared prepared;

    /** @throws IllegalStateException the throttle is closed */
    TextHolder(Checker checker, NativePrepared prepared) {
        this.prepared = prepared;
        checker.keep(this);
    }

    /** @throws IllegalStateException the throttle is closed */
    final NativePrepared prepared() {
        NativePrepared kept = prepared;
        if (kept == null) {
            throw Checker.closed();
        }
        return kept;
    }

    /** Called where the throttle is closed. */
    final void letGo() {
        prepared = null;
    }
}
