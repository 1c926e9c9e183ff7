package com.jd.sword.sqlthrottle.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jd.sword.sqlthrottle.Reason;
import com.jd.sword.sqlthrottle.SqlThrottledException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class IgnoreTest {
    private static final String SELECT = "select id, name from users";
    private static final String UPDATE = "update users set seen = 1";
    private static final String INSERT = "insert into orders (customer) values (1)";

    private final Shop shop = Shop.ignoring();
    private Connection connection;
    private Statement statement;

    @BeforeEach
    void connect() throws SQLException {
        connection = shop.connect();
        statement = connection.createStatement();
    }

    @AfterEach
    void nothingWasSent() throws SQLException {
        connection.close();
        assertThat(shop.count("select sum(seen) from users")).isZero();
        assertThat(shop.count("select count(*) from orders")).isZero();
        shop.close();
    }

    @Test
    void aQueryHasNoRows() throws SQLException {
        try (ResultSet rows = statement.executeQuery(SELECT)) {
            assertThat(rows.next()).isFalse();
            assertThat(statement.getResultSet()).isSameAs(rows);
            assertThat(rows.getStatement()).isSameAs(statement);
        }
        assertThat(shop.decided("ignore")).isEqualTo(1);
    }

    @Test
    void toExecuteAQueryGivesNoRowsAndNothingAfterThem() throws SQLException {
        assertThat(statement.execute(SELECT)).isTrue();
        assertThat(statement.getUpdateCount()).isEqualTo(-1);
        assertThat(statement.getLargeUpdateCount()).isEqualTo(-1);
        ResultSet rows = statement.getResultSet();
        assertThat(rows.next()).isFalse();
        assertThat(statement.getMoreResults()).isFalse();
        assertThat(rows.isClosed()).isTrue();
        assertThat(statement.getUpdateCount()).isEqualTo(-1);
        assertThat(statement.getResultSet()).isNull();
    }

    @Test
    void toExecuteAWriteGivesACountOfNoneAndNothingAfterIt() throws SQLException {
        assertThat(statement.execute(UPDATE)).isFalse();
        assertThat(statement.getResultSet()).isNull();
        assertThat(statement.getUpdateCount()).isZero();
        assertThat(statement.getLargeUpdateCount()).isZero();
        assertThat(statement.getMoreResults()).isFalse();
        assertThat(statement.getUpdateCount()).isEqualTo(-1);
    }

    @Test
    void theLoopOverAllResultsEnds() throws SQLException {
        for (String sql : new String[] {SELECT, UPDATE}) {
            int results = 0;
            boolean isRows = statement.execute(sql);
            while (isRows || statement.getUpdateCount() != -1) {
                assertThat(++results).isEqualTo(1);
                isRows = statement.getMoreResults();
            }
        }
    }

    @Test
    void writesCountNone() throws SQLException {
        assertThat(statement.executeUpdate(UPDATE)).isZero();
        assertThat(statement.executeLargeUpdate(UPDATE)).isZero();
        assertThat(statement.executeUpdate(INSERT, Statement.NO_GENERATED_KEYS)).isZero();
        try (PreparedStatement update = connection.prepareStatement(UPDATE)) {
            assertThat(update.executeUpdate()).isZero();
            assertThat(update.executeLargeUpdate()).isZero();
            assertThat(update.execute()).isFalse();
            assertThat(update.getUpdateCount()).isZero();
        }
    }

    @Test
    void generatedKeysAreNoneUnlessTheyWereAskedFor() throws SQLException {
        statement.executeUpdate(INSERT);
        try (ResultSet keys = statement.getGeneratedKeys()) {
            assertThat(keys.getMetaData().getColumnCount()).isEqualTo(1);
            assertThat(keys.next()).isFalse();
        }
        assertThatThrownBy(() -> statement.executeUpdate(INSERT, Statement.RETURN_GENERATED_KEYS))
                .isInstanceOfSatisfying(SqlThrottledException.class,
                        e -> assertThat(e.getReason()).isEqualTo(Reason.IGNORE_UNAVAILABLE));
        assertThatThrownBy(() -> statement.execute(INSERT, new String[] {"ID"})).isInstanceOf(SqlThrottledException.class);
        try (PreparedStatement insert = connection.prepareStatement(INSERT, Statement.RETURN_GENERATED_KEYS)) {
            assertThatThrownBy(insert::executeUpdate).isInstanceOf(SqlThrottledException.class);
            assertThatThrownBy(insert::execute).isInstanceOf(SqlThrottledException.class);
            insert.addBatch();
            assertThatThrownBy(insert::executeBatch).isInstanceOf(SqlThrottledException.class);
        }
    }

    @Test
    void whatHasNoHonestEmptyResultIsAborted() throws SQLException {
        assertThatThrownBy(() -> statement.executeQuery("select * from users for update")).isInstanceOf(SqlThrottledException.class);
        assertThatThrownBy(() -> statement.executeQuery(UPDATE)).isInstanceOf(SqlThrottledException.class);
        assertThatThrownBy(() -> statement.executeUpdate(SELECT)).isInstanceOf(SqlThrottledException.class);
        try (var call = connection.prepareCall(SELECT)) {
            assertThatThrownBy(call::executeQuery).isInstanceOf(SqlThrottledException.class);
            assertThatThrownBy(call::execute).isInstanceOf(SqlThrottledException.class);
        }
    }

    @Test
    void batchesCountNoneAndAreCleared() throws SQLException {
        statement.addBatch(UPDATE);
        statement.addBatch(UPDATE);
        assertThat(statement.executeBatch()).containsExactly(0, 0);
        assertThat(statement.executeBatch()).isEmpty();
        try (PreparedStatement update = connection.prepareStatement("update users set seen = ? where id = ?")) {
            for (int id = 1; id <= 3; id++) {
                update.setInt(1, 1);
                update.setInt(2, id);
                update.addBatch();
            }
            assertThat(update.executeLargeBatch()).containsExactly(0, 0, 0);
            assertThat(update.executeBatch()).isEmpty();
        }
    }

    @Test
    void columnsAreThoseOfAnEarlierRun() throws SQLException {
        // At the third the text is known; by then the rule is back.
        shop.throttle.admin("SET GLOBAL sql_throttle_remove_rule = 'users'");
        String other = "select name, id from users";
        for (int i = 0; i < 3; i++) {
            statement.executeQuery(other).close();
        }
        shop.throttle.admin("SET GLOBAL sql_throttle_add_rule = '{name: users, tables: users, limit: {block: true}, "
                + "then: {strategy: ignore}}'");
        try (ResultSet rows = statement.executeQuery(other)) {
            assertThat(rows.next()).isFalse();
            assertThat(rows.getMetaData().getColumnCount()).isEqualTo(2);
            assertThat(rows.getMetaData().getColumnLabel(1)).isEqualTo("NAME");
            assertThat(rows.getMetaData().getColumnType(1)).isEqualTo(Types.VARCHAR);
            assertThat(rows.getMetaData().getColumnType(2)).isEqualTo(Types.INTEGER);
            assertThat(rows.findColumn("id")).isEqualTo(2);
        }
    }

    @Test
    void theResultOfAnExecutionBeforeIsClosed() throws SQLException {
        ResultSet before = statement.executeQuery("select 2");
        statement.executeQuery(SELECT);
        assertThat(before.isClosed()).isTrue();
        ResultSet empty = statement.getResultSet();
        statement.executeQuery("select 2");
        assertThat(empty.isClosed()).isTrue();
    }

    @Test
    void aClosedStatementIsNotAnsweredForNorKeptOpen() throws SQLException {
        statement.closeOnCompletion();
        statement.executeQuery(SELECT).close();
        assertThat(statement.isClosed()).isTrue();
        assertThatThrownBy(() -> statement.executeQuery(SELECT)).isExactlyInstanceOf(SQLException.class).hasMessageContaining("closed");
    }
}
