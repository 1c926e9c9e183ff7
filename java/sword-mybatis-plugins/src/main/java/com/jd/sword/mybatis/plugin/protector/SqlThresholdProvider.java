package com.jd.sword.mybatis.plugin.protector;

import java.time.Duration;

/**
 * Names the threshold of a fingerprint, from wherever a program keeps them. Found by {@link java.util.ServiceLoader}, with the class
 * loader of the thread's context, or given to the plugin; where there is none, {@link SpringSqlThresholdProvider} is asked.
 *
 * <p>It is asked at the first sight of a fingerprint, in the thread that sends the statement, and afterwards, whenever {@link #timeToLive()}
 * is over, in a thread of its own, while the old answer stays in force. Several threads may ask at a time. A provider that sends SQL must
 * do so by a session without the plugin.
 */
@FunctionalInterface
public interface SqlThresholdProvider {
    /**
     * The threshold of a fingerprint; null where it has none: then the rules of a rule file decide, if there is one.
     *
     * <p>What this throws reaches no caller of a mapper. What was said before stays in force, and where nothing ever was the statement passes;
     * it is asked again a second later, and the failure is counted ({@code provider_failures} of
     * {@link com.jd.sword.sqlthrottle.Throttle#snapshot}) and logged.
     *
     * @param fingerprint 64 hexadecimal digits, unless a rule file says another {@code hash}
     */
    ThresholdConfig getThreshold(String fingerprint);

    /** For how long an answer is good: a minute, unless said otherwise. */
    default Duration timeToLive() {
        return Duration.ofMinutes(1);
    }
}
