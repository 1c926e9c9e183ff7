package com.jd.sword.mybatis.plugin.protector.strategy;

/**
 * What is done to a statement that is over its threshold, where the threshold's rate has drawn it. One serves any number of threads.
 *
 * <p>{@link AbortPolicy}, {@link IgnorePolicy} and {@link DelayPolicy} are carried out by the throttle itself, which weighs them against
 * all other rules. A program's own is asked where the throttle would abort, after the caches of MyBatis and before the statement is sent.
 */
@FunctionalInterface
public interface ProtectionStrategy {
    /**
     * Deals with a statement.
     *
     * @param execution the statement, which has not been sent
     * @return what {@link ProtectedExecution#proceed} or {@link ProtectedExecution#emptyResult} has returned, or a result of the same kind
     * @throws Exception what the caller of the mapper is to see, such as {@link ProtectedExecution#abortion}
     */
    Object protect(ProtectedExecution execution) throws Exception;
}
