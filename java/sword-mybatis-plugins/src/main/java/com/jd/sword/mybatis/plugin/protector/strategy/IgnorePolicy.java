package com.jd.sword.mybatis.plugin.protector.strategy;

/**
 * The statement is not sent, and its result is empty: no rows, a count of 0. Where there is no honest empty result, as
 * {@link ProtectedExecution#emptyResult} has it, it is aborted.
 */
public final class IgnorePolicy implements ProtectionStrategy {
    /** The only kind there is. */
    public IgnorePolicy() {}

    @Override
    public Object protect(ProtectedExecution execution) {
        return execution.emptyResult();
    }

    @Override
    public String toString() {
        return "ignore";
    }
}
