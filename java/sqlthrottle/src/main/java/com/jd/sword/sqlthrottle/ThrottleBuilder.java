package com.jd.sword.sqlthrottle;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.logging.Level;

/** How a {@link Throttle} is opened: with a rule file or rules, and what is to differ from the usual. */
public final class ThrottleBuilder {
    private String source = "";
    private boolean isPath;
    private ManualClock clock;
    private ThresholdProvider provider;
    private boolean looksForProvider = true;
    private ClassLoader loader;
    private boolean refreshes = true;

    ThrottleBuilder() {}

    /**
     * The file with the rules, in place of what was said before.
     *
     * @throws SqlThrottleException it is in no file system of the machine, as one within a jar is
     */
    public ThrottleBuilder ruleFile(Path file) {
        source = nameOf(file);
        isPath = true;
        return this;
    }

    /**
     * A file as the native library finds it. Whole, because that goes by the directory of the process, and Java by the property
     * {@code user.dir}; and so that whoever reads of a fault in a log can tell which file has it.
     */
    static String nameOf(Path file) {
        if (file.getFileSystem() != FileSystems.getDefault()) {
            // By its name alone another file would be read, or none.
            throw new SqlThrottleException("file.foreign", file.toUri() + ": only files of the machine can be watched; read this one, and "
                    + "give its text to `Throttle.of`");
        }
        return file.toAbsolutePath().toString();
    }

    /** The rules, as the text of a rule file, in place of what was said before. Without any, everything passes. */
    public ThrottleBuilder rules(String text) {
        source = Objects.requireNonNull(text, "text");
        isPath = false;
        return this;
    }

    /** A clock that a test moves; null for the machine's. */
    public ThrottleBuilder clock(ManualClock manual) {
        clock = manual;
        return this;
    }

    /** The provider of thresholds; null for none, whatever there is on the class path. */
    public ThrottleBuilder thresholdProvider(ThresholdProvider named) {
        provider = named;
        looksForProvider = false;
        return this;
    }

    /**
     * The class loader by which a {@link ThresholdProvider} is looked for, unless one is named. Unless said, that of the thread's context,
     * or where there is none, that of this library.
     */
    public ThrottleBuilder classLoader(ClassLoader providers) {
        loader = providers;
        return this;
    }

    /**
     * Whether a daemon thread looks for changes of the rule file, and another renews thresholds; they do unless said otherwise. Without it, a program
     * calls {@link Throttle#refresh} by itself, and thresholds stay as they were first given.
     */
    public ThrottleBuilder refresh(boolean byItself) {
        refreshes = byItself;
        return this;
    }

    /**
     * The throttle.
     *
     * @throws SqlThrottleException the file cannot be read or has faults, or the provider cannot be made
     */
    public Throttle open() {
        ThresholdProvider asked = looksForProvider ? found() : provider;
        NativeEngine engine = NativeEngine.open(source, isPath, asked != null, clock == null ? null : clock.open());
        Checker checker = new Checker(engine, asked);
        List<Refresher> refreshers = new ArrayList<>(2);
        if (refreshes && isPath) {
            refreshers.add(Refresher.ofFile(checker, source));
        }
        if (refreshes && asked != null) {
            refreshers.add(Refresher.ofThresholds(checker));
        }
        return new Throttle(checker, refreshers);
    }

    private ThresholdProvider found() {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        ClassLoader by = loader != null ? loader : context != null ? context : Throttle.class.getClassLoader();
        try {
            Iterator<ThresholdProvider> providers = ServiceLoader.load(ThresholdProvider.class, by).iterator();
            if (!providers.hasNext()) {
                return null;
            }
            ThresholdProvider first = providers.next();
            if (providers.hasNext()) {
                Logging.LOGGER.log(Level.WARNING, "of several providers of thresholds {0} is asked", first.getClass().getName());
            }
            return first;
        } catch (ServiceConfigurationError | LinkageError failure) {
            // The latter is what Java says where a class is there, and one that it needs is not.
            SqlThrottleException unusable = new SqlThrottleException("provider.unusable",
                    "the provider of thresholds on the class path cannot be made: " + failure);
            unusable.initCause(failure);
            throw unusable;
        }
    }
}
