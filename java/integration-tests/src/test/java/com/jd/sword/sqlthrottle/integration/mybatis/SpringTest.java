package com.jd.sword.sqlthrottle.integration.mybatis;

import static com.jd.sword.sqlthrottle.integration.mybatis.Mappers.users;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.jd.sword.sqlthrottle.Reason;
import com.jd.sword.sqlthrottle.SqlThrottledException;
import com.jd.sword.sqlthrottle.integration.Database;
import com.jd.sword.sqlthrottle.integration.OnEveryDatabase;
import com.jd.sword.sqlthrottle.integration.Rules;
import com.jd.sword.sqlthrottle.integration.Shop;
import com.jd.sword.sqlthrottle.integration.Shows;
import java.sql.SQLNonTransientException;
import java.util.function.Consumer;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.transaction.TransactionFactory;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.mybatis.spring.SqlSessionTemplate;
import org.mybatis.spring.transaction.SpringManagedTransactionFactory;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

@Shows("mybatis-spring, `SqlSessionTemplate`")
class SpringTest extends MapperContract {
    @Override
    Mappers over(Shop shop, ExecutorType type) {
        return new SpringMappers(shop, type);
    }

    /** T21: by its SQLState, as all else that JDBC throws. */
    @Override
    @OnEveryDatabase
    @Shows("`DataAccessResourceFailureException`, its cause a `SqlThrottledException`; the transaction serves on")
    void abort(Database database) throws Exception {
        super.abort(database);
    }

    @Override
    void assertAborted(ThrowingCallable call, Reason reason) {
        Throwable failure = catchThrowable(call);
        assertThat(failure).isExactlyInstanceOf(DataAccessResourceFailureException.class);
        assertThrottled(failure.getCause(), reason);
    }

    @Override
    void assertInterrupted(Throwable failure) {
        assertThat(failure).isExactlyInstanceOf(UncategorizedSQLException.class).hasCauseExactlyInstanceOf(SQLNonTransientException.class)
                .hasRootCauseInstanceOf(InterruptedException.class);
        assertThat(failure.getCause()).hasCauseExactlyInstanceOf(SqlThrottledException.class);
    }

    /** T22: its session is over when the mapper returns, and so is what it holds. */
    @Override
    @OnEveryDatabase
    @Shows("its place is held until it is read to its end or closed; outside of a transaction none is")
    void cursor(Database database) throws Exception {
        super.cursor(database);
        try (Shop shop = Shop.on(database, Rules.ONE_PLACE); Mappers mappers = over(shop)) {
            assertThat(mappers.call(session -> users(session).cursor()).isOpen()).isFalse();
            assertThat(shop.held()).isZero();
        }
    }

    private static final class SpringMappers extends Mappers {
        private final SqlSessionTemplate template;
        private final TransactionTemplate transactions;

        SpringMappers(Shop shop, ExecutorType type) {
            super(shop, type);
            template = new SqlSessionTemplate(factory, type);
            transactions = new TransactionTemplate(new DataSourceTransactionManager(connections));
        }

        @Override
        TransactionFactory transactions() {
            return new SpringManagedTransactionFactory();
        }

        @Override
        <T> T call(Work<T> work) throws Exception {
            return work.in(template);
        }

        @Override
        void inTransaction(Consumer<SqlSession> work) {
            transactions.executeWithoutResult(status -> work.accept(template));
        }
    }
}
