package com.jd.sword.sqlthrottle.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.jd.sword.sqlthrottle.Reason;
import com.jd.sword.sqlthrottle.SqlThrottledException;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.sql.SQLTransientException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class AbortTest {
    private static final String SELECT = "select name from users where id = 1";
    private static final String UPDATE = "update users set seen = 1 where id = 1";

    private interface Sending {
        Object send() throws SQLException;
    }

    @Test
    void everyMethodThatSendsAStatementRefuses() throws SQLException {
        try (Shop shop = Shop.aborting(); Connection connection = shop.connect(); Statement statement = connection.createStatement();
                PreparedStatement select = connection.prepareStatement(SELECT);
                PreparedStatement update = connection.prepareStatement(UPDATE);
                CallableStatement call = connection.prepareCall(SELECT)) {
            List<Sending> all = List.of(() -> statement.executeQuery(SELECT), () -> statement.execute(SELECT),
                    () -> statement.executeUpdate(UPDATE), () -> statement.executeLargeUpdate(UPDATE),
                    () -> statement.executeUpdate(UPDATE, Statement.RETURN_GENERATED_KEYS),
                    () -> statement.executeUpdate(UPDATE, new int[] {1}), () -> statement.executeUpdate(UPDATE, new String[] {"ID"}),
                    () -> statement.executeLargeUpdate(UPDATE, Statement.NO_GENERATED_KEYS),
                    () -> statement.executeLargeUpdate(UPDATE, new int[] {1}),
                    () -> statement.executeLargeUpdate(UPDATE, new String[] {"ID"}),
                    () -> statement.execute(UPDATE, Statement.RETURN_GENERATED_KEYS), () -> statement.execute(UPDATE, new int[] {1}),
                    () -> statement.execute(UPDATE, new String[] {"ID"}), select::executeQuery, select::execute, update::executeUpdate,
                    update::executeLargeUpdate, update::execute, call::executeQuery, call::execute);
            int sent = 0;
            for (Sending one : all) {
                assertThatThrownBy(one::send).isExactlyInstanceOf(SqlThrottledException.class);
                assertThat(shop.decided("abort")).isEqualTo(++sent);
            }
            assertThat(shop.count("select sum(seen) from users")).isZero();
        }
    }

    @Test
    void theExceptionSaysWhyAndNeverWhat() throws SQLException {
        try (Shop shop = Shop.limiting("token_bucket: {capacity: 1, rate: 1/s}", "strategy: abort");
                Connection connection = shop.connect(); Statement statement = connection.createStatement()) {
            statement.executeQuery(SELECT).close();
            SqlThrottledException thrown = catchThrowableOfType(SqlThrottledException.class, () -> statement.executeQuery(SELECT));
            assertThat((Throwable) thrown).isInstanceOf(SQLTransientException.class);
            assertThat(thrown.getSQLState()).isEqualTo("53400");
            assertThat(thrown.getErrorCode()).isZero();
            assertThat(thrown.getRule()).isEqualTo("users");
            assertThat(thrown.getReason()).isEqualTo(Reason.OVER_LIMIT);
            assertThat(thrown.getRetryAfter()).isEqualTo(Duration.ofSeconds(1));
            assertThat(thrown.getRetryAfterMillis()).isEqualTo(1000);
            assertThat(thrown.getFingerprint()).isEqualTo(shop.throttle.fingerprint(SELECT));
            assertThat(thrown.getMessage()).contains("users").doesNotContain("select").doesNotContain("name");
            shop.clock.advance(thrown.getRetryAfter());
            statement.executeQuery(SELECT).close();
        }
    }

    @Test
    void aTransactionGoesOnWithoutWhatWasAborted() throws SQLException {
        String rules = "rules: [{name: users, match: {tables: users, kinds: select}, limit: {block: true}}]";
        try (Shop shop = Shop.with(rules); Connection connection = shop.connect(); Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.executeUpdate(UPDATE);
            assertThatThrownBy(() -> statement.executeQuery(SELECT)).isInstanceOf(SqlThrottledException.class);
            connection.commit();
            assertThat(shop.count("select sum(seen) from users")).isEqualTo(1);
        }
    }

    @Test
    void aThrottleThatIsClosedRefusesAsJdbcExpects() throws SQLException {
        try (Shop shop = Shop.aborting(); Connection connection = shop.connect(); Statement statement = connection.createStatement()) {
            shop.throttle.close();
            assertThatThrownBy(() -> statement.executeQuery(SELECT)).isInstanceOf(SQLNonTransientException.class)
                    .hasMessageContaining("closed");
        }
    }

    @Test
    void whatTheProgramsOwnCodeSaysStaysTheCause() throws SQLException {
        try (Shop shop = Shop.with("{}", options -> options.context(() -> {
            throw new IllegalStateException("ann's token");
        })); Connection connection = shop.connect(); Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.executeQuery("select id from users")).isInstanceOf(SQLException.class)
                    .hasMessageContaining("IllegalStateException").hasMessageNotContaining("token").hasRootCauseMessage("ann's token");
        }
    }
}
