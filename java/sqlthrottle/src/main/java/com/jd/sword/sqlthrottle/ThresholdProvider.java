package com.jd.sword.sqlthrottle;

import java.time.Duration;
import java.util.Optional;

/**
 * Names the threshold of a fingerprint, from wherever a program keeps them: a table, a service, a file.
 *
 * <p>A {@link Throttle} asks it at the first sight of a fingerprint, in the thread that checks, and afterwards, whenever
 * {@link #timeToLive()} is over, in a thread of its own, while the old answer stays in force. Several threads may ask at a time. A
 * provider that sends SQL must do so by a connection that is not throttled.
 *
 * <p>Found by {@link java.util.ServiceLoader} with the class loader of the throttle's builder, or given to that:
 * {@link ThrottleBuilder#thresholdProvider}.
 */
public interface ThresholdProvider {
    /**
     * The threshold of a fingerprint; empty where it has none: then the other rules decide, and {@code default_threshold}.
     *
     * @param fingerprint its hexadecimal digits
     * @throws Exception it cannot be asked now. What it said before stays in force, and where it never said anything the statement
     *     passes by the other rules alone; it is asked again a second later, and the failure is counted and logged
     */
    Optional<Threshold> threshold(String fingerprint) throws Exception;

    /** For how long an answer is good: a minute, unless said otherwise. Zero or less stands for the least time there is. */
    default Duration timeToLive() {
        return Duration.ofMinutes(1);
    }
}
