package com.jd.sword.sqlthrottle;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The rule and the fingerprint that decisions have named last. As a rule the next names the same, and so no text is made for it. Any
 * number of threads may look and change it: what they see is old or new, and whole either way.
 */
final class LastNamed {
    private Name rule = new Name(new long[0], 0, "");
    private Digest digest;

    /** The name at an offset of a buffer, padded with zero bytes to words of eight. */
    String rule(ByteBuffer buffer, int offset, int length) {
        Name last = rule;
        if (!last.isAt(buffer, offset, length)) {
            last = Name.at(buffer, offset, length);
            rule = last;
        }
        return last.text;
    }

    /** The fingerprint at an offset of a buffer. */
    Digest digest(ByteBuffer buffer, int offset, int length) {
        Digest last = digest;
        if (last == null || !last.isAt(buffer, offset, length)) {
            last = Digest.at(buffer, offset, length);
            digest = last;
        }
        return last;
    }

    private static final class Name {
        final long[] words;
        final int length;
        final String text;

        Name(long[] words, int length, String text) {
            this.words = words;
            this.length = length;
            this.text = text;
        }

        static Name at(ByteBuffer buffer, int offset, int length) {
            long[] words = new long[(length + 7) / 8];
            Arrays.setAll(words, i -> buffer.getLong(offset + 8 * i));
            byte[] bytes = new byte[length];
            for (int i = 0; i < length; i++) {
                bytes[i] = buffer.get(offset + i);
            }
            return new Name(words, length, Utf8.decode(bytes, 0));
        }

        boolean isAt(ByteBuffer buffer, int offset, int length) {
            if (this.length != length) {
                return false;
            }
            for (int i = 0; i < words.length; i++) {
                if (words[i] != buffer.getLong(offset + 8 * i)) {
                    return false;
                }
            }
            return true;
        }
    }
}
