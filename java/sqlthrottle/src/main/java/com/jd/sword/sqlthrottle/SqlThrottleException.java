package com.jd.sword.sqlthrottle;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Something that was asked of a {@link Throttle} was refused: rules, a threshold, an admin statement. What was in force before
 * stays in force. A statement that may not be sent is no such error: see {@link SqlThrottledException}.
 */
public class SqlThrottleException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ArrayList<String> codes;

    /**
     * For the parts of this library.
     *
     * @param code what {@link #code()} is to return
     * @param message what was found, where, and what would be right
     */
    public SqlThrottleException(String code, String message) {
        this(Collections.singletonList(code), message);
    }

    SqlThrottleException(List<String> codes, String message) {
        super(message);
        this.codes = new ArrayList<>(codes);
    }

    /**
     * What is wrong, as a code that is the same in every language and stays the same, such as {@code rule.limit.zero_window}; of
     * several faults that of the first. The message names each fault with its line and what would be right.
     */
    public String code() {
        return codes.get(0);
    }

    /** The code of each fault, in the order of the message. */
    public List<String> codes() {
        return Collections.unmodifiableList(codes);
    }
}
