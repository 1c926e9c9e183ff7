package com.jd.sword.sqlthrottle.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import com.jd.sword.sqlthrottle.SqlThrottledException;
import java.sql.CallableStatement;
import java.sql.JDBCType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.ArgumentMatchers;

/** Executions with several results hold their place as long as one of them is open, or may come. */
class ResultsTest {
    private static final String SCRIPT = "update users set seen = 1; select name from users";
    private static final String CALL = "{call users_of(?, ?)}";

    private final Shop shop = Shop.with("rules: [{name: users, limit: {concurrency: {max: 1}}}]");
    private final Statement driver = mock(Statement.class);
    private final CallableStatement driversCall = mock(CallableStatement.class);
    private Statement statement;
    private CallableStatement call;

    @BeforeEach
    void open() throws SQLException {
        statement = shop.statement(driver);
        call = new ThrottledCallableStatement(shop.connection(), driversCall, CALL);
        // Each with rows of its own.
        when(driver.getResultSet()).thenAnswer(asked -> mock(ResultSet.class));
        when(driver.getUpdateCount()).thenReturn(5, -1);
    }

    @AfterEach
    void nothingIsHeldInTheEnd() throws SQLException {
        statement.close();
        call.close();
        assertThat(shop.held()).isZero();
        shop.close();
    }

    @Test
    void rowsBehindACountHoldThePlace() throws SQLException {
        when(driver.getMoreResults()).thenReturn(true, false);
        assertThat(statement.execute(SCRIPT)).isFalse();
        assertThat(statement.getUpdateCount()).isEqualTo(5);
        assertThat(shop.held()).isEqualTo(1);
        assertThat(statement.getMoreResults()).isTrue();
        ResultSet rows = statement.getResultSet();
        assertThatThrownBy(() -> call.execute()).isInstanceOf(SqlThrottledException.class);
        rows.close();
        assertThat(shop.held()).as("more may come").isEqualTo(1);
        assertThat(statement.getMoreResults()).isFalse();
        assertThat(shop.held()).as("it may be a count").isEqualTo(1);
        assertThat(statement.getUpdateCount()).isEqualTo(-1);
        assertThat(shop.held()).isZero();
        assertThat(statement.getUpdateCount()).isEqualTo(-1);
        assertThat(statement.getMoreResults()).isFalse();
    }

    @Test
    void rowsBehindRowsThatWereClosedHoldThePlace() throws SQLException {
        when(driver.execute(SCRIPT)).thenReturn(true);
        when(driver.getMoreResults()).thenReturn(true, false);
        when(driver.getLargeUpdateCount()).thenReturn(-1L);
        assertThat(statement.execute(SCRIPT)).isTrue();
        // There is no count where there are rows, and more may come all the same.
        assertThat(statement.getLargeUpdateCount()).isEqualTo(-1);
        statement.getResultSet().close();
        assertThat(statement.getMoreResults()).isTrue();
        assertThat(shop.held()).isEqualTo(1);
        ResultSet last = statement.getResultSet();
        assertThat(statement.getMoreResults()).isFalse();
        assertThat(statement.getLargeUpdateCount()).isEqualTo(-1);
        assertThat(shop.held()).isZero();
        last.close();
    }

    @Test
    void rowsThatAreKeptHoldThePlaceUntilAllAreClosed() throws SQLException {
        when(driver.execute(SCRIPT)).thenReturn(true);
        when(driver.getMoreResults(Statement.KEEP_CURRENT_RESULT)).thenReturn(true);
        statement.execute(SCRIPT);
        ResultSet first = statement.getResultSet();
        statement.getMoreResults(Statement.KEEP_CURRENT_RESULT);
        ResultSet second = statement.getResultSet();
        statement.getUpdateCount();
        statement.getMoreResults();
        statement.getUpdateCount();
        assertThat(shop.held()).as("the first is kept").isEqualTo(1);
        first.close();
        assertThat(shop.held()).isZero();
        second.close();

        statement.execute(SCRIPT);
        statement.getResultSet();
        statement.getMoreResults(Statement.KEEP_CURRENT_RESULT);
        statement.getMoreResults(Statement.CLOSE_ALL_RESULTS);
        statement.getUpdateCount();
        assertThat(shop.held()).isZero();
    }

    @Test
    void rowsThatNobodyAskedForHoldNothingOnceTheyArePassed() throws SQLException {
        when(driver.execute(SCRIPT)).thenReturn(true);
        statement.execute(SCRIPT);
        statement.getMoreResults();
        when(driver.getUpdateCount()).thenReturn(-1);
        statement.getUpdateCount();
        assertThat(shop.held()).isZero();
    }

    @Test
    void aResultThatFailsHoldsNothing() throws SQLException {
        when(driver.getMoreResults()).thenThrow(new SQLException("lost"));
        statement.execute(SCRIPT);
        assertThat(shop.held()).isEqualTo(1);
        assertThatThrownBy(statement::getMoreResults).hasMessage("lost");
        assertThat(shop.held()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"update users set seen = 1", "insert into users (id) values (9) ; ", "with all as (select 1) delete from users"})
    void aWriteHoldsNothingBehindItsCount(String write) throws SQLException {
        statement.execute(write);
        assertThat(shop.held()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{? = call f()}", "call p()", "exec p 1", "/* by */ BEGIN p; END;", "do $$ begin end $$",
        "declare @a int; set @a = 1", SCRIPT})
    void whatMayHaveMoreHoldsUntilTheNextExecution(String text) throws SQLException {
        statement.execute(text);
        assertThat(shop.held()).isEqualTo(1);
        statement.executeUpdate("update users set seen = 1");
        assertThat(shop.held()).isZero();
    }

    @Test
    void cursorsOfACallHoldItsPlaceUntilAllAreClosed() throws SQLException {
        when(driversCall.getObject(anyInt())).thenAnswer(asked -> mock(ResultSet.class));
        when(driversCall.getObject(anyInt(), ArgumentMatchers.<Class<Object>>any())).thenAnswer(asked -> mock(ResultSet.class));
        call.registerOutParameter(1, Types.REF_CURSOR);
        call.registerOutParameter(2, JDBCType.REF_CURSOR);
        call.executeUpdate();
        assertThat(shop.held()).as("nobody has asked for them").isEqualTo(1);
        ResultSet first = (ResultSet) call.getObject(1);
        first.close();
        first.close();
        assertThat(shop.held()).as("of the second").isEqualTo(1);
        ResultSet second = call.getObject(2, ResultSet.class);
        assertThat(second.getStatement()).isSameAs(call);
        assertThatThrownBy(() -> statement.execute(SCRIPT)).isInstanceOf(SqlThrottledException.class);
        ResultSet again = (ResultSet) call.getObject(2);
        second.close();
        assertThat(shop.held()).as("of the same once more").isEqualTo(1);
        again.close();
        assertThat(shop.held()).isZero();
    }

    @Test
    void cursorsOutlastTheOtherResults() throws SQLException {
        when(driversCall.getObject("found")).thenAnswer(asked -> mock(ResultSet.class));
        when(driversCall.getUpdateCount()).thenReturn(-1);
        call.registerOutParameter("found", Types.OTHER);
        call.execute();
        call.getUpdateCount();
        call.getMoreResults();
        assertThat(shop.held()).isEqualTo(1);
        ((ResultSet) call.getObject("found")).close();
        assertThat(shop.held()).isZero();
    }

    @Test
    void aCursorThatIsNoneHoldsNothing() throws SQLException {
        call.registerOutParameter(1, Types.OTHER);
        call.executeUpdate();
        assertThat(shop.held()).isEqualTo(1);
        assertThat(call.getObject(1)).isNull();
        assertThat(shop.held()).isZero();
        call.registerOutParameter(1, Types.INTEGER);
        call.executeUpdate();
        assertThat(shop.held()).isZero();
    }

    @Test
    void aCallThatFailsHoldsNothing() throws SQLException {
        when(driversCall.executeUpdate()).thenThrow(new SQLException("lost"));
        call.registerOutParameter(1, Types.REF_CURSOR);
        assertThatThrownBy(() -> call.executeUpdate()).hasMessage("lost");
        assertThat(shop.held()).isZero();
    }

    @Test
    void aCursorInAColumnHoldsThePlaceToo() throws SQLException {
        ResultSet rows = mock(ResultSet.class);
        when(rows.getObject(1)).thenReturn(mock(ResultSet.class));
        when(driver.executeQuery(any())).thenReturn(rows);
        ResultSet outer = statement.executeQuery("select cursor(select 1) from users");
        ResultSet inner = (ResultSet) outer.getObject(1);
        outer.close();
        assertThat(shop.held()).isEqualTo(1);
        inner.close();
        assertThat(shop.held()).isZero();
    }
}
