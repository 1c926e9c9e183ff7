package com.jd.sword.sqlthrottle;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;

/**
 * Contexts and parameters as the native library reads them: user, client and database, the number of tags, name and value of each,
 * the number of parameters, and each. Numbers are little-endian words of 32 bits; a text is its length and its UTF-8, or -1 for none.
 */
final class ContextEncoder {
    private static final byte[] NOTHING = {};
    private static final int WORD = 4;

    private ContextEncoder() {}

    /** All before the parameters; no bytes where there is nothing. */
    static byte[] context(String user, String client, String database, Map<String, String> tags) {
        if (user == null && client == null && database == null && tags.isEmpty()) {
            return NOTHING;
        }
        byte[][] texts = new byte[3 + 2 * tags.size()][];
        texts[0] = bytes(user);
        texts[1] = bytes(client);
        texts[2] = bytes(database);
        int i = 3;
        for (Map.Entry<String, String> tag : tags.entrySet()) {
            texts[i++] = bytes(tag.getKey());
            texts[i++] = bytes(tag.getValue());
        }
        ByteBuffer buffer = allocate(WORD + length(texts));
        put(buffer, texts, 0, 3);
        buffer.putInt(tags.size());
        put(buffer, texts, 3, texts.length);
        return buffer.array();
    }

    /** The whole, from what is before the parameters and those; no bytes where there is nothing. */
    static byte[] withParameters(byte[] context, List<String> parameters) {
        if (context.length == 0 && parameters.isEmpty()) {
            return NOTHING;
        }
        byte[][] texts = new byte[parameters.size()][];
        for (int i = 0; i < texts.length; i++) {
            texts[i] = bytes(parameters.get(i));
        }
        // Of nobody in particular: three texts that are not there, and no tags.
        int before = context.length == 0 ? 4 * WORD : context.length;
        ByteBuffer buffer = allocate(before + WORD + length(texts));
        if (context.length == 0) {
            buffer.putInt(-1).putInt(-1).putInt(-1).putInt(0);
        } else {
            buffer.put(context);
        }
        buffer.putInt(texts.length);
        put(buffer, texts, 0, texts.length);
        return buffer.array();
    }

    private static byte[] bytes(String text) {
        return text == null ? null : Utf8.encode(text);
    }

    private static int length(byte[][] texts) {
        long length = 0;
        for (byte[] text : texts) {
            length += WORD + (text == null ? 0 : text.length);
        }
        return Math.toIntExact(length);
    }

    private static ByteBuffer allocate(int length) {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static void put(ByteBuffer buffer, byte[][] texts, int from, int to) {
        for (int i = from; i < to; i++) {
            if (texts[i] == null) {
                buffer.putInt(-1);
            } else {
                buffer.putInt(texts[i].length).put(texts[i]);
            }
        }
    }
}
