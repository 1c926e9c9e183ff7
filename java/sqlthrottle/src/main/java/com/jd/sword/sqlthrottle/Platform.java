package com.jd.sword.sqlthrottle;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Locale;

/** The operating system and processor, as the directories of native files are called: {@code linux-x86_64-musl}. */
final class Platform {
    private final String os;
    private final String arch;
    private final boolean musl;

    Platform(String os, String arch, boolean musl) {
        this.os = os;
        this.arch = arch;
        this.musl = musl;
    }

    /** The one that this runs on. */
    static Platform current() {
        String os = os(System.getProperty("os.name"));
        return new Platform(os, arch(System.getProperty("os.arch")), os.equals("linux") && isMusl());
    }

    static String os(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (lower.startsWith("windows")) {
            return "windows";
        }
        if (lower.startsWith("mac") || lower.startsWith("darwin")) {
            return "macos";
        }
        return lower.replace(' ', '-');
    }

    static String arch(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        switch (lower) {
            case "amd64":
            case "x86-64":
            case "x64":
                return "x86_64";
            case "arm64":
                return "aarch64";
            default:
                return lower;
        }
    }

    String directory() {
        return os + '-' + arch + (musl ? "-musl" : "");
    }

    String file() {
        switch (os) {
            case "windows":
                return "sqlthrottle_java.dll";
            case "macos":
                return "libsqlthrottle_java.dylib";
            default:
                return "libsqlthrottle_java.so";
        }
    }

    @Override
    public String toString() {
        return directory();
    }

    /**
     * Whether the C library of this process is musl. Asked is what the process has mapped, and where that cannot be read, what is
     * installed; nothing is run.
     */
    private static boolean isMusl() {
        try {
            for (String line : Files.readAllLines(Paths.get("/proc/self/maps"), StandardCharsets.ISO_8859_1)) {
                if (line.contains("/ld-musl-") || line.contains("/libc.musl-")) {
                    return true;
                }
                if (line.contains("/libc.so.6") || line.contains("/libc-2.")) {
                    return false;
                }
            }
        } catch (IOException | SecurityException unreadable) {
            // What is installed says it, then.
        }
        try (DirectoryStream<Path> loaders = Files.newDirectoryStream(Paths.get("/lib"), "ld-musl-*")) {
            return loaders.iterator().hasNext() && !Files.exists(Paths.get("/lib64/ld-linux-x86-64.so.2"));
        } catch (IOException | SecurityException unreadable) {
            return false;
        }
    }
}
