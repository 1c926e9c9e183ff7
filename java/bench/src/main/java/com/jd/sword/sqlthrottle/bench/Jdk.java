package com.jd.sword.sqlthrottle.bench;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;

/**
 * A Java that the rows are measured on.
 *
 * @param java its executable
 * @param feature its version, such as 17
 */
record Jdk(Path java, int feature) {
    /** The one at a place, as {@code JAVA_HOME} names it. */
    static Jdk at(Path home) throws IOException {
        Properties release = new Properties();
        try (Reader reader = Files.newBufferedReader(home.resolve("release"))) {
            release.load(reader);
        }
        String version = release.getProperty("JAVA_VERSION").replace("\"", "");
        return new Jdk(home.resolve("bin").resolve("java"), Runtime.Version.parse(version).feature());
    }

    /** What newer ones warn of otherwise: our library, and the classes in which JMH and Guava look for fields. */
    List<String> options() {
        return feature < 24
                ? List.of()
                : List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow");
    }

    @Override
    public String toString() {
        return "JDK " + feature;
    }
}
