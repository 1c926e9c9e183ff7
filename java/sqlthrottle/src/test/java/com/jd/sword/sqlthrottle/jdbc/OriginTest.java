package com.jd.sword.sqlthrottle.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.RETURNS_DEEP_STUBS;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import com.jd.sword.sqlthrottle.AmbientContext;
import com.jd.sword.sqlthrottle.SqlThrottledException;
import com.jd.sword.sqlthrottle.StatementContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What rules know of a connection without being told. */
class OriginTest {
    private static final String SELECT = "select name from users";

    private final Shop shop = Shop.with("rules: [{name: users, match: {databases: [shop]}, limit: {block: true}}]");

    @AfterEach
    void close() throws SQLException {
        shop.close();
    }

    private static Connection driver(String url) throws SQLException {
        Connection driver = mock(Connection.class, RETURNS_DEEP_STUBS);
        when(driver.getMetaData().getURL()).thenReturn(url);
        when(driver.getAutoCommit()).thenReturn(true);
        return driver;
    }

    private static Connection over(Shop shop, Connection driver) throws SQLException {
        DataSource source = mock(DataSource.class);
        when(source.getConnection()).thenReturn(driver);
        return ThrottledDataSource.of(source, shop.throttle).getConnection();
    }

    private static void assertBlocked(Connection connection) throws SQLException {
        Statement statement = connection.createStatement();
        assertThatThrownBy(() -> statement.executeQuery(SELECT)).isInstanceOf(SqlThrottledException.class);
    }

    private static void assertPasses(Connection connection) throws SQLException {
        connection.createStatement().executeQuery(SELECT);
    }

    @Test
    void rulesKnowTheDatabaseByTheUrl() throws SQLException {
        assertBlocked(over(shop, driver("jdbc:mysql://db/shop?user=ann")));
        assertBlocked(over(shop, driver("jdbc:postgresql://db/shop")));
        assertPasses(over(shop, driver("jdbc:postgresql://db/other")));
        assertPasses(over(shop, driver("jdbc:postgresql://db/")));
        assertPasses(over(shop, driver(null)));
    }

    @Test
    void eachDatabaseHasALimitOfItsOwn() throws SQLException {
        try (Shop each = Shop.with("rules: [{name: users, per: [database], limit: {fixed_window: {max: 1, window: 1m}}}]")) {
            for (String name : new String[] {"one", "two"}) {
                assertPasses(over(each, driver("jdbc:postgresql://db/" + name)));
                assertBlocked(over(each, driver("jdbc:postgresql://other/" + name)));
            }
        }
    }

    @Test
    void aCatalogIsTheDatabaseWhereThatIsWhatItMeans() throws SQLException {
        Connection mysql = over(shop, driver("jdbc:mysql://db/other"));
        assertPasses(mysql);
        mysql.setCatalog("shop");
        assertBlocked(mysql);
        mysql.setCatalog("other");
        assertPasses(mysql);
        Connection server = over(shop, driver("jdbc:sqlserver://db"));
        server.setCatalog("shop");
        assertBlocked(server);
        Connection postgres = over(shop, driver("jdbc:postgresql://db/shop"));
        postgres.setCatalog("other");
        assertBlocked(postgres);
    }

    @Test
    void whatIsSaidGoesFirst() throws SQLException {
        Connection connection = over(shop, driver("jdbc:mysql://db/shop"));
        try (AmbientContext.Scope said = AmbientContext.open(StatementContext.builder().database("other").build())) {
            assertPasses(connection);
        }
        try (AmbientContext.Scope said = AmbientContext.open(StatementContext.of("ann", null))) {
            assertBlocked(connection);
        }
    }

    @Test
    void onlyTheDriverIsAskedAndOnce() throws SQLException {
        Connection driver = driver("jdbc:mysql://db/shop");
        Connection connection = over(shop, driver);
        clearInvocations(driver);
        assertBlocked(connection);
        assertBlocked(connection);
        verify(driver).getMetaData();
        verify(driver, never()).getCatalog();
        Connection closed = new ThrottledConnection(shop.connection().gate(), driver, null);
        when(driver.getMetaData()).thenThrow(new SQLException("closed"));
        assertPasses(closed);
    }

    @Test
    void contextsOfConnectionsAreTheSameForTheSameDatabase() throws SQLException {
        StatementContext user = StatementContext.of("ann", null);
        StatementContext first = new Origin(driver("jdbc:mysql://db/shop"), user).context();
        assertThat(first.user()).isEqualTo("ann");
        assertThat(first.database()).isEqualTo("shop");
        assertThat(new Origin(driver("jdbc:mysql://other/shop"), StatementContext.of("ann", null)).context()).isSameAs(first);
        assertThat(new Origin(driver("jdbc:mysql://db/shop"), null).context().user()).isNull();
        assertThat(new Origin(driver("jdbc:unknown://db/shop"), user).context()).isSameAs(user);
        assertThat(new Origin(driver("jdbc:unknown://db/shop"), null).context()).isNull();
    }
}
