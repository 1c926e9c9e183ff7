package com.jd.sword.sqlthrottle.integration.mybatis;

import static com.jd.sword.sqlthrottle.integration.Shop.USERS;
import static com.jd.sword.sqlthrottle.integration.mybatis.Mappers.users;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.github.pagehelper.Page;
import com.github.pagehelper.PageHelper;
import com.github.pagehelper.PageInfo;
import com.github.pagehelper.PageInterceptor;
import com.jd.sword.mybatis.plugin.protector.exception.ProtectionAbortException;
import com.jd.sword.sqlthrottle.Reason;
import com.jd.sword.sqlthrottle.SqlThrottledException;
import com.jd.sword.sqlthrottle.integration.Database;
import com.jd.sword.sqlthrottle.integration.OnEveryDatabase;
import com.jd.sword.sqlthrottle.integration.Rules;
import com.jd.sword.sqlthrottle.integration.Shop;
import com.jd.sword.sqlthrottle.integration.Shows;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.SqlSession;

/** T17 and T18: what PageHelper sends for a page, and what it makes of one that is not sent, wherever it stands. */
abstract class PageHelperContract extends MapperContract {
    /** Of a page, and not of what counts its rows. */
    private static final String PAGE = "rules: [{name: users, match: {pattern: '^select name'}, limit: {block: true}, then: {strategy: %s}}]";
    private static final String COUNT = "rules: [{name: users, match: {pattern: '^select count'}, limit: {block: true}, then: {strategy: %s}}]";

    /** Whether it is added before the plugin, and so stands behind it. */
    abstract boolean isFirst();

    @Override
    Mappers over(Shop shop, ExecutorType type) {
        return new Mappers(shop, type, shop.raw, new Configuration(), (configuration, plugin) -> {
            if (!isFirst()) {
                configuration.addInterceptor(plugin);
            }
            configuration.addInterceptor(pages(shop.database));
            if (isFirst()) {
                configuration.addInterceptor(plugin);
            }
        });
    }

    private static PageInterceptor pages(Database database) {
        PageInterceptor pages = new PageInterceptor();
        Properties properties = new Properties();
        properties.setProperty("helperDialect", database.name().toLowerCase(Locale.ROOT));
        properties.setProperty("banner", "false");
        pages.setProperties(properties);
        return pages;
    }

    private static List<String> firstTwo(SqlSession session) {
        PageHelper.startPage(1, 2);
        return users(session).names();
    }

    private static void assertIsFirstTwo(List<String> names) {
        assertThat(names).isInstanceOf(Page.class).containsExactly("user 1", "user 2");
        assertThat(((Page<?>) names).getTotal()).isEqualTo(USERS);
    }

    @Override
    @OnEveryDatabase
    @Shows("as without; of a page, the count and the page")
    void count(Database database) throws Exception {
        super.count(database);
        try (Shop shop = Shop.on(database, COUNTING); Mappers mappers = over(shop)) {
            assertSends(shop, 2, () -> assertIsFirstTwo(mappers.call(PageHelperContract::firstTwo)));
            assertSends(shop, 1, () -> mappers.call(session -> {
                PageHelper.startPage(1, 2, false);
                return users(session).names();
            }));
            // T19: the count has an executor that no interceptor is around.
            assertSends(shop, 2, () -> assertIsFirstTwo(mappers.call(session -> {
                PageHelper.startPage(1, 2).enableAsyncCount();
                return users(session).names();
            })));
        }
    }

    @Override
    @OnEveryDatabase
    @Shows("as without; of the count too, in another thread too")
    void abort(Database database) throws Exception {
        super.abort(database);
        try (Shop shop = Shop.on(database, Rules.ABORT); Mappers mappers = over(shop)) {
            assertAborted(() -> mappers.call(PageHelperContract::firstTwo), Reason.BLOCKED);
            shop.throttle.reload(String.format(COUNT, "abort"));
            assertAborted(() -> mappers.call(PageHelperContract::firstTwo), Reason.BLOCKED);
            assertAborted(() -> mappers.call(session -> {
                PageHelper.startPage(1, 2).enableAsyncCount();
                return users(session).names();
            }), Reason.BLOCKED);
            assertThat(mappers.<List<String>>call(session -> users(session).names())).hasSize(USERS);
        }
    }

    @Override
    @OnEveryDatabase
    @Shows("as without; a page: an empty `Page`, its total 0 where the count is ignored")
    void ignore(Database database) throws Exception {
        super.ignore(database);
        try (Shop shop = Shop.on(database, IGNORE); Mappers mappers = over(shop)) {
            mappers.inTransaction(session -> {
                assertEmpty(firstTwo(session), 0);
                shop.throttle.reload(String.format(PAGE, "ignore"));
                assertEmpty(firstTwo(session), USERS);
                assertThat(PageHelper.startPage(1, 2).doSelectPage(() -> users(session).names()).getResult()).isEmpty();
                PageHelper.startPage(1, 2, false);
                assertThat(users(session).names()).isEmpty();
                shop.throttle.reload(String.format(COUNT, "ignore"));
                session.clearCache();
                assertEmpty(firstTwo(session), 0);
                shop.throttle.reload(Rules.NONE);
                assertIsFirstTwo(firstTwo(session));
                // No page is left over for who did not ask for it.
                assertThat(users(session).names()).hasSize(USERS);
            });
        }
    }

    private static void assertEmpty(List<String> names, int total) {
        assertThat(names).isEmpty();
        Page<String> page = (Page<String>) names;
        assertThat(page.getTotal()).isEqualTo(total);
        assertThat(page.getPageSize()).isEqualTo(2);
        assertThat(PageInfo.of(names).getTotal()).isEqualTo(total);
    }

    /** A strategy of the program's own may have the same page read after all. */
    @OnEveryDatabase
    void aStrategyThatProceedsReadsThePage(Database database) throws Exception {
        String rules = String.format(PAGE, "'custom:later'");
        try (Shop shop = Shop.on(database, rules); Mappers mappers = over(shop)) {
            assertIsFirstTwo(mappers.call(PageHelperContract::firstTwo));
        }
    }

    /** T19: it is in another thread, whose result nobody can make up: the caller is told. */
    @OnEveryDatabase
    void anAsynchronousCountThatIsIgnoredIsAborted(Database database) throws Exception {
        try (Shop shop = Shop.on(database, String.format(COUNT, "ignore")); Mappers mappers = over(shop)) {
            Throwable failure = catchThrowable(() -> mappers.call(session -> {
                PageHelper.startPage(1, 2).enableAsyncCount();
                return users(session).names();
            }));
            assertThat(ProtectionAbortException.in(failure)).get().extracting(ProtectionAbortException::getReason)
                    .isEqualTo(Reason.IGNORE_UNAVAILABLE);
            assertThat(failure).hasRootCauseExactlyInstanceOf(SqlThrottledException.class);
        }
    }
}
