package com.jd.sword.sqlthrottle.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jd.sword.sqlthrottle.Reason;
import com.jd.sword.sqlthrottle.jdbc.InTransaction;
import com.jd.sword.sqlthrottle.jdbc.ThrottledDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

@Shows("JDBC")
class PlainJdbcTest extends SourceContract {
    @Override
    DataSource over(Shop shop) {
        return ThrottledDataSource.of(shop.raw, shop.throttle);
    }

    @OnEveryDatabase
    void withinATransactionRulesDoNoMoreThanTheyMay(Database database) throws Exception {
        for (InTransaction mode : new InTransaction[] {InTransaction.BYPASS, InTransaction.DELAY_ONLY}) {
            try (Shop shop = Shop.on(database, Rules.ABORT, options -> options.inTransaction(mode));
                    Connection connection = shop.source.getConnection(); Statement statement = connection.createStatement()) {
                assertAborted(() -> statement.executeUpdate(Shop.UPDATE), Reason.BLOCKED);
                connection.setAutoCommit(false);
                assertThat(statement.executeUpdate(Shop.UPDATE)).isEqualTo(Shop.USERS);
                connection.commit();
                assertThat(shop.seen()).isEqualTo(Shop.USERS);
            }
        }
    }

    /** T8: a connection that is not to be had is the driver's failure, and nobody else's. */
    @OnEveryDatabase
    void aFailureToConnectIsTheDrivers(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.NONE)) {
            SQLException refused = new SQLException("there is none to be had", "08001");
            DataSource source = ThrottledDataSource.of(new Failing(refused), shop.throttle);
            assertThatThrownBy(source::getConnection).isSameAs(refused);
            assertThatThrownBy(() -> source.getConnection("user", "password")).isSameAs(refused);
        }
    }
}
