package com.jd.sword.sqlthrottle.jdbc;

import java.util.function.Consumer;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import lombok.experimental.Delegate;

/**
 * The XA resource of a wrapped connection. By it the connection knows that it is in a transaction, and gives back places of results that
 * the end of that has closed. A branch that is ended through the resource of another connection is not noticed.
 */
final class ThrottledXAResource implements XAResource {
    @Delegate(types = XAResource.class, excludes = Intercepted.class)
    private final XAResource target;

    private final Branch branch;
    /** What the connection holds is to be given back, as after a commit or a rollback. */
    private final Consumer<Boolean> finished;

    /** @param finished is told whether the branch was committed */
    ThrottledXAResource(XAResource target, Branch branch, Consumer<Boolean> finished) {
        this.target = target;
        this.branch = branch;
        this.finished = finished;
    }

    /** Whether it wraps this one. */
    boolean isOf(XAResource other) {
        return target == other;
    }

    @Override
    public void start(Xid id, int flags) throws XAException {
        target.start(id, flags);
        branch.started(id);
    }

    @Override
    public void end(Xid id, int flags) throws XAException {
        try {
            target.end(id, flags);
        } finally {
            if (branch.is(id)) {
                branch.ended();
            }
        }
    }

    @Override
    public void commit(Xid id, boolean onePhase) throws XAException {
        try {
            target.commit(id, onePhase);
        } finally {
            finish(id, true);
        }
    }

    @Override
    public void rollback(Xid id) throws XAException {
        try {
            target.rollback(id);
        } finally {
            finish(id, false);
        }
    }

    private void finish(Xid id, boolean committed) {
        if (branch.is(id)) {
            branch.ended();
            finished.accept(committed);
        }
    }

    /** Drivers know their own. */
    @Override
    public boolean isSameRM(XAResource other) throws XAException {
        return target.isSameRM(other instanceof ThrottledXAResource ? ((ThrottledXAResource) other).target : other);
    }

    @Override
    public String toString() {
        return "throttled " + target;
    }

    /** What is not handed on as it is. */
    private interface Intercepted {
        void start(Xid id, int flags) throws XAException;

        void end(Xid id, int flags) throws XAException;

        void commit(Xid id, boolean onePhase) throws XAException;

        void rollback(Xid id) throws XAException;

        boolean isSameRM(XAResource other) throws XAException;
    }
}
