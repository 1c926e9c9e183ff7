package com.jd.sword.sqlthrottle;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/**
 * What earlier JVMs have left where the system does not remove a file that is loaded, as Windows does not: not even the JVM that ends can.
 * The next one that loads it sweeps.
 */
final class LeftDirectories {
    /** Younger ones may belong to a JVM that is about to load its file. */
    private static final Duration YOUNGEST = Duration.ofHours(1);
    /** Most that are looked at: a program that starts is not to stop for all that others have left. */
    private static final int MAX_LOOKED_AT = 100;

    private LeftDirectories() {}

    /**
     * Removes directories with the prefix that have nothing in them but the file. One that is in use stays, as its file cannot be removed;
     * links are neither followed nor removed.
     */
    static void sweep(Path parent, String prefix, String file) {
        Instant youngest = Instant.now().minus(YOUNGEST);
        try (DirectoryStream<Path> left = Files.newDirectoryStream(parent, prefix + "*")) {
            int lookedAt = 0;
            for (Path directory : left) {
                if (++lookedAt > MAX_LOOKED_AT) {
                    return;
                }
                removeIfLeft(directory, youngest, file);
            }
        } catch (IOException | RuntimeException unreadable) {
            // It is for others, and no reason not to start.
        }
    }

    private static void removeIfLeft(Path directory, Instant youngest, String file) {
        try {
            if (isOld(directory, youngest) && hasAtMost(directory, file)) {
                Files.deleteIfExists(directory.resolve(file));
                Files.deleteIfExists(directory);
            }
        } catch (IOException inUse) {
            // By a JVM that runs still, or it is another user's.
        }
    }

    private static boolean isOld(Path directory, Instant youngest) throws IOException {
        return Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
                && Files.getLastModifiedTime(directory, LinkOption.NOFOLLOW_LINKS).toInstant().isBefore(youngest);
    }

    private static boolean hasAtMost(Path directory, String file) throws IOException {
        try (DirectoryStream<Path> content = Files.newDirectoryStream(directory)) {
            for (Path entry : content) {
                if (!entry.getFileName().toString().equals(file) || !Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS)) {
                    return false;
                }
            }
        }
        return true;
    }
}
