package com.jd.sword.sqlthrottle;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Where the native library writes a decision, outside of the heap, in the layout of its {@code answer.rs}. What a check returns says
 * the verdict and the reason, and which fields are written; the others are whatever they were. A rule and a fingerprint that are there already stay, and so does what was made of them. To be used
 * by one thread at a time.
 */
final class Answer {
    // Offsets of the fields, which the native library compares when it is loaded.
    static final int COUNT = 0;
    static final int LIMIT = 8;
    static final int RETRY_AFTER = 16;
    static final int DELAY = 24;
    static final int TICKET = 32;
    static final int PERMIT = 40;
    static final int FINGERPRINT = 48;
    static final int RULE_LENGTH = 80;
    /** Of two bytes, as is the length of the fingerprint, which what a check returns has too. */
    static final int CUSTOM_LENGTH = 84;
    static final int RULE = 88;
    static final int CUSTOM = 608;
    static final int SIZE = 688;

    // What a check returns: numbers of four and eight bits, and flags.
    private static final int OBSERVED_SHIFT = 12;
    private static final int REASON_SHIFT = 4;
    private static final int FINGERPRINT_SHIFT = 32;
    private static final long OVERFLOW = 1 << 16;
    private static final long HAS_RULE = 1 << 17;
    private static final long HAS_CUSTOM = 1 << 18;
    private static final long HAS_RETRY_AFTER = 1 << 19;
    private static final long HAS_DELAY = 1 << 20;
    private static final long HAS_TICKET = 1 << 21;
    private static final long HAS_PERMIT = 1 << 22;
    private static final long SAME_NAMES = 1 << 23;
    private static final long HAS_RARE = HAS_CUSTOM | HAS_RETRY_AFTER | HAS_DELAY | HAS_TICKET | HAS_PERMIT;

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(SIZE).order(ByteOrder.nativeOrder());
    private final long address = NativeLibrary.address(buffer);
    /** What was made of the rule and the fingerprint that are written here; the rule is empty where there is none. */
    private String rule;
    private Digest digest;
    private final int flag;

    /** @param flag where {@link Answers} notes that it is taken; 0 where it is of no place */
    Answer(int flag) {
        this.flag = flag;
    }

    int flag() {
        return flag;
    }

    /** What the native methods take for it. */
    long address() {
        return address;
    }

    /** The verdict of what a check returned. */
    static Verdict verdict(long returned) {
        int number = (int) returned & 0xf;
        if (number == 0) {
            // The answer to a panic, which is what the rule file says, was a panic too.
            throw new SqlThrottleException("guard.panic",
                    "the native library has failed, which is a fault of it; where and why was written to stderr");
        }
        return Verdict.ofNumber(number);
    }

    /** Whether the statement may be sent, and holds nothing. */
    static boolean passes(long returned) {
        return verdict(returned) == Verdict.ALLOW && !has(returned, HAS_PERMIT);
    }

    static Reason reason(long returned) {
        return Reason.ofNumber((int) (returned >>> REASON_SHIFT) & 0xff);
    }

    /** What rules that are only observed would have done; null where nothing. */
    static Verdict observed(long returned) {
        return Verdict.ofNumber((int) (returned >>> OBSERVED_SHIFT) & 0xf);
    }

    static boolean overflow(long returned) {
        return has(returned, OVERFLOW);
    }

    /** The decision that a check wrote here. */
    Decision decision(long returned, LastNamed lastNamed) {
        // Throws where there is none.
        verdict(returned);
        if (!has(returned, SAME_NAMES) || rule == null) {
            int digestLength = (int) (returned >>> FINGERPRINT_SHIFT);
            // Were it to fail, they would have to be made again.
            rule = null;
            digest = digestLength == 0 ? null : lastNamed.digest(buffer, FINGERPRINT, digestLength);
            rule = lastNamed.rule(buffer, RULE, buffer.getInt(RULE_LENGTH));
        }
        boolean hasRule = has(returned, HAS_RULE);
        long count = hasRule ? buffer.getLong(COUNT) : 0;
        long limit = hasRule ? buffer.getLong(LIMIT) : 0;
        Decision.Rare rare = (returned & HAS_RARE) == 0 ? null : rare(returned);
        return new Decision(returned, hasRule ? rule : null, count, limit, digest, rare);
    }

    private Decision.Rare rare(long returned) {
        return new Decision.Rare(has(returned, HAS_CUSTOM) ? text(CUSTOM, buffer.getShort(CUSTOM_LENGTH)) : null,
                has(returned, HAS_RETRY_AFTER) ? buffer.getLong(RETRY_AFTER) : -1,
                has(returned, HAS_DELAY) ? buffer.getLong(DELAY) : -1,
                has(returned, HAS_TICKET) ? buffer.getLong(TICKET) : 0,
                has(returned, HAS_PERMIT) ? buffer.getLong(PERMIT) : 0);
    }

    private static boolean has(long returned, long flag) {
        return (returned & flag) != 0;
    }

    private String text(int offset, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = buffer.get(offset + i);
        }
        return Utf8.decode(bytes, 0);
    }
}
