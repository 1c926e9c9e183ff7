package com.jd.sword.sqlthrottle.jdbc;

import java.util.Arrays;
import javax.transaction.xa.Xid;

/** The branch of a distributed transaction that an XA connection was last in. Auto-commit stays on in one, and so tells nothing. */
final class Branch {
    private volatile Xid id;
    private volatile boolean active;

    void started(Xid started) {
        id = started;
        active = true;
    }

    /** Nothing more is done for it by this connection, unless it is started again. */
    void ended() {
        active = false;
    }

    /** Whether statements of the connection are part of it now. */
    boolean isActive() {
        return active;
    }

    /** Whether it is this one. A transaction manager brings an identifier of its own class, or another object for the same. */
    boolean is(Xid other) {
        Xid known = id;
        return known != null && other != null && known.getFormatId() == other.getFormatId()
                && Arrays.equals(known.getGlobalTransactionId(), other.getGlobalTransactionId())
                && Arrays.equals(known.getBranchQualifier(), other.getBranchQualifier());
    }
}
