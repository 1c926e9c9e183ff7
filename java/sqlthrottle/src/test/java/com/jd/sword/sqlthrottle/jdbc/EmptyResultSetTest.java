package com.jd.sword.sqlthrottle.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.jd.sword.sqlthrottle.SqlThrottledException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Set;
import javax.sql.rowset.CachedRowSet;
import javax.sql.rowset.RowSetProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The result of an ignored query behaves as that of a query that found nothing. */
class EmptyResultSetTest {
    /** What has an answer although there is no row. */
    private static final Set<String> ANSWERED = Set.of("next", "close", "isClosed", "wasNull", "getStatement", "getMetaData", "getRow",
            "getType", "getConcurrency", "getHoldability", "getFetchSize", "setFetchSize", "getFetchDirection", "setFetchDirection",
            "getWarnings", "clearWarnings", "isBeforeFirst", "isAfterLast", "isFirst", "isLast", "isWrapperFor",
            // Of columns that are not known.
            "findColumn");

    private final Shop shop = Shop.ignoring();
    private Connection connection;
    private Statement statement;
    private ResultSet rows;

    @BeforeEach
    void query() throws SQLException {
        connection = shop.connect();
        statement = connection.createStatement();
        rows = statement.executeQuery("select id from users");
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
        shop.close();
    }

    private static Throwable call(Method method, Object target) {
        Object[] arguments = Arrays.stream(method.getParameterTypes()).map(Values::distinct).toArray();
        if (method.getName().equals("setFetchDirection")) {
            arguments[0] = ResultSet.FETCH_FORWARD;
        }
        return catchThrowable(() -> {
            try {
                method.invoke(target, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
    }

    @Test
    void whatAsksForARowIsRefusedAndNothingFailsOtherwise() {
        for (Method method : ResultSet.class.getMethods()) {
            if (Modifier.isStatic(method.getModifiers()) || method.getName().equals("close")) {
                continue;
            }
            Throwable thrown = call(method, rows);
            if (ANSWERED.contains(method.getName())) {
                assertThat(thrown).as(method.toString()).isNull();
            } else {
                assertThat(thrown).as(method.toString()).isInstanceOf(SQLException.class);
                assertThat(((SQLException) thrown).getSQLState()).as(method.toString()).hasSize(5);
            }
        }
    }

    @Test
    void closedItAnswersNothing() throws SQLException {
        rows.close();
        rows.close();
        assertThat(rows.isClosed()).isTrue();
        for (Method method : ResultSet.class.getMethods()) {
            String name = method.getName();
            if (!Modifier.isStatic(method.getModifiers()) && !Set.of("close", "isClosed", "isWrapperFor", "unwrap").contains(name)) {
                assertThat(call(method, rows)).as(method.toString()).isInstanceOf(SQLException.class);
            }
        }
    }

    @Test
    void theEndOfItsStatementClosesIt() throws SQLException {
        statement.close();
        assertThat(rows.isClosed()).isTrue();
        assertThatThrownBy(rows::next).isInstanceOf(SQLException.class);
    }

    @Test
    void aColumnIsThereForThoseWhoInsist() throws SQLException {
        ResultSetMetaData columns = rows.getMetaData();
        assertThat(columns.getColumnCount()).isEqualTo(1);
        for (Method method : ResultSetMetaData.class.getMethods()) {
            if (method.getParameterCount() == 1 && method.getParameterTypes()[0] == int.class) {
                assertThat(catchThrowable(() -> method.invoke(columns, 1))).as(method.toString()).isNull();
                assertThat(catchThrowable(() -> method.invoke(columns, 2))).as(method.toString()).hasCauseInstanceOf(SQLException.class);
                assertThat(catchThrowable(() -> method.invoke(columns, 0))).as(method.toString()).hasCauseInstanceOf(SQLException.class);
            }
        }
        assertThat(columns.unwrap(ResultSetMetaData.class)).isSameAs(columns);
        assertThat(columns.isWrapperFor(String.class)).isFalse();
    }

    @Test
    void aRowSetIsFilledFromIt() throws SQLException {
        try (CachedRowSet cached = RowSetProvider.newFactory().createCachedRowSet()) {
            cached.populate(rows);
            assertThat(cached.next()).isFalse();
            assertThat(cached.getMetaData().getColumnCount()).isEqualTo(1);
        }
    }

    @Test
    void itIsItself() throws SQLException {
        assertThat(rows).isEqualTo(rows).hasSameHashCodeAs(rows);
        assertThat(rows.toString()).isEqualTo("an empty result");
        assertThat(rows.unwrap(ResultSet.class)).isSameAs(rows);
        rows.setFetchSize(7);
        assertThat(rows.getFetchSize()).isEqualTo(7);
        assertThatThrownBy(() -> rows.setFetchSize(-1)).isInstanceOf(SQLException.class);
        assertThatThrownBy(() -> rows.setFetchDirection(ResultSet.FETCH_REVERSE)).isInstanceOf(SQLException.class);
        // Which columns there are was never seen, so whoever asks for one is right.
        assertThat(rows.findColumn("name")).isEqualTo(1);
    }

    @Test
    void itScrollsAsItsStatementWasAskedTo() throws SQLException {
        try (Statement scrolling = connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY,
                ResultSet.HOLD_CURSORS_OVER_COMMIT)) {
            ResultSet none = scrolling.executeQuery("select id from users");
            assertThat(none.getType()).isEqualTo(ResultSet.TYPE_SCROLL_INSENSITIVE);
            assertThat(none.getHoldability()).isEqualTo(scrolling.getResultSetHoldability());
            none.beforeFirst();
            none.afterLast();
            assertThat(none.first() || none.last() || none.absolute(1) || none.relative(-1) || none.previous()).isFalse();
            none.setFetchDirection(ResultSet.FETCH_REVERSE);
        }
        assertThatThrownBy(rows::first).isInstanceOf(SQLException.class);
    }

    @Test
    void nothingStandsInForOneThatCanBeChanged() throws SQLException {
        try (Statement changing = connection.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_UPDATABLE)) {
            assertThatThrownBy(() -> changing.executeQuery("select id from users")).isInstanceOf(SqlThrottledException.class);
            assertThat(changing.executeUpdate("update users set seen = 1")).isZero();
        }
    }
}
