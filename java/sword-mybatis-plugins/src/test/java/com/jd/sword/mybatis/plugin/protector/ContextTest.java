package com.jd.sword.mybatis.plugin.protector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jd.sword.sqlthrottle.AmbientContext;
import com.jd.sword.sqlthrottle.StatementContext;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.CallableStatement;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.type.BaseTypeHandler;
import org.apache.ibatis.type.JdbcType;
import org.junit.jupiter.api.Test;

/** What rules know of a statement besides its text: who sends it, and what it is bound to. */
class ContextTest {
    private static String per(String what) {
        return "rules: [{name: users, per: [\"" + what + "\"], limit: {fixed_window: {max: 1, window: 1m}}}]";
    }

    @Test
    void eachBoundValueHasALimitOfItsOwn() throws Exception {
        try (Shop shop = Shop.with(per("column:users.id")); SqlSession session = shop.session()) {
            Users users = session.getMapper(Users.class);
            users.name(1);
            users.name(2);
            session.clearCache();
            assertThatThrownBy(() -> users.name(1)).satisfies(ExecutionTest::isAborted);
            users.see(3);
            assertThatThrownBy(() -> users.see(3)).satisfies(ExecutionTest::isAborted);
        }
    }

    @Test
    void soHasEachOfAListAndOfAnObject() throws Exception {
        try (Shop shop = Shop.with(per("column:users.id")); SqlSession session = shop.session()) {
            Users users = session.getMapper(Users.class);
            assertThat(users.among(Arrays.asList(1, 2))).hasSize(2);
            assertThatThrownBy(() -> users.among(Arrays.asList(3, 2))).satisfies(ExecutionTest::isAborted);
        }
        try (Shop shop = Shop.with("rules: [{name: users, match: {columns: {users.id: [7]}}, limit: {block: true}}]");
                SqlSession session = shop.session()) {
            assertThat(session.getMapper(Users.class).name(6)).isNull();
            assertThatThrownBy(() -> session.getMapper(Users.class).name(7)).satisfies(ExecutionTest::isAborted);
        }
    }

    @Test
    void whoSendsItIsAskedEachTimeAndTheAmbientContextGoesFirst() throws Exception {
        AtomicReference<StatementContext> sender = new AtomicReference<>(StatementContext.of("ann", null));
        try (Shop shop = Shop.with(per("user"))) {
            SQLBasedDatabaseProtectorPlugin plugin =
                    SQLBasedDatabaseProtectorPlugin.builder().throttle(shop.throttle).context(sender::get).build();
            SqlSessionFactory factory = shop.factory(shop.source, options -> options.addInterceptor(plugin));
            try (SqlSession session = factory.openSession()) {
                Users users = session.getMapper(Users.class);
                users.see(1);
                assertThatThrownBy(() -> users.see(1)).satisfies(ExecutionTest::isAborted);
                sender.set(StatementContext.of("bob", null));
                users.see(1);
                AmbientContext.run(StatementContext.of("cat", null), () -> users.see(1));
                sender.set(null);
                users.see(1);
                assertThatThrownBy(() -> users.see(1)).satisfies(ExecutionTest::isAborted);
            }
        }
    }

    @Test
    void oneThatFailsIsAFailureOfTheStatementAndSaysNothing() throws Exception {
        try (Shop shop = Shop.with("{}")) {
            SQLBasedDatabaseProtectorPlugin plugin = SQLBasedDatabaseProtectorPlugin.builder().throttle(shop.throttle).context(() -> {
                throw new IllegalStateException("secret");
            }).build();
            SqlSessionFactory factory = shop.factory(shop.source, options -> options.addInterceptor(plugin));
            try (SqlSession session = factory.openSession()) {
                assertThatThrownBy(() -> session.getMapper(Users.class).see(1)).hasCauseInstanceOf(SQLNonTransientException.class)
                        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("secret"));
            }
        }
    }

    @Test
    void whatCanBeReadOnlyOnceIsLeftForTheDatabase() throws Exception {
        try (Shop shop = Shop.with(per("column:orders.item"), options -> options.addMapper(Letters.class)); SqlSession session = shop.session()) {
            session.getMapper(Letters.class).insert(new ByteArrayInputStream("jug".getBytes(StandardCharsets.UTF_8)));
            session.commit();
            assertThat(shop.count("orders where item = 'jug'")).isEqualTo(1);
        }
    }

    interface Letters {
        @Insert("insert into orders (customer, item) values (3, #{letters, typeHandler=com.jd.sword.mybatis.plugin.protector.ContextTest$Reading})")
        int insert(@Param("letters") InputStream letters);
    }

    /** Binds what it reads. */
    public static final class Reading extends BaseTypeHandler<InputStream> {
        @Override
        public void setNonNullParameter(PreparedStatement statement, int index, InputStream letters, JdbcType type) throws SQLException {
            try {
                statement.setString(index, new String(letters.readAllBytes(), StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new SQLException(e);
            }
        }

        @Override
        public InputStream getNullableResult(ResultSet rows, String column) {
            return null;
        }

        @Override
        public InputStream getNullableResult(ResultSet rows, int column) {
            return null;
        }

        @Override
        public InputStream getNullableResult(CallableStatement statement, int column) {
            return null;
        }
    }
}
