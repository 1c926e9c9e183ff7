package com.jd.sword.sqlthrottle;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An application that is stopped and started in one JVM, where each start has a class loader of its own. */
@Timeout(120)
class RedeployIT {
    @TempDir
    Path extracted;

    @BeforeEach
    void extractHere() {
        System.setProperty(ExtractedFile.DIRECTORY_PROPERTY, extracted.toString());
    }

    @AfterEach
    void restore() {
        System.clearProperty(ExtractedFile.DIRECTORY_PROPERTY);
    }

    /** What the application does, in classes of its own loader. */
    public static final class Application implements Callable<String>, AutoCloseable {
        private final Path file = Files.createTempFile("rules", ".yml");
        private final Throttle throttle;

        /** Opens its throttle with a file, so that it has a thread. */
        public Application() throws Exception {
            Files.write(file, "watch: 100ms\ndefault_threshold: 1000".getBytes());
            throttle = Throttle.open(file);
        }

        @Override
        public String call() throws Exception {
            for (int i = 0; i < 100; i++) {
                throttle.guard("select * from t where id = " + i % 3).close();
            }
            throttle.guardAsync("select 1").get().close();
            return throttle.check("select * from t where id = 1").count() + " in "
                    + Integer.toHexString(System.identityHashCode(Throttle.class));
        }

        @Override
        public void close() throws Exception {
            throttle.close();
            Files.delete(file);
        }
    }

    private static URLClassLoader deploy() throws Exception {
        URL[] urls = {PackagedJar.path().toUri().toURL(), PackagedJar.testClasses().toUri().toURL()};
        return new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
    }

    private static AutoCloseable start(ClassLoader loader) throws Exception {
        return (AutoCloseable) loader.loadClass(Application.class.getName()).getConstructor().newInstance();
    }

    @Test
    void twoRunAtATimeAndKnowNothingOfEachOther() throws Exception {
        try (URLClassLoader first = deploy(); URLClassLoader second = deploy();
                AutoCloseable one = start(first); AutoCloseable other = start(second)) {
            String ofOne = (String) ((Callable<?>) one).call();
            String ofOther = (String) ((Callable<?>) other).call();
            assertThat(ofOne).startsWith("101 in ");
            assertThat(ofOther).startsWith("101 in ").isNotEqualTo(ofOne);
        }
        assertThat(extracted).as("a file is removed once it is loaded").isEmptyDirectory();
    }

    @Test
    void whatIsStoppedIsUnloaded() throws Exception {
        for (int round = 0; round < 8; round++) {
            WeakReference<ClassLoader> stopped = startAndStop();
            while (stopped.get() != null) {
                System.gc();
                Thread.onSpinWait();
            }
        }
    }

    private static WeakReference<ClassLoader> startAndStop() throws Exception {
        try (URLClassLoader loader = deploy(); AutoCloseable application = start(loader)) {
            ((Callable<?>) application).call();
            return new WeakReference<>(loader);
        }
    }
}
