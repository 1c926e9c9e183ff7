package com.jd.sword.mybatis.plugin.protector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import com.jd.sword.mybatis.plugin.protector.exception.ProtectionAbortException;
import com.jd.sword.mybatis.plugin.protector.strategy.DelayPolicy;
import com.jd.sword.mybatis.plugin.protector.strategy.IgnorePolicy;
import com.jd.sword.sqlthrottle.Dialect;
import com.jd.sword.sqlthrottle.ManualClock;
import com.jd.sword.sqlthrottle.Throttle;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ibatis.cursor.Cursor;
import org.apache.ibatis.executor.Executor;
import org.apache.ibatis.executor.statement.StatementHandler;
import org.apache.ibatis.mapping.BoundSql;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.mapping.SqlCommandType;
import org.apache.ibatis.plugin.Interceptor;
import org.apache.ibatis.plugin.Intercepts;
import org.apache.ibatis.plugin.Invocation;
import org.apache.ibatis.plugin.Plugin;
import org.apache.ibatis.plugin.Signature;
import org.apache.ibatis.scripting.xmltags.XMLLanguageDriver;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.ResultHandler;
import org.apache.ibatis.session.RowBounds;
import org.apache.ibatis.session.SqlSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The plugin by itself, called as MyBatis' own proxies do: no database is there. */
class PluginTest {
    private static final List<Object> ROWS = Arrays.asList("a", "b");

    private final Configuration configuration = new Configuration();
    private final ManualClock clock = new ManualClock();
    private final Executor executor = mock(Executor.class);

    @AfterEach
    void closeClock() {
        clock.close();
    }

    private SQLBasedDatabaseProtectorPlugin plugin(ThresholdConfig config) {
        return SQLBasedDatabaseProtectorPlugin.builder().thresholds(fingerprint -> config).dialect(Dialect.MYSQL).clock(clock).build();
    }

    private MappedStatement statement(SqlCommandType type, String sql) {
        return new MappedStatement.Builder(configuration, "shop.Orders.statement",
                new XMLLanguageDriver().createSqlSource(configuration, sql, null), type).resultMaps(Collections.emptyList()).build();
    }

    private MappedStatement select(String sql) {
        return statement(SqlCommandType.SELECT, sql);
    }

    private Invocation query(MappedStatement statement) throws Exception {
        when(executor.query(any(), any(), any(), any())).thenReturn(ROWS);
        return new Invocation(executor, Executor.class.getMethod("query", MappedStatement.class, Object.class, RowBounds.class,
                ResultHandler.class), new Object[] {statement, null, RowBounds.DEFAULT, null});
    }

    private Invocation update(MappedStatement statement) throws Exception {
        when(executor.update(any(), any())).thenReturn(1);
        return new Invocation(executor, Executor.class.getMethod("update", MappedStatement.class, Object.class), new Object[] {statement, null});
    }

    @Test
    void ofThreeHundredAndTenAtTenAndTwoThirdsExactlyAHundredAndTenPass() throws Throwable {
        ThresholdConfig config = ThresholdConfig.builder(10).rate("2/3").build();
        int passed = 0;
        int aborted = 0;
        try (SQLBasedDatabaseProtectorPlugin plugin = plugin(config)) {
            for (int i = 0; i < 310; i++) {
                // A constant of its own each time: the shape is the same.
                Invocation call = query(select("select * from orders where id = " + i));
                try {
                    assertThat(plugin.intercept(call)).isEqualTo(ROWS);
                    passed++;
                } catch (ProtectionAbortException e) {
                    assertThat(e.getLimit()).isEqualTo(10);
                    aborted++;
                }
            }
        }
        assertThat(passed).isEqualTo(110);
        assertThat(aborted).isEqualTo(200);
        verify(executor, times(110)).query(any(), any(), any(), any());
    }

    @Test
    void theWindowMovesOn() throws Throwable {
        Invocation call = query(select("select 1 from orders"));
        try (SQLBasedDatabaseProtectorPlugin plugin = plugin(ThresholdConfig.builder(1).window(Duration.ofSeconds(12)).build())) {
            plugin.intercept(call);
            assertThatThrownBy(() -> plugin.intercept(call)).isInstanceOfSatisfying(ProtectionAbortException.class, e -> {
                assertThat(e.getCount()).isEqualTo(2);
                assertThat(e.getFingerprint()).isEqualTo(plugin.throttle().fingerprint("select 1 from orders", Dialect.MYSQL));
                assertThat(e.getRule()).isEqualTo("threshold:" + e.getFingerprint().substring(0, 12));
                assertThat(e.getRetryAfter()).isPositive();
                assertThat(e.getMessage()).doesNotContain("orders");
            });
            clock.advance(Duration.ofSeconds(30));
            plugin.intercept(call);
        }
    }

    @Test
    void whatIsIgnoredIsNotSent() throws Throwable {
        Invocation query = query(select("select name from users"));
        Invocation update = update(statement(SqlCommandType.UPDATE, "update users set seen = 1"));
        Invocation cursor = new Invocation(executor, Executor.class.getMethod("queryCursor", MappedStatement.class, Object.class, RowBounds.class),
                new Object[] {select("select seen from users"), null, RowBounds.DEFAULT});
        try (SQLBasedDatabaseProtectorPlugin plugin = plugin(ThresholdConfig.builder(1).strategy(new IgnorePolicy()).build())) {
            plugin.intercept(query);
            assertThat(plugin.intercept(query)).isEqualTo(Collections.emptyList());
            assertThat(plugin.intercept(update)).isEqualTo(1);
            assertThat(plugin.intercept(update)).isEqualTo(0);
            plugin.intercept(cursor);
            assertThat((Cursor<?>) plugin.intercept(cursor)).isEmpty();
        }
        verify(executor, times(1)).query(any(), any(), any(), any());
        verify(executor, times(1)).update(any(), any());
        verify(executor, times(1)).queryCursor(any(), any(), any());
    }

    @Test
    void whatIsDelayedIsSentLater() throws Throwable {
        Invocation call = query(select("select name from users"));
        ThresholdConfig config = ThresholdConfig.builder(1).strategy(new DelayPolicy()).delay(Duration.ofHours(1)).build();
        try (SQLBasedDatabaseProtectorPlugin plugin = plugin(config)) {
            plugin.intercept(call);
            Background<?> waiting = Background.start(() -> {
                try {
                    return plugin.intercept(call);
                } catch (Throwable e) {
                    throw new Exception(e);
                }
            }).awaitDelayed();
            waiting.interrupt();
            waiting.failure();
            assertThat(waiting.wasInterrupted()).isTrue();
        }
        verify(executor, times(1)).query(any(), any(), any(), any());
    }

    @Test
    void aShapeIsCountedByItself() throws Throwable {
        try (SQLBasedDatabaseProtectorPlugin plugin = plugin(ThresholdConfig.of(1))) {
            List<String> shapes = Arrays.asList("select * from a", "select * from b", "SELECT x FROM a", "select x from a where y = 'z'",
                    "select x from a where y in (1, 2)", "select x from a order by 1", "select x from a limit 1",
                    "select `from` from a", "", "no sql at all", "select \u00e4 from \ud83d\ude00", "select 'unclosed", "/* nothing */",
                    "insert into a values (1)", "with c as (select 1) select * from c");
            for (String shape : shapes) {
                plugin.intercept(query(mapped(shape)));
                assertThatThrownBy(() -> plugin.intercept(query(mapped(shape)))).as(shape).isInstanceOf(ProtectionAbortException.class);
            }
            List<String> same = Arrays.asList("select  *\nfrom a", "SELECT * FROM A -- again", "select x from a where y = ?",
                    "select x from a where y in (3)", "insert into a values (2), (3)");
            for (String again : same) {
                assertThatThrownBy(() -> plugin.intercept(query(mapped(again)))).as(again).isInstanceOf(ProtectionAbortException.class);
            }
        }
    }

    /** Of a text that is no statement of MyBatis, and taken as it is. */
    private MappedStatement mapped(String sql) {
        return new MappedStatement.Builder(configuration, "shop.Orders.any",
                parameter -> new BoundSql(configuration, sql, Collections.emptyList(), parameter), SqlCommandType.SELECT)
                .resultMaps(Collections.emptyList()).build();
    }

    @Test
    void anInvocationThatIsProceededIsTheOneThatWasGiven() throws Throwable {
        Invocation call = mock(Invocation.class);
        when(call.getTarget()).thenReturn(executor);
        when(call.getMethod()).thenReturn(Executor.class.getMethod("update", MappedStatement.class, Object.class));
        when(call.getArgs()).thenReturn(new Object[] {statement(SqlCommandType.UPDATE, "update users set seen = 1"), null});
        when(call.proceed()).thenReturn(7);
        try (SQLBasedDatabaseProtectorPlugin plugin = plugin(ThresholdConfig.of(1))) {
            assertThat(plugin.intercept(call)).isEqualTo(7);
            assertThatThrownBy(() -> plugin.intercept(call)).isInstanceOf(ProtectionAbortException.class);
        }
        verify(call, times(1)).proceed();
        verify(executor, never()).update(any(), any());
    }

    @Test
    void aHandlerIsDecidedOnByItself() throws Throwable {
        StatementHandler handler = mock(StatementHandler.class);
        Statement sent = mock(Statement.class);
        when(handler.getBoundSql()).thenReturn(new BoundSql(configuration, "update users set seen = 1", Collections.emptyList(), null));
        when(handler.update(sent)).thenReturn(3);
        Invocation call = new Invocation(handler, StatementHandler.class.getMethod("update", Statement.class), new Object[] {sent});
        Invocation batch = new Invocation(handler, StatementHandler.class.getMethod("batch", Statement.class), new Object[] {sent});
        try (SQLBasedDatabaseProtectorPlugin plugin = plugin(ThresholdConfig.builder(2).strategy(new IgnorePolicy()).build())) {
            assertThat(plugin.intercept(call)).isEqualTo(3);
            assertThat(plugin.intercept(batch)).isNull();
            assertThatThrownBy(() -> plugin.intercept(call)).as("nothing can be made up here").isInstanceOf(ProtectionAbortException.class);
            assertThatThrownBy(() -> plugin.intercept(batch)).isInstanceOf(ProtectionAbortException.class);
        }
        verify(handler, times(1)).update(sent);
        verify(handler, times(1)).batch(sent);
    }

    @Test
    void proxiesOfMyBatisCallIt() throws Throwable {
        when(executor.query(any(), any(), any(), any())).thenReturn(ROWS);
        try (SQLBasedDatabaseProtectorPlugin plugin = plugin(ThresholdConfig.of(1))) {
            Executor wrapped = (Executor) Plugin.wrap(executor, plugin);
            MappedStatement statement = select("select name from users");
            assertThat(wrapped.query(statement, null, RowBounds.DEFAULT, null)).isEqualTo(ROWS);
            assertThatThrownBy(() -> wrapped.query(statement, null, RowBounds.DEFAULT, null)).isInstanceOf(ProtectionAbortException.class);
        }
    }

    @Test
    void theSessionOfAMapperIsAskedNoFurther() throws Throwable {
        configuration.addMapper(Users.class);
        SqlSession session = mock(SqlSession.class);
        AtomicInteger calls = new AtomicInteger();
        try (SQLBasedDatabaseProtectorPlugin plugin = plugin(ThresholdConfig.of(2))) {
            configuration.addInterceptor(plugin);
            when(session.getConfiguration()).thenReturn(configuration);
            when(session.update(anyString(), any())).thenAnswer(call -> {
                calls.incrementAndGet();
                Executor intercepted = (Executor) configuration.getInterceptors().get(0).plugin(mockedWith(plugin));
                return intercepted.update(configuration.getMappedStatement(call.getArgument(0)), call.getArgument(1));
            });
            Users users = configuration.getMapper(Users.class, session);
            assertThat(users.see(1)).isEqualTo(4);
            assertThat(users.see(2)).isEqualTo(4);
            assertThat(catchThrowable(() -> users.see(3))).isInstanceOf(ProtectionAbortException.class);
            assertThat(calls).hasValue(3);
        }
    }

    /** An executor that makes a handler as those of MyBatis do, and sends nothing. */
    private Executor mockedWith(Interceptor plugin) throws Exception {
        Executor mocked = mock(Executor.class);
        when(mocked.update(any(), any())).thenAnswer(call -> {
            MappedStatement statement = call.getArgument(0);
            statement.getConfiguration().newStatementHandler(mocked, statement, call.getArgument(1), RowBounds.DEFAULT, null, null);
            return 4;
        });
        return mocked;
    }

    @Test
    void itSaysWhatItIntercepts() {
        Signature[] signatures = SQLBasedDatabaseProtectorPlugin.class.getAnnotation(Intercepts.class).value();
        assertThat(signatures).extracting(signature -> signature.type().getSimpleName() + "." + signature.method() + signature.args().length)
                .containsExactlyInAnyOrder("Executor.query4", "Executor.query6", "Executor.queryCursor3", "Executor.update2",
                        "StatementHandler.query2", "StatementHandler.queryCursor1", "StatementHandler.update1", "StatementHandler.batch1");
    }

    @Test
    void whatItDoesNotInterceptIsLeftAlone() throws Throwable {
        Object any = new Object();
        try (SQLBasedDatabaseProtectorPlugin plugin = plugin(ThresholdConfig.of(1))) {
            assertThat(plugin.plugin(any)).isSameAs(any);
            Invocation commit = new Invocation(executor, Executor.class.getMethod("commit", boolean.class), new Object[] {true});
            plugin.intercept(commit);
            verify(executor).commit(true);
        }
    }

    @Test
    void aThrottleThatWasGivenStaysOpenAndAnOwnOneDoesNot() {
        try (Throttle given = Throttle.of("{}")) {
            SQLBasedDatabaseProtectorPlugin sharing = new SQLBasedDatabaseProtectorPlugin(given);
            assertThat(sharing.throttle()).isSameAs(given);
            sharing.close();
            assertThat(given.isClosed()).isFalse();
        }
        SQLBasedDatabaseProtectorPlugin owning = plugin(ThresholdConfig.of(1));
        Throttle own = owning.throttle();
        owning.close();
        owning.close();
        assertThat(own.isClosed()).isTrue();
        SQLBasedDatabaseProtectorPlugin never = plugin(ThresholdConfig.of(1));
        never.close();
        assertThatThrownBy(never::throttle).isInstanceOf(IllegalStateException.class).hasMessage("the plugin is closed");
    }
}
