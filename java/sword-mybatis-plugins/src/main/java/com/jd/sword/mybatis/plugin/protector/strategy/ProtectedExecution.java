package com.jd.sword.mybatis.plugin.protector.strategy;

import com.jd.sword.mybatis.plugin.protector.exception.ProtectionAbortException;
import com.jd.sword.sqlthrottle.Decision;
import java.time.Duration;

/**
 * A statement that is over its threshold, as a {@link ProtectionStrategy} sees it. Good for as long as the strategy is asked, and for the
 * thread that asks: {@link #proceed}, {@link #emptyResult} and {@link #await} throw {@link IllegalStateException} afterwards, and in another.
 */
public interface ProtectedExecution {
    /** What the throttle has decided: fingerprint, rule, count and limit. */
    Decision decision();

    /** The id of the mapped statement, such as {@code shop.OrderMapper.findAll}. */
    String statementId();

    /**
     * Sends the statement after all, and returns its result: a {@code List} of a query, a {@code Cursor}, or the {@code Integer} that an
     * update counts. A BATCH adds it instead. More than once sends it more than once. Interceptors that were added before the plugin, and so
     * stand behind it, are called again.
     *
     * @throws Exception the statement has failed
     */
    Object proceed() throws Exception;

    /**
     * The result of a statement that is ignored: a new list without rows, an empty cursor, a count of 0. It goes into no cache.
     *
     * @throws ProtectionAbortException there is no honest one: of a nested select, of one whose mapper method returns a primitive, of keys
     *     that are read back, of a call, of a read that locks
     */
    Object emptyResult();

    /** What the caller is to be thrown where the statement is aborted. */
    ProtectionAbortException abortion();

    /**
     * Waits, with nothing locked; at most until the statement's timeout.
     *
     * @throws java.sql.SQLException the thread was interrupted, and still is, or the statement's timeout is over
     */
    void await(Duration duration) throws java.sql.SQLException;
}
