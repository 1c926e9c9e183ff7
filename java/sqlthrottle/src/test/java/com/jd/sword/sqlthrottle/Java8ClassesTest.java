package com.jd.sword.sqlthrottle;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.PhantomReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The classes that Java 9 and later have others in the place of: loaded without those. */
@Timeout(120)
class Java8ClassesTest {
    private static String run(Class<? extends Callable<String>> program) throws Exception {
        // Where the class is that is in both places, those of Java 9 come first.
        Path latest = Paths.get(Cleanup.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        Path classes = latest.endsWith("META-INF/versions/9") ? latest.getParent().getParent().getParent() : latest;
        URL[] urls = {classes.toUri().toURL(), PackagedJar.testClasses().toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
            return (String) ((Callable<?>) loader.loadClass(program.getName()).getConstructor().newInstance()).call();
        }
    }

    /** Frees what is unreachable. Whatever it returns but "done" is what is wrong. */
    public static final class Frees implements Callable<String> {
        @Override
        public String call() {
            if (Cleanup.class.getSuperclass() != PhantomReference.class) {
                return "the class of Java 9 is loaded";
            }
            AtomicInteger freed = new AtomicInteger();
            int owners = 500;
            leave(owners, freed);
            List<Object> kept = new ArrayList<>();
            while (freed.get() < owners) {
                System.gc();
                int before = freed.get();
                Object owner = new Object();
                kept.add(owner);
                Cleanup.of(owner, freed::incrementAndGet);
                if (freed.get() - before > 32) {
                    return freed.get() - before + " at once";
                }
            }
            return freed.get() == owners ? "done" : "freed " + freed + " for " + kept.size() + " that are in use";
        }

        private static void leave(int owners, AtomicInteger freed) {
            for (int i = 0; i < owners; i++) {
                Cleanup.of(new Object(), freed::incrementAndGet);
            }
        }
    }

    @Test
    void whatIsUnreachableIsFreedAFewAtATime() throws Exception {
        assertThat(run(Frees.class)).isEqualTo("done");
    }

    /** Checks, waits by a thread and without one, and closes. */
    public static final class Throttles implements Callable<String> {
        @Override
        public String call() throws Exception {
            String rules = "rules: [{name: slow, limit: {block: true}, then: {strategy: delay, delay: 1ms}},"
                    + " {name: places, limit: {concurrency: {max: 1}}}]";
            try (Throttle throttle = Throttle.of(rules)) {
                for (int i = 0; i < 3; i++) {
                    throttle.guardAsync("select 1").get().close();
                    throttle.guard("select 1").close();
                }
                return throttle.check("select 1").verdict().toString();
            }
        }
    }

    @Test
    void theyThrottleAsTheOthersDo() throws Exception {
        assertThat(run(Throttles.class)).isEqualTo("delay");
    }
}
