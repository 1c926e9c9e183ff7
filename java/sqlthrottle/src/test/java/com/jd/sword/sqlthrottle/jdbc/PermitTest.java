package com.jd.sword.sqlthrottle.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import com.jd.sword.sqlthrottle.Dialect;
import com.jd.sword.sqlthrottle.SqlThrottledException;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each way in which an execution ends, and none of them leaves a place held. */
class PermitTest {
    private static final String SELECT = "select name from users order by id";
    private static final String UPDATE = "update users set seen = seen + 1";

    private final Shop shop = Shop.atMost(1);
    private Connection connection;
    private Statement statement;

    @BeforeEach
    void connect() throws SQLException {
        connection = shop.connect();
        statement = connection.createStatement();
    }

    @AfterEach
    void allPlacesAreFree() throws SQLException {
        connection.close();
        assertThat(shop.held()).isZero();
        shop.close();
    }

    @Test
    void aQueryHoldsUntilItsResultIsClosed() throws SQLException {
        ResultSet rows = statement.executeQuery(SELECT);
        assertThat(rows.next()).isTrue();
        assertThat(shop.held()).isEqualTo(1);
        try (Statement other = connection.createStatement()) {
            assertThatThrownBy(() -> other.executeQuery(SELECT)).isInstanceOf(SqlThrottledException.class);
        }
        rows.close();
        assertThat(shop.held()).isZero();
        rows.close();
        assertThat(shop.held()).isZero();
    }

    @Test
    void aQueryHoldsUntilItIsReadToItsEnd() throws SQLException {
        ResultSet rows = statement.executeQuery(SELECT);
        for (int i = 0; i < Shop.USERS; i++) {
            assertThat(rows.next()).isTrue();
            assertThat(shop.held()).isEqualTo(1);
        }
        assertThat(rows.next()).isFalse();
        assertThat(shop.held()).isZero();
    }

    @Test
    void aScrollableResultHoldsUntilItIsClosed() throws SQLException {
        try (Statement scrolling = connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY)) {
            ResultSet rows = scrolling.executeQuery(SELECT);
            while (rows.next()) {
                assertThat(shop.held()).isEqualTo(1);
            }
            assertThat(shop.held()).isEqualTo(1);
            assertThat(rows.previous()).isTrue();
            rows.close();
            assertThat(shop.held()).isZero();
        }
    }

    @Test
    void aWriteHoldsNothingAfterwards() throws SQLException {
        assertThat(statement.executeUpdate(UPDATE)).isEqualTo(Shop.USERS);
        assertThat(shop.held()).isZero();
        assertThat(statement.execute(UPDATE)).isFalse();
        assertThat(shop.held()).isZero();
        assertThat(statement.executeLargeUpdate(UPDATE)).isEqualTo(Shop.USERS);
        assertThat(shop.held()).isZero();
    }

    @Test
    void anErrorOfTheDatabaseHoldsNothing() {
        assertThatThrownBy(() -> statement.executeQuery("select nothing from users")).isInstanceOf(SQLException.class)
                .isNotInstanceOf(SqlThrottledException.class);
        assertThat(shop.held()).isZero();
        assertThatThrownBy(() -> statement.execute("select 1/0 from users")).isInstanceOf(SQLException.class);
        assertThatThrownBy(() -> statement.executeUpdate("update users set nothing = 1")).isInstanceOf(SQLException.class);
        assertThat(shop.held()).isZero();
        assertThat(shop.decided("allow")).isEqualTo(3);
    }

    @Test
    void theEndOfTheStatementEndsItsResult() throws SQLException {
        statement.executeQuery(SELECT).next();
        statement.close();
        assertThat(shop.held()).isZero();
    }

    @Test
    void toExecuteAgainTakesThePlaceOfTheExecutionBefore() throws SQLException {
        for (int i = 0; i < 3; i++) {
            statement.executeQuery(SELECT).next();
            assertThat(shop.held()).isEqualTo(1);
        }
        try (PreparedStatement select = connection.prepareStatement(SELECT)) {
            assertThatThrownBy(select::executeQuery).isInstanceOf(SqlThrottledException.class);
            statement.close();
            for (int i = 0; i < 3; i++) {
                select.executeQuery().next();
                assertThat(shop.held()).isEqualTo(1);
                assertThat(select.execute()).isTrue();
                assertThat(shop.held()).isEqualTo(1);
            }
        }
        assertThat(shop.held()).isZero();
    }

    @Test
    void aResultThatWasExecutedForIsHeldBeforeItIsAskedFor() throws SQLException {
        assertThat(statement.execute(SELECT)).isTrue();
        assertThat(shop.held()).isEqualTo(1);
        ResultSet rows = statement.getResultSet();
        assertThat(statement.getResultSet()).isSameAs(rows);
        rows.close();
        assertThat(shop.held()).isZero();
    }

    @Test
    void toAskForMoreResultsEndsTheCurrentOne() throws SQLException {
        statement.execute(SELECT);
        ResultSet rows = statement.getResultSet();
        assertThat(statement.getMoreResults()).isFalse();
        assertThat(shop.held()).isZero();
        rows.close();
        assertThat(shop.held()).isZero();

        statement.execute(SELECT);
        assertThat(statement.getMoreResults(Statement.CLOSE_ALL_RESULTS)).isFalse();
        assertThat(shop.held()).isZero();
    }

    @Test
    void aResultThatIsKeptIsHeld() throws SQLException {
        statement.execute(SELECT);
        ResultSet rows = statement.getResultSet();
        assertThat(statement.getMoreResults(Statement.KEEP_CURRENT_RESULT)).isFalse();
        assertThat(shop.held()).isEqualTo(1);
        rows.close();
        assertThat(shop.held()).isZero();
    }

    @Test
    void aStatementThatClosesOnCompletionHoldsNothingThen() throws SQLException {
        statement.closeOnCompletion();
        statement.executeQuery(SELECT).close();
        assertThat(statement.isClosed()).isTrue();
        assertThat(shop.held()).isZero();
    }

    @Test
    void aClosedConnectionHoldsNothing() throws SQLException {
        ResultSet rows = statement.executeQuery(SELECT);
        connection.close();
        assertThat(shop.held()).isZero();
        rows.close();
        statement.close();
        assertThat(shop.held()).isZero();
    }

    @Test
    void anAbortedConnectionHoldsNothing() throws SQLException {
        statement.executeQuery(SELECT).next();
        connection.abort(Runnable::run);
        assertThat(shop.held()).isZero();
    }

    @Test
    void aRollbackEndsWhatTheTransactionHolds() throws SQLException {
        connection.setAutoCommit(false);
        statement.executeQuery(SELECT).next();
        connection.rollback();
        assertThat(shop.held()).isZero();
    }

    @Test
    void aCommitEndsCursorsThatDoNotOutlastIt() throws SQLException {
        connection.setAutoCommit(false);
        statement.executeQuery(SELECT).next();
        connection.commit();
        // H2 holds cursors over a commit unless told otherwise.
        assertThat(shop.held()).isEqualTo(1);
        connection.rollback();
        assertThat(shop.held()).isZero();
    }

    /** H2 has no cursors that a commit closes. */
    @Test
    void aCommitEndsCursorsThatItCloses() throws SQLException {
        Connection driver = mock(Connection.class);
        Statement closing = mock(Statement.class);
        when(driver.createStatement()).thenReturn(closing);
        when(closing.executeQuery(SELECT)).thenReturn(mock(ResultSet.class));
        when(closing.getResultSetHoldability()).thenReturn(ResultSet.CLOSE_CURSORS_AT_COMMIT);
        DataSource source = mock(DataSource.class);
        when(source.getConnection()).thenReturn(driver);
        DataSource throttled = ThrottledDataSource.builder(source, shop.throttle).dialect(Dialect.GENERIC).build();
        try (Connection transaction = throttled.getConnection(); Statement select = transaction.createStatement()) {
            select.executeQuery(SELECT);
            assertThat(shop.held()).isEqualTo(1);
            transaction.commit();
            assertThat(shop.held()).isZero();
            select.executeQuery(SELECT);
            transaction.setAutoCommit(true);
            assertThat(shop.held()).isZero();
            // What cannot tell is taken to be closed.
            when(closing.getResultSetHoldability()).thenThrow(new SQLException("closed"));
            select.executeQuery(SELECT);
            transaction.commit();
            assertThat(shop.held()).isZero();
        }
    }

    @Test
    void anAbandonedWaitTakesNoPlace() throws SQLException {
        statement.executeQuery(SELECT).next();
        try (Connection other = shop.connect(); Statement second = other.createStatement()) {
            assertThatThrownBy(() -> second.executeQuery(SELECT)).isInstanceOf(SqlThrottledException.class);
            assertThat(shop.held()).isEqualTo(1);
        }
        assertThat(shop.held()).isEqualTo(1);
    }

    @Test
    void batchesTakeOnePlaceWhileTheyRun() throws SQLException {
        for (int id = 1; id <= 3; id++) {
            statement.addBatch("update users set seen = " + id + " where id = " + id);
        }
        assertThat(statement.executeBatch()).containsExactly(1, 1, 1);
        assertThat(shop.held()).isZero();
        statement.addBatch("update users set name = '1' where id = 1");
        statement.addBatch("update users set name = 'much longer than it may be' where id = 1");
        assertThatThrownBy(statement::executeBatch).isInstanceOf(BatchUpdateException.class);
        assertThat(shop.held()).isZero();
    }

    @Test
    void aResultThatCannotBeClosedHoldsNothingAfterTheNextExecution() throws SQLException {
        try (Shop shop = Shop.atMost(1)) {
            ResultSet rows = mock(ResultSet.class);
            doThrow(new SQLException("lost")).when(rows).close();
            Statement driver = mock(Statement.class);
            when(driver.isCloseOnCompletion()).thenThrow(new AbstractMethodError());
            when(driver.executeQuery(anyString())).thenReturn(rows);
            try (Statement statement = shop.statement(driver)) {
                statement.executeQuery("select name from users");
                assertThat(shop.held()).isEqualTo(1);
                assertThatThrownBy(() -> statement.executeQuery("select name from users")).hasMessage("lost");
                assertThat(shop.held()).isZero();
                statement.executeQuery("select name from users");
            }
        }
    }
}
