package com.jd.sword.sqlthrottle.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.jd.sword.sqlthrottle.Reason;
import com.jd.sword.sqlthrottle.jdbc.ThrottledXADataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

@Shows("XADataSource")
class XaTest extends SourceContract {
    @Override
    DataSource over(Shop shop) throws SQLException {
        return new XaConnections(source(shop));
    }

    private static XADataSource source(Shop shop) throws SQLException {
        return ThrottledXADataSource.of(shop.database.xaDataSource(shop.schema), shop.throttle);
    }

    /** Of a distributed transaction the coordinator's own steps are never checked. */
    @Override
    @OnEveryDatabase
    @Shows("an aborted statement leaves the branch usable, to be committed or rolled back")
    void transaction(Database database) throws Exception {
        try (Shop shop = Shop.on(database, "rules: [{name: users, match: {tables: users}, limit: {block: true}}, "
                + "{name: all, match: {kinds: [transaction]}, limit: {block: true}}]")) {
            XAConnection xa = source(shop).getXAConnection();
            try (Connection connection = xa.getConnection(); Statement statement = connection.createStatement()) {
                Xid committed = begin(xa, 1);
                statement.executeUpdate("insert into orders (customer) values (1)");
                assertAborted(() -> statement.executeUpdate(Shop.UPDATE), Reason.BLOCKED);
                statement.executeUpdate("insert into orders (customer) values (2)");
                xa.getXAResource().end(committed, XAResource.TMSUCCESS);
                xa.getXAResource().commit(committed, true);
                assertThat(shop.count("orders")).isEqualTo(2);

                Xid rolledBack = begin(xa, 2);
                statement.executeUpdate("insert into orders (customer) values (3)");
                assertAborted(() -> statement.executeUpdate(Shop.UPDATE), Reason.BLOCKED);
                xa.getXAResource().end(rolledBack, XAResource.TMFAIL);
                xa.getXAResource().rollback(rolledBack);
                assertThat(shop.count("orders")).isEqualTo(2);
                assertThat(shop.seen()).isZero();
            } finally {
                xa.close();
            }
        }
    }

    private static Xid begin(XAConnection xa, int branch) throws SQLException, XAException {
        Xid xid = new Branch(branch);
        xa.getXAResource().start(xid, XAResource.TMNOFLAGS);
        return xid;
    }
}
