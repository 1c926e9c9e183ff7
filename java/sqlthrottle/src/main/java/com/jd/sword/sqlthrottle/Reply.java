package com.jd.sword.sqlthrottle;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** What a native method that can fail returns: a byte that says whether it did, and behind it what was asked for, or why not. */
final class Reply {
    private static final int PAYLOAD = 1;

    private Reply() {}

    /**
     * A text that was asked for.
     *
     * @throws SqlThrottleException the native method has failed
     */
    static String text(byte[] reply) {
        return Utf8.decode(checked(reply), PAYLOAD);
    }

    /** A number that was asked for: a handle, or a version. */
    static long number(byte[] reply) {
        return ByteBuffer.wrap(checked(reply)).order(ByteOrder.LITTLE_ENDIAN).getLong(PAYLOAD);
    }

    /** The reply, of a method that has not failed. */
    static byte[] checked(byte[] reply) {
        if (reply[0] == 0) {
            return reply;
        }
        String[] error = Utf8.decode(reply, PAYLOAD).split("\0", 2);
        throw new SqlThrottleException(Arrays.asList(error[0].split(" ")), error[1]);
    }
}
