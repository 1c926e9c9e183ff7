package com.jd.sword.sqlthrottle;

import java.lang.ref.WeakReference;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;

/**
 * A thread of a throttle that looks after something: whether its rule file has changed, or which thresholds are due. Each has a thread of
 * its own, so that a provider that hangs is not in the way of the file. It ends when the throttle is closed, or forgotten: it holds that
 * only while it looks.
 */
final class Refresher extends Thread {
    /** Where the file is not to be watched, and between two looks at thresholds. */
    private static final long PAUSE = TimeUnit.SECONDS.toNanos(1);

    private final WeakReference<Checker> checker;
    private final Look look;
    /** Of the file; looked at by this thread alone. */
    private String lastFailure;
    /** Null where it looks after something else. */
    private final String file;

    private Refresher(String name, String file, Checker checker, Look look) {
        super(name);
        this.file = file;
        this.checker = new WeakReference<>(checker);
        this.look = look;
        setDaemon(true);
        // What starts it may be unloaded before it ends.
        setContextClassLoader(null);
    }

    /** Looks after the rule file. */
    static Refresher ofFile(Checker checker, String file) {
        return started(new Refresher("sqlthrottle-refresh", file, checker, Refresher::file));
    }

    /** Renews thresholds. */
    static Refresher ofThresholds(Checker checker) {
        return started(new Refresher("sqlthrottle-thresholds", null, checker, Refresher::thresholds));
    }

    private static Refresher started(Refresher refresher) {
        refresher.start();
        return refresher;
    }

    @Override
    public void run() {
        for (long pause = look(); pause > 0; pause = look()) {
            try {
                TimeUnit.NANOSECONDS.sleep(pause);
            } catch (InterruptedException woken) {
                // Where that was for the end, the next look says so.
            }
        }
    }

    /** Looks once, and says how long to wait until the next look; 0 where there is none. */
    private long look() {
        Checker known = checker.get();
        NativeEngine engine = known == null ? null : known.engineIfOpen();
        if (engine == null) {
            return 0;
        }
        long pause;
        try {
            pause = look.at(this, known, engine);
        } catch (Throwable failure) {
            Logging.LOGGER.log(Level.WARNING, "the rules could not be looked after; they stay as they are", failure);
            pause = PAUSE;
        }
        // An interrupt that came meanwhile may have been swallowed: the end is told by the engine, which goes first.
        return known.engineIfOpen() == null ? 0 : pause;
    }

    private static long thresholds(Refresher thread, Checker known, NativeEngine engine) {
        known.renewThresholds();
        return PAUSE;
    }

    private static long file(Refresher thread, Checker known, NativeEngine engine) {
        long watch = engine.watch();
        if (watch == 0) {
            return PAUSE;
        }
        thread.refresh(known, engine);
        return watch;
    }

    private void refresh(Checker known, NativeEngine engine) {
        try {
            if (engine.refresh()) {
                known.rulesChanged();
                Logging.LOGGER.log(Level.INFO, "the rule file {0} has changed, and is in force", file);
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

    private interface Look {
        long at(Refresher thread, Checker known, NativeEngine engine);
    }
}
