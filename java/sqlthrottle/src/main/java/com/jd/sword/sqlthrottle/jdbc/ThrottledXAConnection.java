package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.StatementContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.ConnectionEvent;
import javax.sql.ConnectionEventListener;
import javax.sql.PooledConnection;
import javax.sql.StatementEvent;
import javax.sql.StatementEventListener;
import javax.sql.XAConnection;
import javax.transaction.xa.XAResource;
import lombok.experimental.Delegate;

/** An XA connection that hands out wrapped connections. Listeners hear of it, and not of the driver's, which they do not know. */
final class ThrottledXAConnection implements XAConnection {
    @Delegate(types = XAConnection.class, excludes = Intercepted.class)
    private final XAConnection target;

    private final Gate gate;
    private final StatementContext defaults;
    private final Branch branch = new Branch();
    /** The connection that was handed out last, of which there is one at a time; null where there is none. */
    private volatile ThrottledConnection current;
    /** Null until asked for. */
    private volatile ThrottledXAResource resource;
    private final Map<ConnectionEventListener, ConnectionEventListener> listeners = new ConcurrentHashMap<>();
    private final Map<StatementEventListener, StatementEventListener> statementListeners = new ConcurrentHashMap<>();

    private ThrottledXAConnection(Gate gate, XAConnection target, StatementContext defaults) {
        this.gate = gate;
        this.target = target;
        this.defaults = defaults;
    }

    /** Null for null. */
    static ThrottledXAConnection of(Gate gate, XAConnection target, StatementContext defaults) {
        return target == null ? null : new ThrottledXAConnection(gate, target, defaults);
    }

    /** The one before it is closed by that, as drivers do it: what it holds is given back. */
    @Override
    public Connection getConnection() throws SQLException {
        lost();
        ThrottledConnection connection = gate.wrap(target.getConnection(), defaults, branch);
        current = connection;
        return connection;
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

    @Override
    public void close() throws SQLException {
        try {
            target.close();
        } finally {
            lost();
        }
    }

    /** The connection that was handed out cannot be used any more, although nobody has closed it. */
    private void lost() {
        ThrottledConnection last = current;
        current = null;
        if (last != null) {
            last.lost();
        }
    }

    private void finished(boolean committed) {
        ThrottledConnection last = current;
        if (last == null) {
            return;
        }
        if (committed) {
            last.held().committed();
        } else {
            last.held().rolledBack();
        }
    }

    @Override
    public void addConnectionEventListener(ConnectionEventListener listener) {
        if (listener != null) {
            target.addConnectionEventListener(listeners.computeIfAbsent(listener, heard -> new Renamed(this, heard)));
        }
    }

    @Override
    public void removeConnectionEventListener(ConnectionEventListener listener) {
        ConnectionEventListener renamed = listener == null ? null : listeners.remove(listener);
        if (renamed != null) {
            target.removeConnectionEventListener(renamed);
        }
    }

    @Override
    public void addStatementEventListener(StatementEventListener listener) {
        if (listener != null) {
            target.addStatementEventListener(statementListeners.computeIfAbsent(listener, heard -> new RenamedStatements(this, heard)));
        }
    }

    @Override
    public void removeStatementEventListener(StatementEventListener listener) {
        StatementEventListener renamed = listener == null ? null : statementListeners.remove(listener);
        if (renamed != null) {
            target.removeStatementEventListener(renamed);
        }
    }

    @Override
    public String toString() {
        return "throttled " + target;
    }

    /** What is not handed on as it is. */
    private interface Intercepted {
        Connection getConnection() throws SQLException;

        XAResource getXAResource() throws SQLException;

        void close() throws SQLException;

        void addConnectionEventListener(ConnectionEventListener listener);

        void removeConnectionEventListener(ConnectionEventListener listener);

        void addStatementEventListener(StatementEventListener listener);

        void removeStatementEventListener(StatementEventListener listener);
    }

    private static final class Renamed implements ConnectionEventListener {
        private final ThrottledXAConnection source;
        private final ConnectionEventListener listener;

        Renamed(ThrottledXAConnection source, ConnectionEventListener listener) {
            this.source = source;
            this.listener = listener;
        }

        @Override
        public void connectionClosed(ConnectionEvent event) {
            listener.connectionClosed(new ConnectionEvent(source, event.getSQLException()));
        }

        @Override
        public void connectionErrorOccurred(ConnectionEvent event) {
            source.lost();
            listener.connectionErrorOccurred(new ConnectionEvent(source, event.getSQLException()));
        }
    }

    /** The statement of an event is the driver's, by which a pool of them finds its own. */
    private static final class RenamedStatements implements StatementEventListener {
        private final PooledConnection source;
        private final StatementEventListener listener;

        RenamedStatements(PooledConnection source, StatementEventListener listener) {
            this.source = source;
            this.listener = listener;
        }

        @Override
        public void statementClosed(StatementEvent event) {
            listener.statementClosed(new StatementEvent(source, event.getStatement(), event.getSQLException()));
        }

        @Override
        public void statementErrorOccurred(StatementEvent event) {
            listener.statementErrorOccurred(new StatementEvent(source, event.getStatement(), event.getSQLException()));
        }
    }
}
