package com.jd.sword.sqlthrottle.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

import com.jd.sword.sqlthrottle.SqlThrottledException;
import com.jd.sword.sqlthrottle.Throttle;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.ConnectionEvent;
import javax.sql.ConnectionEventListener;
import javax.sql.ConnectionPoolDataSource;
import javax.sql.PooledConnection;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;

/** Connections as a pool keeps them, which it hands out again and again. */
class PooledTest {
    private static final String SELECT = "select name from users";

    @Test
    void whatAPoolHandsOutIsThrottled() throws SQLException {
        try (Shop shop = Shop.atMost(1)) {
            PooledConnection pooled = shop.throttle.wrapPooled(shop.h2).getPooledConnection();
            ConnectionEventListener pool = mock(ConnectionEventListener.class);
            pooled.addConnectionEventListener(pool);
            try (Connection connection = pooled.getConnection(); Statement statement = connection.createStatement();
                    Statement other = connection.createStatement()) {
                statement.executeQuery(SELECT).next();
                assertThatThrownBy(() -> other.executeQuery(SELECT)).isInstanceOf(SqlThrottledException.class);
                assertThat(connection.unwrap(Throttle.class)).isSameAs(shop.throttle);
            }
            assertThat(shop.held()).isZero();
            ArgumentCaptor<ConnectionEvent> heard = ArgumentCaptor.forClass(ConnectionEvent.class);
            verify(pool).connectionClosed(heard.capture());
            assertThat(heard.getValue().getSource()).isSameAs(pooled);

            pooled.getConnection().createStatement().executeQuery(SELECT).next();
            assertThat(shop.held()).isEqualTo(1);
            pooled.close();
            assertThat(shop.held()).isZero();
        }
    }

    @Test
    void itsUserIsThatOfItsStatements() throws SQLException {
        String rules = "rules: [{name: users, match: {user: ann}, limit: {block: true}}]";
        try (Shop shop = Shop.with(rules); Statement create = shop.h2.getConnection().createStatement()) {
            create.execute("create user ann password 'secret' admin");
            ConnectionPoolDataSource source = ThrottledConnectionPoolDataSource.of(shop.h2, shop.throttle);
            source.getPooledConnection().getConnection().createStatement().executeQuery(SELECT);
            Statement hers = source.getPooledConnection("ann", "secret").getConnection().createStatement();
            assertThatThrownBy(() -> hers.executeQuery(SELECT)).isInstanceOf(SqlThrottledException.class);
        }
    }
}
