package com.jd.sword.mybatis.plugin.protector;

import com.jd.sword.sqlthrottle.Decision;
import java.util.List;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.plugin.Invocation;

/**
 * One execution that a thread is in. They are chained from the innermost outwards. One that is over is used again, so that a statement
 * makes none.
 */
final class Frame {
    /** Null while it is not in use. */
    MappedStatement statement;
    Kind kind;
    Object[] arguments;
    /** What MyBatis' own proxy has called; null where ours has. */
    Invocation invocation;
    /** Who decides on it; null where a handler has decided by itself. */
    ExecutorProxy executor;
    Frame outer;
    /** Whether somebody else has decided on all that is sent in it. */
    boolean exempt;
    /** Whether its statement was decided on. A handler that is made afterwards is of something else. */
    boolean decided;
    /** Whether it may be sent, whatever the throttle would say now. */
    boolean approved;
    /** The innermost handler that it was decided by. */
    Object handler;
    /** What is to be given back when it is over; null for nothing. */
    Decision held;
    /** What has left MyBatis' executors; null where nothing has. */
    Refusal refusal;
    /** What a pager behind the executor has its callers know as the result; null for none. */
    List<?> page;

    void open(MappedStatement of, Kind what, Object[] with, Frame around, boolean isExempt) {
        statement = of;
        kind = what;
        arguments = with;
        outer = around;
        exempt = isExempt;
        decided = false;
        approved = false;
    }

    /** Whether a handler of this statement is the one that the frame was opened for. */
    boolean awaits(MappedStatement other) {
        // Interceptors hand on copies of a statement, which have its id.
        return !decided && (other == statement || other != null && other.getId().equals(statement.getId()));
    }

    /**
     * Whether a statement, sent before that of the frame, counts its rows: pagers behind the executor call it so, with an ending to the id
     * such as {@code _COUNT}, which no other method of the mapper looks like.
     */
    boolean isCountedBy(MappedStatement other) {
        return kind == Kind.QUERY && !decided && executor != null && other != null && other.getId().startsWith(statement.getId() + '_');
    }

    void free() {
        statement = null;
        arguments = null;
        executor = null;
        invocation = null;
        outer = null;
        handler = null;
        held = null;
        refusal = null;
        page = null;
    }
}
