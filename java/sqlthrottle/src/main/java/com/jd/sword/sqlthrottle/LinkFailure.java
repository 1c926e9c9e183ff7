package com.jd.sword.sqlthrottle;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Why a native file could not be loaded, in words that say what to do, from what the system says of it. */
final class LinkFailure {
    private static final Pattern GLIBC = Pattern.compile("version `(GLIBC_[0-9.]+)' not found");

    private LinkFailure() {}

    /** @param said the message of the system's loader, which may be null */
    static String explain(Path file, String said) {
        return "the native library of sqlthrottle could not be loaded from " + file + ": " + cause(file, String.valueOf(said))
                + " (" + said + ")";
    }

    /**
     * The JVM itself has refused: by an {@code IllegalCallerException}, where native access is denied, or by a security manager.
     *
     * @param refused what it has thrown
     */
    static UnsatisfiedLinkError denied(Path file, RuntimeException refused) {
        UnsatisfiedLinkError error = new UnsatisfiedLinkError("the native library of sqlthrottle could not be loaded from " + file
                + ": this JVM does not let it; start it with --enable-native-access=ALL-UNNAMED, or, where sqlthrottle is on the module"
                + " path, with --enable-native-access=com.jd.sword.sqlthrottle (" + refused.getMessage() + ")");
        error.initCause(refused);
        return error;
    }

    /**
     * @param version of the library
     * @param named where it was loaded from; null for the jar
     */
    static String ofVersion(String version, String named) {
        return "the native library of sqlthrottle is of version " + version + ", and the jar of version " + NativeLibrary.VERSION + ": "
                + (named == null || named.isEmpty()
                        ? "there are two jars of sqlthrottle on the class path; leave one out"
                        : "the system property " + NativeLibrary.PATH_PROPERTY + " names " + named + "; name one of the jar's version");
    }

    private static String cause(Path file, String said) {
        Matcher glibc = GLIBC.matcher(said);
        if (glibc.find()) {
            return "the system's C library is older than " + glibc.group(1).replace('_', ' ')
                    + ", which it was built for; use a newer system, or build it on this one and name the file by the system property "
                    + NativeLibrary.PATH_PROPERTY;
        }
        if (said.contains("failed to map segment") || said.contains("Operation not permitted")
                || said.contains("Permission denied")) {
            return "nothing may be executed in the directory " + file.getParent()
                    + ", which is mounted with noexec or not permitted; name another one by the system property "
                    + ExtractedFile.DIRECTORY_PROPERTY;
        }
        if (said.contains("already loaded in another classloader")) {
            return "another class loader of this JVM has loaded the same file; leave out the system property "
                    + NativeLibrary.PATH_PROPERTY + ", so that each has a file of its own";
        }
        if (said.contains("ld-linux") || said.contains("libc.musl") || said.contains("ld-musl") || said.contains("wrong ELF class")
                || said.contains("invalid ELF header") || said.contains("not a valid Win32")) {
            return "it is built for another platform than this, " + Platform.current();
        }
        if (said.contains("No such file") || said.contains("Can't load library") || said.contains("Can't find")) {
            return "there is no such file, or it needs another that is not there";
        }
        return "the system refuses it";
    }

    /** That the JVM does not show its memory to native code, as the specification leaves to it. */
    static String ofBuffers() {
        return "this JVM (" + System.getProperty("java.vm.name") + ' ' + System.getProperty("java.vm.version")
                + ") gives native code no access to direct buffers, which sqlthrottle reads decisions from: use another";
    }
}
