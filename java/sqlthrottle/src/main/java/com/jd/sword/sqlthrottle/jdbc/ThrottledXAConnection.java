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
import lombok.experimental.Delegate;

/** An XA connection that hands out wrapped connections. Listeners hear of it, and not of the driver's, which they do not know. */
final class ThrottledXAConnection implements XAConnection {
    @Delegate(types = XAConnection.class, excludes = Intercepted.class)
    private final XAConnection target;

    private final Gate gate;
    private final StatementContext defaults;
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

    @Override
    public Connection getConnection() throws SQLException {
        return gate.wrap(target.getConnection(), defaults);
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

        void addConnectionEventListener(ConnectionEventListener listener);

        void removeConnectionEventListener(ConnectionEventListener listener);

        void addStatementEventListener(StatementEventListener listener);

        void removeStatementEventListener(StatementEventListener listener);
    }

    private static final class Renamed implements ConnectionEventListener {
        private final PooledConnection source;
        private final ConnectionEventListener listener;

        Renamed(PooledConnection source, ConnectionEventListener listener) {
            this.source = source;
            this.listener = listener;
        }

        @Override
        public void connectionClosed(ConnectionEvent event) {
            listener.connectionClosed(new ConnectionEvent(source, event.getSQLException()));
        }

        @Override
        public void connectionErrorOccurred(ConnectionEvent event) {
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
