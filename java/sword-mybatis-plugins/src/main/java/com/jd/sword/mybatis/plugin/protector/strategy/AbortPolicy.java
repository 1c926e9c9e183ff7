package com.jd.sword.mybatis.plugin.protector.strategy;

/** The caller gets a {@link com.jd.sword.mybatis.plugin.protector.exception.ProtectionAbortException}. What thresholds do unless they say otherwise. */
public final class AbortPolicy implements ProtectionStrategy {
    /** The only kind there is. */
    public AbortPolicy() {}

    @Override
    public Object protect(ProtectedExecution execution) {
        throw execution.abortion();
    }

    @Override
    public String toString() {
        return "abort";
    }
}
