package com.jd.sword.sqlthrottle.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoMoreInteractions;
import static org.mockito.Mockito.when;

import com.jd.sword.sqlthrottle.Dialect;
import com.jd.sword.sqlthrottle.SqlThrottledException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.ConnectionEvent;
import javax.sql.ConnectionEventListener;
import javax.sql.StatementEvent;
import javax.sql.StatementEventListener;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;

class XATest {
    private record Id(byte[] global) implements Xid {
        @Override
        public int getFormatId() {
            return 1;
        }

        @Override
        public byte[] getGlobalTransactionId() {
            return global;
        }

        @Override
        public byte[] getBranchQualifier() {
            return global;
        }
    }

    @Test
    void aDistributedTransactionIsThrottledAndCommits() throws Exception {
        String rules = "rules: [{name: users, match: {tables: users, kinds: select}, limit: {concurrency: {max: 1}}}]";
        try (Shop shop = Shop.with(rules)) {
            XAConnection xa = ThrottledXADataSource.of((XADataSource) shop.h2, shop.throttle).getXAConnection();
            XAResource resource = xa.getXAResource();
            Xid id = new Id("one".getBytes(StandardCharsets.UTF_8));
            resource.start(id, XAResource.TMNOFLAGS);
            try (Connection connection = xa.getConnection(); Statement statement = connection.createStatement();
                    Statement other = connection.createStatement()) {
                statement.executeQuery("select name from users").next();
                assertThatThrownBy(() -> other.executeQuery("select name from users")).isInstanceOf(SqlThrottledException.class);
                other.executeUpdate("update users set seen = 1");
                resource.end(id, XAResource.TMSUCCESS);
                resource.commit(id, true);
                assertThat(shop.held()).isEqualTo(1);
            }
            assertThat(shop.held()).isZero();
            xa.close();
            assertThat(shop.count("select sum(seen) from users")).isEqualTo(Shop.USERS);
        }
    }

    @Test
    void listenersHearOfTheConnectionThatTheyKnow() throws SQLException {
        try (Shop shop = Shop.with("{}")) {
            XAConnection driver = mock(XAConnection.class);
            XADataSource source = mock(XADataSource.class);
            when(source.getXAConnection("ann", "secret")).thenReturn(driver);
            XAConnection xa = ThrottledXADataSource.builder(source, shop.throttle).dialect(Dialect.MYSQL).build()
                    .getXAConnection("ann", "secret");
            List<ConnectionEvent> heard = new ArrayList<>();
            ConnectionEventListener listener = new ConnectionEventListener() {
                @Override
                public void connectionClosed(ConnectionEvent event) {
                    heard.add(event);
                }

                @Override
                public void connectionErrorOccurred(ConnectionEvent event) {
                    heard.add(event);
                }
            };
            xa.addConnectionEventListener(listener);
            ArgumentCaptor<ConnectionEventListener> added = ArgumentCaptor.forClass(ConnectionEventListener.class);
            verify(driver).addConnectionEventListener(added.capture());
            SQLException failure = new SQLException("lost");
            added.getValue().connectionErrorOccurred(new ConnectionEvent(driver, failure));
            added.getValue().connectionClosed(new ConnectionEvent(driver));
            assertThat(heard).hasSize(2).allMatch(event -> event.getSource() == xa);
            assertThat((Throwable) heard.get(0).getSQLException()).isSameAs(failure);
            xa.removeConnectionEventListener(listener);
            verify(driver).removeConnectionEventListener(added.getValue());
            xa.removeConnectionEventListener(listener);
            verifyNoMoreInteractions(driver);
        }
    }

    @Test
    void statementListenersTheSame() throws SQLException {
        try (Shop shop = Shop.with("{}")) {
            XAConnection driver = mock(XAConnection.class);
            XAConnection xa = ThrottledXAConnection.of(new Gate(shop.throttle, InTransaction.APPLY, null, sql -> false, null,
                    Wait.Time.SYSTEM), driver, null);
            StatementEventListener listener = mock(StatementEventListener.class);
            xa.addStatementEventListener(listener);
            ArgumentCaptor<StatementEventListener> added = ArgumentCaptor.forClass(StatementEventListener.class);
            verify(driver).addStatementEventListener(added.capture());
            PreparedStatement statement = mock(PreparedStatement.class);
            added.getValue().statementClosed(new StatementEvent(driver, statement));
            added.getValue().statementErrorOccurred(new StatementEvent(driver, statement, new SQLException("lost")));
            ArgumentCaptor<StatementEvent> heard = ArgumentCaptor.forClass(StatementEvent.class);
            verify(listener).statementClosed(heard.capture());
            assertThat(heard.getValue().getSource()).isSameAs(xa);
            assertThat(heard.getValue().getStatement()).isSameAs(statement);
            verify(listener).statementErrorOccurred(any());
            xa.removeStatementEventListener(listener);
            verify(driver).removeStatementEventListener(added.getValue());
        }
    }
}
