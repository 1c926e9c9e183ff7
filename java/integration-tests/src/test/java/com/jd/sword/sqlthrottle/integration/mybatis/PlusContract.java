package com.jd.sword.sqlthrottle.integration.mybatis;

import static com.jd.sword.sqlthrottle.integration.Shop.USERS;
import static com.jd.sword.sqlthrottle.integration.mybatis.Mappers.users;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.baomidou.mybatisplus.annotation.DbType;
import com.baomidou.mybatisplus.core.MybatisConfiguration;
import com.baomidou.mybatisplus.core.MybatisSqlSessionFactoryBuilder;
import com.baomidou.mybatisplus.core.metadata.IPage;
import com.baomidou.mybatisplus.core.toolkit.GlobalConfigUtils;
import com.baomidou.mybatisplus.extension.plugins.MybatisPlusInterceptor;
import com.baomidou.mybatisplus.extension.plugins.handler.TenantLineHandler;
import com.baomidou.mybatisplus.extension.plugins.inner.OptimisticLockerInnerInterceptor;
import com.baomidou.mybatisplus.extension.plugins.inner.PaginationInnerInterceptor;
import com.baomidou.mybatisplus.extension.plugins.inner.TenantLineInnerInterceptor;
import com.baomidou.mybatisplus.extension.plugins.pagination.Page;
import com.jd.sword.mybatis.plugin.protector.exception.ProtectionAbortException;
import com.jd.sword.sqlthrottle.Reason;
import com.jd.sword.sqlthrottle.integration.Database;
import com.jd.sword.sqlthrottle.integration.OnEveryDatabase;
import com.jd.sword.sqlthrottle.integration.Rules;
import com.jd.sword.sqlthrottle.integration.Shop;
import com.jd.sword.sqlthrottle.integration.Shows;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.LongValue;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * What MyBatis-Plus sends for a page, a row with a version and a tenant, wherever its interceptor stands. T20: that passes cursors over, so
 * all tests with one show that this plugin does not hang on it.
 */
@ResourceLock("what MyBatis-Plus has in static fields")
abstract class PlusContract extends MapperContract {
    /** Whether it is added before the plugin, and so stands behind it. */
    abstract boolean isFirst();

    @Override
    Mappers over(Shop shop, ExecutorType type) {
        return new PlusMappers(shop, type, isFirst());
    }

    private static IPage<PlusUser> firstTwo(SqlSession session) {
        return session.getMapper(PlusUser.Mapper.class).selectPage(Page.of(1, 2), null);
    }

    @Override
    @OnEveryDatabase
    @Shows("as without; of a page, the count and the page")
    void count(Database database) throws Exception {
        super.count(database);
        try (Shop shop = Shop.on(database, COUNTING); Mappers mappers = over(shop)) {
            assertSends(shop, 2, () -> {
                IPage<PlusUser> page = mappers.call(PlusContract::firstTwo);
                assertThat(page.getRecords()).hasSize(2);
                assertThat(page.getTotal()).isEqualTo(USERS);
            });
            assertSends(shop, 1, () -> mappers.call(session -> session.getMapper(PlusUser.Mapper.class).selectCount(null)));
            assertSends(shop, 2, () -> assertThat(update(mappers)).isEqualTo(1));
            assertThat(shop.seen()).isEqualTo(1);
        }
    }

    /** A row that is selected, and updated where nobody has done so since. */
    private static int update(Mappers mappers) throws Exception {
        return mappers.call(session -> {
            PlusUser.Mapper users = session.getMapper(PlusUser.Mapper.class);
            PlusUser user = users.selectById(1);
            user.setName("another");
            return users.updateById(user);
        });
    }

    @Override
    @OnEveryDatabase
    @Shows("as without; statements of its own mappers and counts of pages too")
    void abort(Database database) throws Exception {
        super.abort(database);
        try (Shop shop = Shop.on(database, Rules.ABORT); Mappers mappers = over(shop)) {
            assertAborted(() -> mappers.call(PlusContract::firstTwo), Reason.BLOCKED);
            assertAborted(() -> mappers.call(session -> session.getMapper(PlusUser.Mapper.class).selectById(1)), Reason.BLOCKED);
            assertAborted(() -> mappers.call(session -> session.getMapper(PlusUser.Mapper.class).insert(new PlusUser())), Reason.BLOCKED);
            // As with any failure, the object is none to try again with.
            PlusUser user = new PlusUser();
            user.setId(1);
            user.setSeen(0);
            assertAborted(() -> mappers.call(session -> session.getMapper(PlusUser.Mapper.class).updateById(user)), Reason.BLOCKED);
            assertThat(user.getSeen()).isEqualTo(1);
            assertThat(shop.seen()).isZero();
        }
    }

    @Override
    @OnEveryDatabase
    @Shows("as without; an empty page, its total 0 where the count is ignored; of a row with a version 0, as of one that has another")
    void ignore(Database database) throws Exception {
        super.ignore(database);
        String updates = "rules: [{name: users, match: {kinds: update}, limit: {block: true}, then: {strategy: ignore}}]";
        try (Shop shop = Shop.on(database, IGNORE); Mappers mappers = over(shop)) {
            mappers.inTransaction(session -> {
                assertEmpty(firstTwo(session), 0);
                shop.throttle.reload("rules: [{name: users, match: {pattern: '^select (id|name)'}, limit: {block: true}, then: {strategy: ignore}}]");
                assertEmpty(firstTwo(session), USERS);
                shop.throttle.reload(Rules.NONE);
                assertThat(firstTwo(session).getRecords()).hasSize(2);
            });
            shop.throttle.reload(updates);
            assertThat(update(mappers)).isZero();
            assertThat(shop.seen()).isZero();
        }
    }

    private static void assertEmpty(IPage<PlusUser> page, int total) {
        assertThat(page.getRecords()).isEmpty();
        assertThat(page.getTotal()).isEqualTo(total);
    }

    /** Queries as MyBatis-Plus rewrites them, before they are handled; other statements as they are mapped, as it does that when they are prepared. */
    @OnEveryDatabase
    void theFingerprintIsThatOfTheTextThatIsHandled(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.blocking("orders", "strategy: abort")); Mappers mappers = over(shop)) {
            assertThat(fingerprint(() -> mappers.call(session -> session.getMapper(PlusOrders.class).all())))
                    .isEqualTo(shop.throttle.fingerprint("select id from orders where customer = 1"));
            assertThat(fingerprint(() -> mappers.call(session -> session.getMapper(PlusOrders.class).giveAway())))
                    .isEqualTo(shop.throttle.fingerprint("update orders set customer = 9"));
            shop.throttle.reload(Rules.NONE);
            mappers.call(session -> users(session).order(1));
            mappers.call(session -> users(session).order(2));
            assertThat(mappers.<Integer>call(session -> session.getMapper(PlusOrders.class).giveAway())).isEqualTo(1);
        }
    }

    private static String fingerprint(ThrowingCallable call) {
        return ProtectionAbortException.in(catchThrowable(call)).orElseThrow().getFingerprint();
    }

    private static final class PlusMappers extends Mappers {
        PlusMappers(Shop shop, ExecutorType type, boolean isFirst) {
            super(shop, type, shop.raw, new MybatisConfiguration(), (configuration, plugin) -> {
                if (!isFirst) {
                    configuration.addInterceptor(plugin);
                }
                configuration.addInterceptor(plus(shop.database));
                if (isFirst) {
                    configuration.addInterceptor(plugin);
                }
            });
        }

        @Override
        SqlSessionFactory factory(Configuration configuration) {
            GlobalConfigUtils.getGlobalConfig(configuration).setBanner(false);
            configuration.addMapper(PlusUser.Mapper.class);
            configuration.addMapper(PlusOrders.class);
            return new MybatisSqlSessionFactoryBuilder().build(configuration);
        }

        private static MybatisPlusInterceptor plus(Database database) {
            MybatisPlusInterceptor plus = new MybatisPlusInterceptor();
            plus.addInnerInterceptor(new TenantLineInnerInterceptor(new FirstCustomer()));
            plus.addInnerInterceptor(new OptimisticLockerInnerInterceptor());
            plus.addInnerInterceptor(new Pages(switch (database) {
                case H2 -> DbType.H2;
                case MARIADB -> DbType.MARIADB;
                case POSTGRESQL -> DbType.POSTGRE_SQL;
            }));
            return plus;
        }
    }

    /** MyBatis-Plus has the counts of all programs in one place, with the configuration that they were made of first. */
    private static final class Pages extends PaginationInnerInterceptor {
        Pages(DbType type) {
            super(type);
            countMsCache.clear();
        }
    }

    /** Whose orders alone are read and written. */
    private static final class FirstCustomer implements TenantLineHandler {
        @Override
        public Expression getTenantId() {
            return new LongValue(1);
        }

        @Override
        public String getTenantIdColumn() {
            return "customer";
        }

        @Override
        public boolean ignoreTable(String table) {
            return !table.equalsIgnoreCase("orders");
        }
    }
}
