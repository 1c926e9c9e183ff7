package com.jd.sword.sqlthrottle.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.RETURNS_DEEP_STUBS;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoMoreInteractions;
import static org.mockito.Mockito.when;

import com.jd.sword.sqlthrottle.Dialect;
import com.jd.sword.sqlthrottle.SqlThrottledException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
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

    private static final String READS = "rules: [{name: users, match: {tables: users}, limit: {concurrency: {max: 1}}}]";

    /** An XA connection of no database, whose queries have a result that does not end by itself. */
    private static XAConnection driver() throws SQLException {
        XAConnection driver = mock(XAConnection.class, RETURNS_DEEP_STUBS);
        when(driver.getConnection().getAutoCommit()).thenReturn(true);
        when(driver.getConnection().createStatement().executeQuery(any())).thenReturn(mock(ResultSet.class));
        return driver;
    }

    private static XAConnection around(XAConnection driver, Shop shop, InTransaction mode) {
        return ThrottledXAConnection.of(new Gate(shop.throttle, mode, Dialect.GENERIC, sql -> false, null, Wait.Time.SYSTEM), driver, null);
    }

    private interface Ending {
        void end(XAConnection xa, XAConnection driver) throws Exception;
    }

    private static void givesBack(Ending ending) throws Exception {
        try (Shop shop = Shop.with(READS)) {
            XAConnection driver = driver();
            XAConnection xa = around(driver, shop, InTransaction.APPLY);
            xa.getXAResource().start(new Id(new byte[] {1}), XAResource.TMNOFLAGS);
            xa.getConnection().createStatement().executeQuery("select name from users");
            assertThat(shop.held()).isEqualTo(1);
            ending.end(xa, driver);
            assertThat(shop.held()).isZero();
        }
    }

    @Test
    void whatEndsAHandleGivesBackWhatItHolds() throws Exception {
        givesBack((xa, driver) -> xa.close());
        givesBack((xa, driver) -> xa.getConnection());
        givesBack((xa, driver) -> xa.getXAResource().rollback(new Id(new byte[] {1})));
        givesBack((xa, driver) -> xa.getXAResource().commit(new Id(new byte[] {1}), true));
        givesBack((xa, driver) -> {
            xa.addConnectionEventListener(mock(ConnectionEventListener.class));
            ArgumentCaptor<ConnectionEventListener> added = ArgumentCaptor.forClass(ConnectionEventListener.class);
            verify(driver).addConnectionEventListener(added.capture());
            added.getValue().connectionErrorOccurred(new ConnectionEvent(driver, new SQLException("lost")));
        });
    }

    @Test
    void theEndOfAnotherBranchGivesNothingBack() throws Exception {
        try (Shop shop = Shop.with(READS)) {
            XAConnection xa = around(driver(), shop, InTransaction.APPLY);
            XAResource resource = xa.getXAResource();
            assertThat(xa.getXAResource()).isSameAs(resource);
            resource.start(new Id(new byte[] {1}), XAResource.TMNOFLAGS);
            xa.getConnection().createStatement().executeQuery("select name from users");
            resource.rollback(new Id(new byte[] {2}));
            assertThat(shop.held()).isEqualTo(1);
        }
    }

    @Test
    void aBranchIsATransactionAlthoughAutoCommitIsOn() throws Exception {
        try (Shop shop = Shop.with(READS)) {
            XAConnection xa = around(driver(), shop, InTransaction.BYPASS);
            XAResource resource = xa.getXAResource();
            Xid id = new Id(new byte[] {1});
            Statement statement = xa.getConnection().createStatement();
            resource.start(id, XAResource.TMNOFLAGS);
            statement.executeQuery("select name from users");
            assertThat(shop.held()).isZero();
            resource.end(id, XAResource.TMSUCCESS);
            statement.executeQuery("select name from users");
            assertThat(shop.held()).isEqualTo(1);
        }
    }

    @Test
    void resourcesAreComparedAsTheDriverKnowsThem() throws Exception {
        try (Shop shop = Shop.with("{}")) {
            XAConnection driver = driver();
            XAResource other = mock(XAResource.class);
            when(driver.getXAResource().isSameRM(other)).thenReturn(true);
            XAResource resource = around(driver, shop, InTransaction.APPLY).getXAResource();
            assertThat(resource.isSameRM(new ThrottledXAResource(other, new Branch(), committed -> {}))).isTrue();
            assertThat(resource.isSameRM(other)).isTrue();
        }
    }
}
