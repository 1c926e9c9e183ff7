package com.jd.sword.sqlthrottle;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * The native file of the jar, in a directory of its own that nobody else may look into or write to: the system's loader takes no file
 * from within a jar. It is removed as soon as it is loaded, where the system allows, and else when the JVM ends, or by a later one.
 */
final class ExtractedFile {
    /** Names a directory to extract to, in place of those that are tried otherwise. */
    static final String DIRECTORY_PROPERTY = "sqlthrottle.native.dir";

    /** Of the names of its directories. */
    static final String PREFIX = "sqlthrottle-";

    private static final String NATIVE = "META-INF/native/";
    /** Platforms that a jar may have a file for, to be named where it has none for this one. */
    private static final String[] PLATFORMS = {"linux-x86_64", "linux-x86_64-musl", "linux-aarch64", "linux-aarch64-musl",
        "macos-x86_64", "macos-aarch64", "windows-x86_64", "windows-aarch64"};

    private ExtractedFile() {}

    /**
     * Extracts the file of a platform, and loads it.
     *
     * @param loader whose resources it is among
     * @throws UnsatisfiedLinkError there is none, or in none of the directories it can be written and loaded; the message says why
     */
    static void link(ClassLoader loader, Platform platform) {
        String resource = NATIVE + platform.directory() + '/' + platform.file();
        if (resource(loader, resource) == null) {
            throw new UnsatisfiedLinkError("sqlthrottle has no native library for " + platform + " (os.name "
                    + System.getProperty("os.name") + ", os.arch " + System.getProperty("os.arch") + "), only for "
                    + platforms(loader) + "; build one with `cargo build --release --package sqlthrottle-java`, and name the file by"
                    + " the system property " + NativeLibrary.PATH_PROPERTY);
        }
        UnsatisfiedLinkError failure = null;
        for (Path parent : directories()) {
            try {
                linkIn(parent, loader, resource, platform.file());
                return;
            } catch (UnsatisfiedLinkError refused) {
                failure = joined(failure, refused);
            } catch (IOException unwritable) {
                UnsatisfiedLinkError refused = new UnsatisfiedLinkError("the native library of sqlthrottle could not be written to "
                        + parent + ": " + unwritable + "; name another directory by the system property " + DIRECTORY_PROPERTY);
                refused.initCause(unwritable);
                failure = joined(failure, refused);
            }
        }
        throw failure;
    }

    /** The directory that is named, or else the system's for temporary files and, where that is of no use, the user's own. */
    private static List<Path> directories() {
        List<Path> directories = new ArrayList<>();
        String named = System.getProperty(DIRECTORY_PROPERTY);
        if (named != null && !named.isEmpty()) {
            directories.add(Paths.get(named));
            return directories;
        }
        directories.add(Paths.get(System.getProperty("java.io.tmpdir")));
        String home = System.getProperty("user.home");
        if (home != null && Files.isDirectory(Paths.get(home))) {
            directories.add(Paths.get(home, ".cache", "sqlthrottle"));
        }
        return directories;
    }

    private static void linkIn(Path parent, ClassLoader loader, String resource, String name) throws IOException {
        Files.createDirectories(parent);
        Path directory = Files.createTempDirectory(parent, PREFIX, ownersAlone(parent));
        Path file = directory.resolve(name);
        try {
            try (InputStream content = loader == null
                    ? ClassLoader.getSystemResourceAsStream(resource)
                    : loader.getResourceAsStream(resource)) {
                Files.copy(content, file);
            }
            NativeLibrary.link(file);
        } finally {
            remove(file, directory);
        }
    }

    private static FileAttribute<?>[] ownersAlone(Path parent) {
        return parent.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))}
                : new FileAttribute<?>[0];
    }

    private static void remove(Path file, Path directory) {
        try {
            Files.deleteIfExists(file);
            Files.deleteIfExists(directory);
        } catch (IOException inUse) {
            // Windows keeps what is loaded. The JVM goes the other way round: what was named last goes first. Where it fails too, the next
            // one that comes here sweeps.
            directory.toFile().deleteOnExit();
            file.toFile().deleteOnExit();
            LeftDirectories.sweep(directory.getParent(), PREFIX, file.getFileName().toString());
        }
    }

    private static UnsatisfiedLinkError joined(UnsatisfiedLinkError first, UnsatisfiedLinkError next) {
        if (first == null) {
            return next;
        }
        UnsatisfiedLinkError both = new UnsatisfiedLinkError(first.getMessage() + "; and " + next.getMessage());
        both.initCause(first);
        both.addSuppressed(next);
        return both;
    }

    private static List<String> platforms(ClassLoader loader) {
        List<String> there = new ArrayList<>();
        for (String directory : PLATFORMS) {
            for (String file : new String[] {"libsqlthrottle_java.so", "libsqlthrottle_java.dylib", "sqlthrottle_java.dll"}) {
                if (resource(loader, NATIVE + directory + '/' + file) != null) {
                    there.add(directory);
                }
            }
        }
        return there;
    }

    private static Object resource(ClassLoader loader, String name) {
        return loader == null ? ClassLoader.getSystemResource(name) : loader.getResource(name);
    }
}
