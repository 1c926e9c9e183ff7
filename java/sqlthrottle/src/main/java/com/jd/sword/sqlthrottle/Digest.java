package com.jd.sword.sqlthrottle;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** The hash that a fingerprint is, as bytes and as the text that people see. */
final class Digest {
    private static final char[] DIGITS = "0123456789abcdef".toCharArray();
    /** Bytes of the longest. */
    private static final int ROOM = 32;

    private final byte[] bytes;
    /** The bytes as words, with zero behind the last, for a quick look whether it is another one. */
    private final long first;
    private final long second;
    private final long third;
    private final long fourth;
    /** Made when it is asked for first. Any thread may do so: the texts are equal. */
    private String text;

    Digest(byte[] bytes) {
        ByteBuffer words = ByteBuffer.wrap(Arrays.copyOf(bytes, ROOM)).order(ByteOrder.nativeOrder());
        this.bytes = bytes;
        this.first = words.getLong();
        this.second = words.getLong();
        this.third = words.getLong();
        this.fourth = words.getLong();
    }

    /**
     * The digest of a text of hexadecimal digits, in any case.
     *
     * @throws IllegalArgumentException the text is not such
     */
    static Digest parse(String text) {
        int length = text.length();
        if (length != 64 && length != 40 && length != 32) {
            throw new IllegalArgumentException("a fingerprint has 64, 40 or 32 digits, and this has " + length);
        }
        byte[] bytes = new byte[length / 2];
        for (int i = 0; i < bytes.length; i++) {
            int high = digit(text.charAt(2 * i));
            int low = digit(text.charAt(2 * i + 1));
            if ((high | low) < 0) {
                throw new IllegalArgumentException("a fingerprint consists of hexadecimal digits");
            }
            bytes[i] = (byte) (high << 4 | low);
        }
        return new Digest(bytes);
    }

    /** Less than 0 where it is none: Java knows digits of other scripts as well. */
    private static int digit(char c) {
        return c < 0x80 ? Character.digit(c, 16) : -1;
    }

    /** The digest at an offset of a buffer in native order, in which zero is behind it. */
    static Digest at(ByteBuffer buffer, int offset, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = buffer.get(offset + i);
        }
        return new Digest(bytes);
    }

    /** Whether it is the one at an offset of such a buffer. */
    boolean isAt(ByteBuffer buffer, int offset, int length) {
        return bytes.length == length && buffer.getLong(offset) == first && buffer.getLong(offset + 8) == second
                && buffer.getLong(offset + 16) == third && buffer.getLong(offset + 24) == fourth;
    }

    /** The bytes, not to be changed. */
    byte[] bytes() {
        return bytes;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Digest && Arrays.equals(bytes, ((Digest) other).bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        String made = text;
        if (made == null) {
            char[] digits = new char[2 * bytes.length];
            for (int i = 0; i < bytes.length; i++) {
                digits[2 * i] = DIGITS[bytes[i] >> 4 & 0xf];
                digits[2 * i + 1] = DIGITS[bytes[i] & 0xf];
            }
            made = new String(digits);
            text = made;
        }
        return made;
    }
}
