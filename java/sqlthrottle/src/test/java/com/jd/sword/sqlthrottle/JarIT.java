package com.jd.sword.sqlthrottle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class JarIT {
    @Test
    void theJarHasWhatItsHostsLookFor() throws Exception {
        try (JarFile jar = new JarFile(PackagedJar.path().toFile())) {
            Attributes manifest = jar.getManifest().getMainAttributes();
            assertThat(manifest.getValue("Automatic-Module-Name")).isEqualTo("com.jd.sword.sqlthrottle");
            assertThat(manifest.getValue("Multi-Release")).isEqualTo("true");
            assertThat(manifest.getValue("Implementation-Version")).isEqualTo(System.getProperty("packaged.version"));
            Platform platform = Platform.current();
            assertThat(jar.getEntry("META-INF/native/" + platform.directory() + '/' + platform.file())).isNotNull();
            assertThat(jar.getEntry("META-INF/native-image/com.jd.sword/sqlthrottle/resource-config.json")).isNotNull();
            assertThat(jar.getEntry("META-INF/native-image/com.jd.sword/sqlthrottle/jni-config.json")).isNotNull();
        }
    }

    /**
     * What takes the place of a class from Java 9 on has the same name: one of another is of no use. A class within such a one
     * belongs to it.
     */
    @Test
    void classesForLaterVersionsTakeThePlaceOfOthers() throws Exception {
        try (JarFile jar = new JarFile(PackagedJar.path().toFile())) {
            String later = "META-INF/versions/9/";
            assertThat(jar.stream().map(entry -> entry.getName()).filter(name -> name.startsWith(later) && name.endsWith(".class") && name.indexOf('$') < 0)
                    .map(name -> name.substring(later.length())).collect(Collectors.toList()))
                    .contains("com/jd/sword/sqlthrottle/Cleanup.class", "com/jd/sword/sqlthrottle/Timer.class")
                    .allSatisfy(name -> assertThat(jar.getEntry(name)).isNotNull());
        }
    }

    /** The major version of Java 8's class files is 52, of Java 9's 53. */
    @Test
    void classesAreForJava8() throws Exception {
        try (JarFile jar = new JarFile(PackagedJar.path().toFile())) {
            jar.stream().filter(entry -> entry.getName().endsWith(".class")).forEach(entry -> {
                try (java.io.DataInputStream content = new java.io.DataInputStream(jar.getInputStream(entry))) {
                    content.skipBytes(6);
                    assertThat(content.readUnsignedShort()).as(entry.getName())
                            .isEqualTo(entry.getName().startsWith("META-INF/versions/9/") ? 53 : 52);
                } catch (java.io.IOException unreadable) {
                    throw new java.io.UncheckedIOException(unreadable);
                }
            });
        }
    }
}
