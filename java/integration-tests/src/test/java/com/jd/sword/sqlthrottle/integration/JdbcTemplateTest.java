package com.jd.sword.sqlthrottle.integration;

import static com.jd.sword.sqlthrottle.integration.Shop.SELECT;
import static com.jd.sword.sqlthrottle.integration.Shop.UPDATE;
import static com.jd.sword.sqlthrottle.integration.Shop.USERS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.jd.sword.sqlthrottle.Reason;
import com.jd.sword.sqlthrottle.SqlThrottledException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.EmptyResultDataAccessException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowCallbackHandler;
import org.springframework.jdbc.core.StatementCallback;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.rowset.SqlRowSet;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.datasource.init.ScriptStatementFailedException;
import org.springframework.transaction.support.TransactionTemplate;

@Shows("Spring JdbcTemplate")
class JdbcTemplateTest {
    private static final String COUNT = "select count(*) from users";

    @OnEveryDatabase
    @Shows("`DataAccessResourceFailureException`")
    void abort(Database database) throws SQLException {
        try (Shop shop = Shop.on(database, Rules.ABORT)) {
            JdbcTemplate template = new JdbcTemplate(shop.source);
            assertAborted(() -> template.queryForList(SELECT), Reason.BLOCKED);
            assertAborted(() -> template.queryForObject(COUNT, Integer.class), Reason.BLOCKED);
            assertAborted(() -> template.update("update users set seen = ?", 1), Reason.BLOCKED);
            assertAborted(() -> template.execute(UPDATE), Reason.BLOCKED);
            assertThat(shop.seen()).isZero();
            assertThat(template.update("insert into orders (customer) values (?)", 1)).isEqualTo(1);
        }
    }

    @OnEveryDatabase
    @Shows("empty lists and row sets, a count of 0; `queryForObject`: `EmptyResultDataAccessException`")
    void ignore(Database database) throws SQLException {
        try (Shop shop = Shop.on(database, Rules.IGNORE)) {
            JdbcTemplate template = new JdbcTemplate(shop.source);
            assertThat(template.queryForList(SELECT)).isEmpty();
            assertThat(template.query(SELECT, (row, number) -> row.getString("name"))).isEmpty();
            try (Stream<String> names = template.queryForStream(SELECT, (row, number) -> row.getString("name"))) {
                assertThat(names).isEmpty();
            }
            assertThat(template.update(UPDATE)).isZero();
            assertThat(template.batchUpdate("update users set seen = ? where id = ?", List.of(new Object[] {1, 1}, new Object[] {1, 2})))
                    .containsExactly(0, 0);
            assertThat(shop.seen()).isZero();

            // T4: a row set is made of the metadata, so there has to be some.
            SqlRowSet rows = template.queryForRowSet(SELECT);
            assertThat(rows.next()).isFalse();
            assertThat(rows.getMetaData().getColumnCount()).isEqualTo(1);

            // T5: a count that is not there is no count of zero.
            assertThatThrownBy(() -> template.queryForObject(COUNT, Integer.class))
                    .isExactlyInstanceOf(EmptyResultDataAccessException.class);

            assertAborted(() -> template.update(connection -> connection.prepareStatement(
                    "insert into users (id, name) values (9, 'user 9')", new String[] {"id"}), new GeneratedKeyHolder()),
                    Reason.IGNORE_UNAVAILABLE);
            assertThat(shop.count("users")).isEqualTo(USERS);
        }
    }

    /** T4: an earlier run has shown which columns there are, and to show them again costs no round trip. */
    @OnEveryDatabase
    void anIgnoredRowSetHasTheColumnsOfAnEarlierRun(Database database) throws SQLException {
        try (Shop shop = Shop.on(database, Rules.NONE)) {
            JdbcTemplate template = new JdbcTemplate(shop.source);
            String select = "select id, name from users order by id";
            for (int i = 0; i < 3; i++) {
                assertThat(template.queryForList(select)).hasSize(USERS);
            }
            shop.throttle.reload(Rules.IGNORE);
            SqlRowSet rows = template.queryForRowSet(select);
            assertThat(rows.next()).isFalse();
            assertThat(rows.getMetaData().getColumnNames()).extracting(String::toLowerCase).containsExactly("id", "name");
        }
    }

    @OnEveryDatabase
    @Shows("not sent before its time, then as ever")
    void delay(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.DELAYING)) {
            JdbcTemplate template = new JdbcTemplate(shop.source);
            Background<Integer> update = Background.start(() -> template.update(UPDATE)).awaitDelayed();
            assertThat(shop.seen()).isZero();
            shop.clock.advance(Rules.DELAY);
            assertThat(update.get()).isEqualTo(USERS);
            Background<Integer> count = Background.start(() -> template.queryForObject(COUNT, Integer.class)).awaitDelayed();
            shop.clock.advance(Rules.DELAY);
            assertThat(count.get()).isEqualTo(USERS);
        }
    }

    /** T3. */
    @OnEveryDatabase
    @Shows("`Statement.cancel()` and an interrupt: `UncategorizedSQLException`; the interrupt stays")
    void cancel(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.FOR_EVER)) {
            JdbcTemplate template = new JdbcTemplate(shop.source);
            Background<Integer> interrupted = Background.start(() -> template.update(UPDATE)).awaitDelayed();
            interrupted.interrupt();
            assertThat(interrupted.failure()).isExactlyInstanceOf(UncategorizedSQLException.class)
                    .hasCauseExactlyInstanceOf(SQLNonTransientException.class).hasRootCauseInstanceOf(InterruptedException.class);
            assertThat(interrupted.wasInterrupted()).isTrue();

            AtomicReference<Statement> sent = new AtomicReference<>();
            StatementCallback<Integer> keeping = statement -> {
                sent.set(statement);
                return statement.executeUpdate(UPDATE);
            };
            Background<Integer> cancelled = Background.start(() -> template.execute(keeping)).awaitDelayed();
            sent.get().cancel();
            assertThat(cancelled.failure()).isExactlyInstanceOf(UncategorizedSQLException.class)
                    .hasCauseExactlyInstanceOf(SQLException.class).hasRootCauseExactlyInstanceOf(SqlThrottledException.class);
            assertThat(shop.seen()).isZero();
        }
    }

    @OnEveryDatabase
    @Shows("`queryForStream` holds its place until it is closed, a callback that fails none")
    void stream(Database database) throws SQLException {
        try (Shop shop = Shop.on(database, Rules.ONE_PLACE)) {
            JdbcTemplate template = new JdbcTemplate(shop.source);
            template.setFetchSize(1);
            try (Stream<String> names = template.queryForStream(SELECT, (row, number) -> row.getString("name"))) {
                assertThat(names.iterator().next()).isEqualTo("user 1");
                assertThat(shop.held()).isEqualTo(1);
                assertAborted(() -> template.queryForList(SELECT), Reason.OVER_LIMIT);
            }
            assertThat(shop.held()).isZero();
            RowCallbackHandler failing = row -> {
                assertThat(shop.held()).isEqualTo(1);
                throw new IllegalStateException("enough");
            };
            assertThatThrownBy(() -> template.query(SELECT, failing)).isInstanceOf(IllegalStateException.class);
            assertThat(shop.held()).isZero();
        }
    }

    @OnEveryDatabase
    @Shows("`batchUpdate` is one check that weighs as many as it runs: all or nothing")
    void batch(Database database) throws SQLException {
        try (Shop shop = Shop.on(database, Rules.atMost(5))) {
            JdbcTemplate template = new JdbcTemplate(shop.source);
            String update = "update users set seen = ? where id = ?";
            assertThat(template.batchUpdate(update, seen(1, 1, 2, 3))).hasSize(3);
            assertAborted(() -> template.batchUpdate(update, seen(0, 1, 2, 3)), Reason.OVER_LIMIT);
            assertThat(shop.seen()).isEqualTo(3);
            assertThat(template.batchUpdate("update users set seen = 1 where id = 4", "update users set seen = 1 where id = 5"))
                    .containsExactly(1, 1);
            assertAborted(() -> template.update(UPDATE), Reason.OVER_LIMIT);
            assertThat(shop.seen()).isEqualTo(USERS);
        }
    }

    private static List<Object[]> seen(int seen, int... ids) {
        return Arrays.stream(ids).mapToObj(id -> new Object[] {seen, id}).toList();
    }

    @OnEveryDatabase
    @Shows("caught, the rest is committed; not caught, all is rolled back")
    void transaction(Database database) throws SQLException {
        try (Shop shop = Shop.on(database, Rules.ABORT)) {
            JdbcTemplate template = new JdbcTemplate(shop.source);
            TransactionTemplate transactions = new TransactionTemplate(new DataSourceTransactionManager(shop.source));
            transactions.executeWithoutResult(status -> {
                template.update("insert into orders (customer) values (1)");
                assertAborted(() -> template.update(UPDATE), Reason.BLOCKED);
                template.update("insert into orders (customer) values (2)");
            });
            assertThat(shop.count("orders")).isEqualTo(2);
            assertAborted(() -> transactions.executeWithoutResult(status -> {
                template.update("insert into orders (customer) values (3)");
                template.update(UPDATE);
            }), Reason.BLOCKED);
            assertThat(shop.count("orders")).isEqualTo(2);
        }
    }

    @OnEveryDatabase
    @Shows("success, error, abort, a result that is read or not")
    void permits(Database database) throws SQLException {
        try (Shop shop = Shop.on(database, Rules.ONE_PLACE)) {
            JdbcTemplate template = new JdbcTemplate(shop.source);
            for (int i = 0; i < 2; i++) {
                assertThat(template.queryForList(SELECT)).hasSize(USERS);
                assertThat(shop.held()).isZero();
                assertThat(template.update(UPDATE)).isEqualTo(USERS);
                assertThat(shop.held()).isZero();
                assertThat(template.queryForRowSet(SELECT).next()).isTrue();
                assertThat(shop.held()).isZero();
                assertThatThrownBy(() -> template.queryForList("select nothing from users"))
                        .isExactlyInstanceOf(BadSqlGrammarException.class);
                assertThat(shop.held()).isZero();
                template.query(SELECT, rows -> {
                    assertThat(shop.held()).isEqualTo(1);
                    assertAborted(() -> template.update(UPDATE), Reason.OVER_LIMIT);
                });
                assertThat(shop.held()).isZero();
            }
        }
    }

    /** T11: a schema script runs where everything is ignored; its data is like other data. */
    @OnEveryDatabase
    void aSchemaScriptIsExempt(Database database) throws SQLException {
        try (Shop shop = Shop.on(database, "rules: [{name: users, limit: {block: true}}]")) {
            new ResourceDatabasePopulator(script("-- what we sell\ncreate table items (id int primary key);\n"
                    + "create index items_by_id on items (id);")).execute(shop.source);
            assertThat(shop.count("items")).isZero();
            ResourceDatabasePopulator data = new ResourceDatabasePopulator(script("insert into items values (1);"));
            assertThatThrownBy(() -> data.execute(shop.source)).isExactlyInstanceOf(ScriptStatementFailedException.class)
                    .hasCauseExactlyInstanceOf(SqlThrottledException.class);
        }
    }

    private static ByteArrayResource script(String text) {
        return new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void assertAborted(ThrowingCallable action, Reason reason) {
        assertThat(catchThrowable(action)).isExactlyInstanceOf(DataAccessResourceFailureException.class)
                .cause().isExactlyInstanceOf(SqlThrottledException.class)
                .satisfies(e -> SourceContract.assertThrottled((SqlThrottledException) e, reason));
    }
}
