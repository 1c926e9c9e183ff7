package com.jd.sword.sqlthrottle;

import java.nio.charset.StandardCharsets;

/** Texts as the native library takes and gives them. */
final class Utf8 {
    private Utf8() {}

    /**
     * The UTF-8 of a text. Half of a surrogate pair, which has none, becomes the replacement character; the library of Java would make it
     * a question mark, which in SQL is a parameter.
     */
    static byte[] encode(String text) {
        int length = text.length();
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                if (Character.isHighSurrogate(c) && i + 1 < length && Character.isLowSurrogate(text.charAt(i + 1))) {
                    i++;
                } else {
                    return replaced(text, i).getBytes(StandardCharsets.UTF_8);
                }
            }
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static String decode(byte[] bytes, int from) {
        return new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8);
    }

    /** The text with a replacement for each half of a pair from the first one on. */
    private static String replaced(String text, int first) {
        char[] chars = text.toCharArray();
        for (int i = first; i < chars.length; i++) {
            if (Character.isHighSurrogate(chars[i]) && i + 1 < chars.length && Character.isLowSurrogate(chars[i + 1])) {
                i++;
            } else if (Character.isSurrogate(chars[i])) {
                chars[i] = '\ufffd';
            }
        }
        return new String(chars);
    }
}
