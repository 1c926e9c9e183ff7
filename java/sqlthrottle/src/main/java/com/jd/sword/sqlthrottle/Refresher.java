package com.jd.sword.sqlthrottle;

import java.lang.ref.WeakReference;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;

/**
 * The thread of a throttle that looks whether its rule file has changed, and renews thresholds. It ends when the throttle is closed, or
 * forgotten: it holds that only while it looks.
 */
final class Refresher extends Thread {
    /** Where the file is not to be watched, and there are thresholds to renew. */
    private static final long PAUSE = TimeUnit.SECONDS.toNanos(1);

    private final WeakReference<Checker> checker;
    private final boolean hasFile;
    private String lastFailure;

    private Refresher(Checker checker, boolean hasFile) {
        super("sqlthrottle-refresh");
        this.checker = new WeakReference<>(checker);
        this.hasFile = hasFile;
        setDaemon(true);
        // What starts it may be unloaded before it ends.
        setContextClassLoader(null);
    }

    static Refresher start(Checker checker, boolean hasFile) {
        Refresher refresher = new Refresher(checker, hasFile);
        refresher.start();
        return refresher;
    }

    @Override
    public void run() {
        try {
            for (long pause = look(); pause > 0; pause = look()) {
                TimeUnit.NANOSECONDS.sleep(pause);
            }
        } catch (InterruptedException closed) {
            // So it ends.
        }
    }

    /** Looks once, and says how long to wait until the next look; 0 where there is none. */
    private long look() {
        Checker known = checker.get();
        NativeEngine engine = known == null ? null : known.engineIfOpen();
        if (engine == null) {
            return 0;
        }
        try {
            long watch = hasFile ? engine.watch() : 0;
            if (watch > 0) {
                refresh(known, engine);
            }
            known.renewThresholds();
            return watch > 0 ? watch : PAUSE;
        } catch (RuntimeException | LinkageError failure) {
            Logging.LOGGER.log(Level.WARNING, "the rules could not be looked after; they stay as they are", failure);
            return PAUSE;
        }
    }

    private void refresh(Checker known, NativeEngine engine) {
        try {
            if (engine.refresh()) {
                known.rulesChanged();
                Logging.LOGGER.info("the rule file has changed, and is in force");
            }
            lastFailure = null;
        } catch (SqlThrottleException refused) {
            // A file that cannot be read is tried again each time, and said once.
            if (!refused.getMessage().equals(lastFailure)) {
                lastFailure = refused.getMessage();
                Logging.LOGGER.log(Level.WARNING, "the rule file has changed and is refused; the rules before stay in force: {0}",
                        lastFailure);
            }
        }
    }
}
