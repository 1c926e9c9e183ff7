package com.jd.sword.sqlthrottle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NativeFilesTest {
    private static final Platform PLATFORM = Platform.current();
    private static final String RESOURCE = "META-INF/native/" + PLATFORM.directory() + '/' + PLATFORM.file();

    @TempDir
    Path directory;

    @AfterEach
    void restore() {
        System.clearProperty(ExtractedFile.DIRECTORY_PROPERTY);
    }

    @ParameterizedTest
    @CsvSource({"Linux,amd64,linux-x86_64", "Linux,aarch64,linux-aarch64", "Mac OS X,arm64,macos-aarch64", "Darwin,x86_64,macos-x86_64",
        "Windows 11,amd64,windows-x86_64", "SunOS,sparcv9,sunos-sparcv9"})
    void aPlatformIsCalledAsItsDirectory(String os, String arch, String directory) {
        assertThat(new Platform(Platform.os(os), Platform.arch(arch), false).directory()).isEqualTo(directory);
    }

    @Test
    void muslHasADirectoryOfItsOwn() {
        Platform musl = new Platform("linux", "x86_64", true);
        assertThat(musl.directory()).isEqualTo("linux-x86_64-musl");
        assertThat(musl.file()).isEqualTo("libsqlthrottle_java.so");
        assertThat(new Platform("windows", "x86_64", false).file()).isEqualTo("sqlthrottle_java.dll");
        assertThat(new Platform("macos", "aarch64", false).file()).isEqualTo("libsqlthrottle_java.dylib");
    }

    @Test
    void aPlatformWithoutAFileIsNamedWithThoseThatHaveOne() {
        Platform other = new Platform("plan9", "mips", false);
        assertThatThrownBy(() -> ExtractedFile.link(getClass().getClassLoader(), other)).isInstanceOf(UnsatisfiedLinkError.class)
                .hasMessageContaining("plan9-mips").hasMessageContaining(System.getProperty("os.arch"))
                .hasMessageContaining("[" + PLATFORM.directory() + "]").hasMessageContaining(NativeLibrary.PATH_PROPERTY);
    }

    /** Each try has a directory of its own, and none is left. */
    @Test
    void aFileThatCannotBeLoadedIsRemovedAndTheReasonSaid() throws Exception {
        try (URLClassLoader loader = loaderOfAProgram()) {
            System.setProperty(ExtractedFile.DIRECTORY_PROPERTY, directory.resolve("extracted").toString());
            assertThatThrownBy(() -> ExtractedFile.link(loader, PLATFORM)).isInstanceOf(UnsatisfiedLinkError.class)
                    .hasMessageContaining(directory.resolve("extracted").toString());
            assertThat(directory.resolve("extracted")).isEmptyDirectory();
        }
    }

    @Test
    void aDirectoryThatCannotBeWrittenIsNamedWithTheProperty() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "no directory");
        System.setProperty(ExtractedFile.DIRECTORY_PROPERTY, file.toString());
        assertThatThrownBy(() -> ExtractedFile.link(getClass().getClassLoader(), PLATFORM)).isInstanceOf(UnsatisfiedLinkError.class)
                .hasMessageContaining(file.toString()).hasMessageContaining(ExtractedFile.DIRECTORY_PROPERTY);
    }

    @Test
    void aFileThatIsNotThereIsSaidToBeNone() {
        Path file = directory.resolve("libnowhere.so");
        assertThatThrownBy(() -> NativeLibrary.link(file)).isInstanceOf(UnsatisfiedLinkError.class)
                .hasMessageContaining(file.toString()).hasMessageContaining("no such file");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "/lib/libc.so.6: version `GLIBC_2.38' not found (required by x)|older than GLIBC 2.38",
        "x.so: failed to map segment from shared object|nothing may be executed in the directory /tmp/d",
        "x.so: cannot open shared object file: Operation not permitted|sqlthrottle.native.dir",
        "Native Library x.so already loaded in another classloader|so that each has a file of its own",
        "Error loading shared library ld-linux-x86-64.so.2: No such file|another platform than this",
        "x.so: wrong ELF class: ELFCLASS32|another platform than this",
        "Can't load library: x.so|no such file",
        "something else|the system refuses it",
    })
    void whatTheSystemSaysIsExplained(String said, String explained) {
        assertThat(LinkFailure.explain(Paths.get("/tmp/d/x.so"), said)).contains(explained).contains(said).contains("/tmp/d/x.so");
    }

    /** In place of the library a program: it is of this platform, and still cannot be loaded. */
    private URLClassLoader loaderOfAProgram() throws Exception {
        Path file = directory.resolve("classes").resolve(RESOURCE);
        Files.createDirectories(file.getParent());
        Files.copy(Paths.get(System.getProperty("java.home"), "bin", PLATFORM.directory().startsWith("windows") ? "java.exe" : "java"), file);
        return new URLClassLoader(new URL[] {directory.resolve("classes").toUri().toURL()}, null);
    }

    @Test
    void aJvmThatDeniesNativeAccessIsSaidHowToAllowIt() {
        RuntimeException denied = new IllegalCallerException("Illegal native access from: unnamed module");
        assertThat(LinkFailure.denied(Paths.get("/tmp/d/x.so"), denied)).hasCause(denied)
                .hasMessageContaining("--enable-native-access=ALL-UNNAMED")
                .hasMessageContaining("--enable-native-access=com.jd.sword.sqlthrottle")
                .hasMessageContaining("/tmp/d/x.so").hasMessageContaining("Illegal native access from: unnamed module");
    }

    @Test
    void aLibraryOfAnotherVersionIsNamedWithBoth() {
        assertThat(LinkFailure.ofVersion("0.0.9", "/opt/x.so")).contains("0.0.9", NativeLibrary.VERSION, "/opt/x.so",
                NativeLibrary.PATH_PROPERTY);
        assertThat(LinkFailure.ofVersion("unknown", null)).contains("unknown", "two jars");
    }

    /** What is loaded is of this version, or no test here runs; so it is the one of the build. */
    @Test
    void theVersionIsThatOfTheBuild() throws Exception {
        NativeLibrary.load();
        assertThat(Files.readString(Paths.get("pom.xml"))).contains("<version>" + NativeLibrary.VERSION + "</version>");
    }

    private Path left(String name, String... files) throws Exception {
        Path left = Files.createDirectory(directory.resolve(name));
        for (String file : files) {
            Files.writeString(left.resolve(file), "");
        }
        Files.setLastModifiedTime(left, FileTime.from(Instant.now().minus(Duration.ofHours(2))));
        return left;
    }

    @Test
    void whatEarlierJvmsHaveLeftIsSwept() throws Exception {
        String file = PLATFORM.file();
        Path full = left("sqlthrottle-1", file);
        Path empty = left("sqlthrottle-2");
        Path young = left("sqlthrottle-3", file);
        Files.setLastModifiedTime(young, FileTime.from(Instant.now()));
        Path shared = left("sqlthrottle-4", file, "notes.txt");
        Path others = left("other-5", file);
        Path linked = Files.createSymbolicLink(directory.resolve("sqlthrottle-6"), others);
        Path within = left("sqlthrottle-7");
        Files.createSymbolicLink(within.resolve(file), shared.resolve(file));
        Files.setLastModifiedTime(within, FileTime.from(Instant.now().minus(Duration.ofHours(2))));
        Path plain = Files.writeString(directory.resolve("sqlthrottle-8"), "");
        LeftDirectories.sweep(directory, ExtractedFile.PREFIX, file);
        assertThat(full).doesNotExist();
        assertThat(empty).doesNotExist();
        assertThat(young.resolve(file)).exists();
        assertThat(shared.resolve(file)).exists();
        assertThat(others.resolve(file)).exists();
        assertThat(linked).isSymbolicLink();
        assertThat(within.resolve(file)).isSymbolicLink();
        assertThat(plain).exists();
        LeftDirectories.sweep(directory.resolve("none"), ExtractedFile.PREFIX, file);
    }

    @Test
    void aSweepIsBounded() throws Exception {
        for (int i = 0; i < 150; i++) {
            left("sqlthrottle-" + i);
        }
        LeftDirectories.sweep(directory, ExtractedFile.PREFIX, PLATFORM.file());
        assertThat(directory.toFile().list()).hasSize(50);
    }

    @Test
    void aJvmThatShowsNoBuffersIsRefused() {
        assertThatThrownBy(() -> NativeLibrary.requireAddress(0)).isInstanceOf(UnsatisfiedLinkError.class)
                .hasMessageContaining("direct buffers").hasMessageContaining(System.getProperty("java.vm.name"));
    }
}
