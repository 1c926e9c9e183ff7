package com.jd.sword.sqlthrottle;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;

/**
 * The native library: which file of it is loaded, and that it is the one for this jar. Each class loader loads a file of its own,
 * because the JVM binds a file to the loader that loads it.
 */
final class NativeLibrary {
    /** Names a file to load in place of that in the jar. */
    static final String PATH_PROPERTY = "sqlthrottle.native.path";

    /** Of this jar, and so that of the library. A test compares it with the build's. */
    static final String VERSION = "0.1.0";

    private static volatile boolean loaded;

    private NativeLibrary() {}

    /**
     * Loads the library, unless it is. Not in the initialiser of a class: one that has failed there says why only once.
     *
     * @throws UnsatisfiedLinkError it cannot be loaded; the message says why, and what to do
     */
    static void load() {
        if (!loaded) {
            loadOnce();
        }
    }

    private static synchronized void loadOnce() {
        if (loaded) {
            return;
        }
        String named = System.getProperty(PATH_PROPERTY);
        if (named != null && !named.isEmpty()) {
            link(Paths.get(named));
        } else {
            ExtractedFile.link(NativeLibrary.class.getClassLoader(), Platform.current());
        }
        int[] expected = {Answer.COUNT, Answer.LIMIT, Answer.RETRY_AFTER, Answer.DELAY, Answer.TICKET, Answer.PERMIT,
            Answer.FINGERPRINT, Answer.RULE_LENGTH, Answer.CUSTOM_LENGTH, Answer.RULE, Answer.CUSTOM, Answer.SIZE};
        // Both: while it is developed, a layout changes within a version.
        String version = versionOfLibrary();
        if (!VERSION.equals(version) || !Arrays.equals(expected, layout())) {
            throw new UnsatisfiedLinkError(LinkFailure.ofVersion(version, named));
        }
        requireAddress(address(ByteBuffer.allocateDirect(1)));
        loaded = true;
    }

    /** Decisions are read where this says: 0 would say that nobody wants them, and each would have neither a rule nor a place to give back. */
    static void requireAddress(long address) {
        if (address == 0) {
            throw new UnsatisfiedLinkError(LinkFailure.ofBuffers());
        }
    }

    private static String versionOfLibrary() {
        try {
            return Utf8.decode(version(), 0);
        } catch (UnsatisfiedLinkError before) {
            return "unknown";
        }
    }

    /** @throws UnsatisfiedLinkError the file cannot be loaded; the message says why */
    static void link(Path file) {
        Path absolute = file.toAbsolutePath();
        try {
            System.load(absolute.toString());
        } catch (UnsatisfiedLinkError refused) {
            UnsatisfiedLinkError error = new UnsatisfiedLinkError(LinkFailure.explain(absolute, refused.getMessage()));
            error.initCause(refused);
            throw error;
        } catch (RuntimeException refused) {
            throw LinkFailure.denied(absolute, refused);
        }
    }

    /** Where a direct buffer is; 0 where this JVM does not tell native code. */
    static native long address(ByteBuffer buffer);

    /** That of the build, in ASCII. */
    private static native byte[] version();

    /** The offsets of an answer, and its size, as the library has them. */
    private static native int[] layout();
}
