package com.jd.sword.sqlthrottle.jdbc;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the statements of one connection hold: places, for results that are open, and threads that wait to be let through. The end of
 * a transaction gives places back, the end of the connection all of it.
 */
final class Held {
    /** By whether a commit ends them; null until there is one, as most rules hold nothing. */
    private volatile Map<Pass, Boolean> passes;
    private volatile Set<Wait> waits;
    private volatile boolean closed;

    void add(Pass pass, boolean endsWithCommit) {
        Map<Pass, Boolean> all = passes;
        if (all == null) {
            all = create();
        }
        all.put(pass, endsWithCommit);
        if (closed) {
            // The connection was closed by another thread meanwhile.
            pass.release();
        }
    }

    void remove(Pass pass) {
        Map<Pass, Boolean> all = passes;
        if (all != null) {
            all.remove(pass);
        }
    }

    boolean isEmpty() {
        Map<Pass, Boolean> all = passes;
        return all == null || all.isEmpty();
    }

    void add(Wait wait) {
        Set<Wait> all = waits;
        if (all == null) {
            all = createWaits();
        }
        all.add(wait);
        if (closed) {
            wait.end(Wait.End.CLOSED);
        }
    }

    void remove(Wait wait) {
        waits.remove(wait);
    }

    /** The transaction was committed: cursors that outlast that keep their places. */
    void committed() {
        Map<Pass, Boolean> all = passes;
        if (all != null) {
            all.forEach((pass, endsWithCommit) -> {
                if (endsWithCommit) {
                    pass.release();
                }
            });
        }
    }

    /** The transaction was rolled back, and with it all cursors. */
    void rolledBack() {
        Map<Pass, Boolean> all = passes;
        if (all != null) {
            all.keySet().forEach(Pass::release);
        }
    }

    /** The connection is about to be closed: threads that wait to use it are told so. */
    void closing() {
        closed = true;
        Set<Wait> all = waits;
        if (all != null) {
            all.forEach(wait -> wait.end(Wait.End.CLOSED));
        }
    }

    private synchronized Map<Pass, Boolean> create() {
        if (passes == null) {
            passes = new ConcurrentHashMap<>();
        }
        return passes;
    }

    private synchronized Set<Wait> createWaits() {
        if (waits == null) {
            waits = ConcurrentHashMap.newKeySet();
        }
        return waits;
    }
}
