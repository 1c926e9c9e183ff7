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

/** A connection of a pool that hands out wrapped connections. Listeners hear of it, and not of the driver's, which they do not know. */
class ThrottledPooledConnection implements PooledConnection {
    private final PooledConnection target;
    private final Gate gate;
    private final StatementContext defaults;
    /** Of a distributed transaction; null where there are none. */
    private final Branch branch;
    /** The connection that was handed out last, of which there is one at a time; null where there is none. */
    private volatile ThrottledConnection current;
    private final Map<ConnectionEventListener, ConnectionEventListener> listeners = new ConcurrentHashMap<>();
    private final Map<StatementEventListener, StatementEventListener> statementListeners = new ConcurrentHashMap<>();

    ThrottledPooledConnection(Gate gate, PooledConnection target, StatementContext defaults, Branch branch) {
        this.gate = gate;
        this.target = target;
        this.defaults = defaults;
        this.branch = branch;
    }

    /** Null for null. */
    static ThrottledPooledConnection of(Gate gate, PooledConnection target, StatementContext defaults) {
        return target == null ? null : new ThrottledPooledConnection(gate, target, defaults, null);
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

    /** Null where there is none. */
    final ThrottledConnection current() {
        return current;
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

    private static final class Renamed implements ConnectionEventListener {
        private final ThrottledPooledConnection source;
        private final ConnectionEventListener listener;

        Renamed(ThrottledPooledConnection source, ConnectionEventListener listener) {
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
