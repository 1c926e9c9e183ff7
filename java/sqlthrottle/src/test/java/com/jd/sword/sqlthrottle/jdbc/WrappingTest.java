package com.jd.sword.sqlthrottle.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.RETURNS_DEEP_STUBS;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import com.jd.sword.sqlthrottle.Dialect;
import com.jd.sword.sqlthrottle.StatementContext;
import com.jd.sword.sqlthrottle.Throttle;
import java.sql.Array;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.sql.Statement;
import java.sql.Wrapper;
import java.util.List;
import javax.sql.DataSource;
import org.h2.jdbc.JdbcConnection;
import org.h2.jdbc.JdbcStatement;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

/** What wrappers lead to, and what becomes of what cannot be wrapped. */
class WrappingTest {
    @Test
    void everythingLeadsBackToTheWrappers() throws SQLException {
        try (Shop shop = Shop.with("{}"); Connection connection = shop.connect(); Statement statement = connection.createStatement();
                PreparedStatement prepared = connection.prepareStatement("select 2")) {
            assertThat(statement.getConnection()).isSameAs(connection);
            assertThat(prepared.getConnection()).isSameAs(connection);
            assertThat(statement.executeQuery("select 2").getStatement()).isSameAs(statement);
            assertThat(prepared.executeQuery().getStatement()).isSameAs(prepared);
            statement.execute("insert into orders (customer) values (1)", Statement.RETURN_GENERATED_KEYS);
            assertThat(statement.getGeneratedKeys().getStatement()).isSameAs(statement);
            DatabaseMetaData metaData = connection.getMetaData();
            assertThat(metaData.getConnection()).isSameAs(connection);
            try (ResultSet tables = metaData.getTables(null, null, "USERS", null)) {
                assertThat(tables.next()).isTrue();
                Statement behind = tables.getStatement();
                assertThat(behind == null || behind.getConnection() == connection).isTrue();
            }
        }
    }

    @Test
    void whatIsInsideIsFoundHoweverDeep() throws SQLException {
        try (Shop shop = Shop.with("{}")) {
            DataSource outer = ThrottledDataSource.of(shop.source, shop.throttle);
            assertThat(outer.unwrap(ThrottledDataSource.class)).isSameAs(outer);
            assertThat(outer.isWrapperFor(JdbcDataSource.class)).isTrue();
            assertThat(outer.unwrap(JdbcDataSource.class)).isSameAs(shop.h2);
            assertThat(outer.isWrapperFor(String.class)).isFalse();
            assertThatThrownBy(() -> outer.unwrap(String.class)).isInstanceOf(SQLException.class);
            try (Connection connection = outer.getConnection(); Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("select 2")) {
                assertThat(connection.unwrap(Connection.class)).isSameAs(connection);
                assertThat(connection.unwrap(JdbcConnection.class)).isInstanceOf(JdbcConnection.class);
                assertThat(statement.isWrapperFor(JdbcStatement.class)).isTrue();
                assertThat(statement.unwrap(JdbcStatement.class).getConnection()).isNotSameAs(connection);
                assertThat(rows.unwrap(org.h2.jdbc.JdbcResultSet.class)).isNotNull();
                assertThat(connection.getMetaData().isWrapperFor(org.h2.jdbc.JdbcDatabaseMetaData.class)).isTrue();
            }
        }
    }

    /** As those of H2 and MariaDB are: which of both is meant, the name of the method says. */
    @Test
    void aSourceThatIsOfBothKindsIsWrappedInOneLine() throws Exception {
        try (Shop shop = Shop.with("{}")) {
            JdbcDataSource both = shop.h2;
            assertThat(shop.throttle.wrap(both)).isInstanceOf(ThrottledDataSource.class);
            assertThat(shop.throttle.wrapXA(both)).isInstanceOf(ThrottledXADataSource.class);
        }
    }

    @Test
    void anArrayLeadsBackToTheWrappersAndIsTheDriversForTheDriver() throws SQLException {
        PreparedStatement driver = mock(PreparedStatement.class);
        CallableStatement driversCall = mock(CallableStatement.class);
        ResultSet driversRows = mock(ResultSet.class);
        Array array = mock(Array.class, RETURNS_DEEP_STUBS);
        when(driver.executeQuery()).thenReturn(driversRows);
        when(driversRows.getArray(1)).thenReturn(array);
        when(driversRows.getObject(1)).thenReturn(array);
        when(driversRows.getObject(1, Object.class)).thenReturn(array);
        when(driversCall.getObject("array")).thenReturn(array);
        try (Shop shop = Shop.with("{}"); ThrottledConnection connection = shop.connection();
                PreparedStatement statement = new ThrottledPreparedStatement(connection, driver, "select 2", false);
                CallableStatement call = new ThrottledCallableStatement(connection, driversCall, "{call f(?)}");
                ResultSet rows = statement.executeQuery()) {
            for (Object read : new Object[] {rows.getArray(1), rows.getObject(1), rows.getObject(1, Object.class), call.getObject("array")}) {
                Array wrapped = (Array) read;
                assertThat(wrapped).hasToString(array.toString()).isEqualTo(rows.getArray(1)).hasSameHashCodeAs(array);
                assertThat(wrapped.getResultSet().getStatement().getConnection()).isSameAs(connection);
                statement.setArray(1, wrapped);
                statement.setObject(2, wrapped);
                call.setObject("array", wrapped);
                rows.updateArray(1, wrapped);
                rows.updateObject("array", wrapped);
            }
            verify(driver, times(4)).setArray(1, array);
            verify(driver, times(4)).setObject(2, array);
            verify(driversCall, times(4)).setObject("array", array);
            verify(driversRows, times(4)).updateArray(1, array);
            verify(driversRows, times(4)).updateObject("array", array);
        }
    }

    @Test
    void anArrayOfADatabaseStaysWhatItIs() throws SQLException {
        try (Shop shop = Shop.with("{}"); Connection connection = shop.connect();
                PreparedStatement select = connection.prepareStatement("select cast(? as int array)")) {
            select.setArray(1, connection.createArrayOf("int", new Object[] {1, 2}));
            try (ResultSet rows = select.executeQuery()) {
                rows.next();
                assertThat((Object[]) rows.getArray(1).getArray()).containsExactly(1, 2);
                try (ResultSet elements = rows.getArray(1).getResultSet()) {
                    Statement behind = elements.getStatement();
                    assertThat(behind == null || behind.getConnection() == connection).isTrue();
                    assertThat(elements.next()).isTrue();
                }
            }
        }
    }

    /** As a program with the URL form has no other way to its throttle. */
    @Test
    void allOfThemLeadToTheThrottle() throws SQLException {
        try (Shop shop = Shop.with("{}"); Connection connection = shop.connect(); Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select 2"); ResultSet types = connection.getMetaData().getTypeInfo()) {
            for (Wrapper wrapper : List.of(shop.source, connection, statement, rows, types, connection.getMetaData())) {
                assertThat(wrapper.isWrapperFor(Throttle.class)).as(wrapper.toString()).isTrue();
                assertThat(wrapper.unwrap(Throttle.class)).as(wrapper.toString()).isSameAs(shop.throttle);
            }
        }
    }

    @Test
    void thereMayBeNoResult() throws SQLException {
        try (Shop shop = Shop.with("{}"); Connection connection = shop.connect(); Statement statement = connection.createStatement()) {
            assertThat(statement.getResultSet()).isNull();
            statement.executeUpdate("update users set seen = 1");
            assertThat(statement.getResultSet()).isNull();
        }
    }

    @Test
    void aSourceThatHasNoConnectionSaysSoItself() throws SQLException {
        DataSource failing = mock(DataSource.class);
        when(failing.getConnection()).thenThrow(new SQLException("none left", "08001"));
        try (Shop shop = Shop.with("{}")) {
            assertThatThrownBy(() -> ThrottledDataSource.of(failing, shop.throttle).getConnection()).hasMessage("none left");
            assertThat(ThrottledDataSource.of(mock(DataSource.class), shop.throttle).getConnection()).isNull();
        }
    }

    @Test
    void aConnectionThatCannotBeWrappedIsClosed() throws SQLException {
        try (Shop shop = Shop.with("{}")) {
            Connection refused = mock(Connection.class);
            when(refused.getMetaData()).thenThrow(new SQLException("not now", "08006"));
            DataSource source = mock(DataSource.class);
            when(source.getConnection()).thenReturn(refused);
            assertThatThrownBy(() -> ThrottledDataSource.of(source, shop.throttle).getConnection()).hasMessage("not now");
            verify(refused).close();

            Connection broken = mock(Connection.class);
            when(broken.getMetaData()).thenThrow(new UnsupportedOperationException("no metadata"));
            when(source.getConnection()).thenReturn(broken);
            assertThatThrownBy(() -> ThrottledDataSource.of(source, shop.throttle).getConnection())
                    .isInstanceOf(SQLNonTransientException.class).hasRootCauseMessage("no metadata");
            verify(broken).close();
        }
    }

    @Test
    void aDriverNeedNotTellWhatItSpeaks() throws SQLException {
        DataSource source = mock(DataSource.class);
        when(source.getConnection()).thenReturn(mock(Connection.class));
        try (Shop shop = Shop.with("{}")) {
            assertThat(ThrottledDataSource.of(source, shop.throttle).getConnection()).isNotNull();
        }
    }

    @Test
    void whatTheProgramAddsFailsAsJdbcExpects() throws SQLException {
        try (Shop shop = Shop.with("{}", options -> options.exempt(sql -> {
            throw new IllegalStateException("no list");
        })); Connection connection = shop.connect(); Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.executeQuery("select 2")).isInstanceOf(SQLNonTransientException.class)
                    .hasRootCauseMessage("no list");
            assertThatThrownBy(() -> connection.prepareStatement("select 2")).isInstanceOf(SQLNonTransientException.class);
        }
        try (Shop shop = Shop.with("{}", options -> options.context(() -> {
            throw new IllegalStateException("no user");
        })); Connection connection = shop.connect(); Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.executeQuery("select 2")).isInstanceOf(SQLNonTransientException.class)
                    .hasRootCauseMessage("no user");
        }
    }

    @Test
    void theUrlIsAskedForOnceAndNotWhereTheDialectIsSaid() throws SQLException {
        try (Shop shop = Shop.with("{}")) {
            Connection connection = mock(Connection.class);
            DatabaseMetaData metaData = mock(DatabaseMetaData.class);
            when(connection.getMetaData()).thenReturn(metaData);
            when(metaData.getURL()).thenReturn("jdbc:mysql://db/shop");
            DataSource source = mock(DataSource.class);
            when(source.getConnection()).thenReturn(connection);
            ThrottledDataSource asking = ThrottledDataSource.of(source, shop.throttle);
            asking.getConnection();
            asking.getConnection();
            ThrottledDataSource.builder(source, shop.throttle).dialect(Dialect.MYSQL).build().getConnection();
            verify(metaData).getURL();
        }
    }

    @Test
    void theContextIsTheOneOfTheSourceOverThatOfTheConnection() throws SQLException {
        String rules = "rules: [{name: users, match: {user: ann, tags: {endpoint: report}}, limit: {block: true}}]";
        StatementContext report = StatementContext.builder().tag("endpoint", "report").build();
        StatementContext[] said = {null};
        try (Shop shop = Shop.with(rules, options -> options.context(() -> said[0])); Statement create = shop.h2.getConnection().createStatement()) {
            create.execute("create user ann password 'secret' admin");
            try (Connection connection = shop.source.getConnection("ann", "secret"); Statement statement = connection.createStatement()) {
                statement.executeQuery("select 2").close();
                said[0] = report;
                assertThatThrownBy(() -> statement.executeQuery("select 2")).hasMessageContaining("users");
            }
        }
    }

    @Test
    void toCloseTheSourceClosesWhatItWraps() throws Exception {
        interface Pool extends DataSource, AutoCloseable {}
        Pool pool = mock(Pool.class);
        try (Shop shop = Shop.with("{}")) {
            ThrottledDataSource.of(pool, shop.throttle).close();
            verify(pool).close();
            ThrottledDataSource.of(shop.h2, shop.throttle).close();
        }
    }
}
