package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.StatementContext;
import java.sql.SQLException;
import javax.sql.XAConnection;
import javax.transaction.xa.XAResource;

/** An XA connection that hands out wrapped connections, which know of its branch. */
final class ThrottledXAConnection extends ThrottledPooledConnection implements XAConnection {
    private final XAConnection target;
    private final Branch branch;
    /** Null until asked for. */
    private volatile ThrottledXAResource resource;

    private ThrottledXAConnection(Gate gate, XAConnection target, StatementContext defaults, Branch branch) {
        super(gate, target, defaults, branch);
        this.target = target;
        this.branch = branch;
    }

    /** Null for null. */
    static ThrottledXAConnection of(Gate gate, XAConnection target, StatementContext defaults) {
        return target == null ? null : new ThrottledXAConnection(gate, target, defaults, new Branch());
    }

    @Override
    public XAResource getXAResource() throws SQLException {
        XAResource raw = target.getXAResource();
        ThrottledXAResource known = resource;
        if (raw == null || known != null && known.isOf(raw)) {
            // The same as before, as a transaction manager may look for the one that it has enlisted.
            return raw == null ? null : known;
        }
        ThrottledXAResource wrapped = new ThrottledXAResource(raw, branch, this::finished);
        resource = wrapped;
        return wrapped;
    }

    private void finished(boolean committed) {
        ThrottledConnection last = current();
        if (last == null) {
            return;
        }
        if (committed) {
            last.held().committed();
        } else {
            last.held().rolledBack();
        }
    }
}
