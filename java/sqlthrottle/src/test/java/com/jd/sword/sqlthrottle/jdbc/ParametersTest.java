package com.jd.sword.sqlthrottle.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;

import com.jd.sword.sqlthrottle.SqlThrottledException;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Rules that look at a column see what is bound. */
class ParametersTest {
    private static final String BY_CUSTOMER = "rules: [{name: users, per: [\"column:orders.customer\"], "
            + "limit: {fixed_window: {max: 1, window: 1m}}}]";
    private static final String SELECT = "select id from orders where customer = ?";

    @Test
    void eachBoundValueHasALimitOfItsOwn() throws SQLException {
        try (Shop shop = Shop.with(BY_CUSTOMER); Connection connection = shop.connect();
                PreparedStatement select = connection.prepareStatement(SELECT)) {
            select.setInt(1, 7);
            select.executeQuery().close();
            assertThatThrownBy(select::executeQuery).isInstanceOf(SqlThrottledException.class);
            select.setLong(1, 7);
            assertThatThrownBy(select::executeQuery).isInstanceOf(SqlThrottledException.class);
            select.setObject(1, new BigDecimal("7"));
            assertThatThrownBy(select::executeQuery).isInstanceOf(SqlThrottledException.class);
            select.setString(1, "8");
            select.executeQuery().close();
            // Of no value the rule says nothing.
            for (int i = 0; i < 2; i++) {
                select.setNull(1, Types.INTEGER);
                select.executeQuery().close();
            }
        }
    }

    @Test
    void aRuleThatComesLaterSeesWhatIsBoundFromThenOn() throws SQLException {
        try (Shop shop = Shop.with("{}"); Connection connection = shop.connect();
                PreparedStatement select = connection.prepareStatement(SELECT)) {
            select.setInt(1, 7);
            select.executeQuery().close();
            shop.throttle.reload(BY_CUSTOMER);
            select.setInt(1, 7);
            select.executeQuery().close();
            assertThatThrownBy(select::executeQuery).isInstanceOf(SqlThrottledException.class);
            shop.throttle.admin("SET GLOBAL sql_throttle_remove_rule = 'users'");
            select.executeQuery().close();
        }
    }

    @Test
    void clearedParametersAreNotSeen() {
        Parameters parameters = new Parameters();
        parameters.set(9, "nine");
        parameters.set(1, "one");
        assertThat(parameters.list()).containsExactly("one", null, null, null, null, null, null, null, "nine");
        parameters.clear();
        assertThat(parameters.list()).isEmpty();
        parameters.set(0, "none");
        parameters.set(100_000, "too many");
        assertThat(parameters.list()).isEmpty();
    }

    @Test
    void valuesReadAsConstantsOfThemWould() {
        assertThat(Parameters.text("x")).isEqualTo("x");
        assertThat(Parameters.text(7L)).isEqualTo("7");
        assertThat(Parameters.text(new BigDecimal("1E+3"))).isEqualTo("1000");
        assertThat(Parameters.text(new UUID(0, 1))).isEqualTo("00000000-0000-0000-0000-000000000001");
        assertThat(Parameters.text(java.sql.Date.valueOf("2026-01-31"))).isEqualTo("2026-01-31");
        assertThat(Parameters.text(new byte[] {1})).isNull();
        assertThat(Parameters.text(null)).isNull();
    }

    @Test
    void whateverIsBoundTakesThePlaceOfWhatWasBefore() throws Exception {
        try (Shop shop = Shop.with(BY_CUSTOMER)) {
            ThrottledCallableStatement call = new ThrottledCallableStatement(shop.connection(), mock(CallableStatement.class), SELECT);
            for (Class<?> type : List.of(PreparedStatement.class, CallableStatement.class)) {
                for (Method setter : type.getDeclaredMethods()) {
                    if (setter.getName().startsWith("set")) {
                        call.setString(1, "stale");
                        Object[] arguments = Arrays.stream(setter.getParameterTypes()).map(Values::distinct).toArray();
                        arguments[0] = setter.getParameterTypes()[0] == int.class ? 1 : "customer";
                        setter.invoke(call, arguments);
                        assertThat(call.parameters()).as(setter.toString()).doesNotContain("stale");
                    }
                }
            }
        }
    }
}
