package com.jd.sword.sqlthrottle.integration;

import static com.jd.sword.sqlthrottle.integration.Shop.USERS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.jd.sword.sqlthrottle.Fakes;
import com.jd.sword.sqlthrottle.Reason;
import com.jd.sword.sqlthrottle.SqlThrottledException;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.OptimisticLockException;
import jakarta.persistence.RollbackException;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.hibernate.ScrollMode;
import org.hibernate.ScrollableResults;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.StatelessSession;
import org.hibernate.exception.GenericJDBCException;
import org.hibernate.exception.SQLGrammarException;
import org.hibernate.jpa.HibernatePersistenceConfiguration;

@Shows("Hibernate / JPA")
class HibernateTest {
    private static final String ALL = "select u from User u order by u.id";
    private static final String SEE = "update User u set u.seen = 1";

    private static EntityManagerFactory over(Shop shop) {
        return new HibernatePersistenceConfiguration("shop").managedClass(User.class).managedClass(Order.class)
                .property("hibernate.connection.datasource", shop.source)
                .property("hibernate.jdbc.batch_size", 10)
                .property("hibernate.order_updates", true)
                .createEntityManagerFactory();
    }

    @OnEveryDatabase
    @Shows("`GenericJDBCException`, of queries and of a flush; in `commit()` within a `RollbackException`")
    void abort(Database database) throws SQLException {
        try (Shop shop = Shop.on(database, Rules.ABORT); EntityManagerFactory factory = over(shop)) {
            factory.runInTransaction(entities -> {
                assertAborted(() -> entities.createQuery(ALL, User.class).getResultList(), Reason.BLOCKED);
            });
            try (EntityManager entities = factory.createEntityManager()) {
                assertAborted(() -> entities.find(User.class, 1), Reason.BLOCKED);
                entities.getTransaction().begin();
                assertAborted(() -> entities.createQuery(SEE).executeUpdate(), Reason.BLOCKED);
                entities.getTransaction().rollback();
                entities.getTransaction().begin();
                entities.persist(new User(9, "user 9"));
                assertAborted(entities::flush, Reason.BLOCKED);
                entities.getTransaction().rollback();

                entities.getTransaction().begin();
                entities.persist(new User(10, "user 10"));
                Throwable failure = catchThrowable(() -> entities.getTransaction().commit());
                assertThat(failure).isExactlyInstanceOf(RollbackException.class);
                assertAborted(() -> { throw failure.getCause(); }, Reason.BLOCKED);
            }
            factory.runInTransaction(entities -> entities.persist(new Order(1)));
            assertThat(shop.count("orders")).isEqualTo(1);
            assertThat(shop.count("users")).isEqualTo(USERS);
        }
    }

    @OnEveryDatabase
    @Shows("empty lists, `find` null, a count of 0 of a bulk statement; a flush: `GenericJDBCException`")
    void ignore(Database database) throws SQLException {
        try (Shop shop = Shop.on(database, Rules.blocking("[users, orders]", "strategy: ignore"));
                EntityManagerFactory factory = over(shop)) {
            factory.runInTransaction(entities -> {
                assertThat(entities.createQuery(ALL, User.class).getResultList()).isEmpty();
                assertThat(entities.find(User.class, 1)).isNull();
            });
            // A key that is read back, a row in a batch, and a count.
            assertRefused(factory, entities -> entities.persist(new Order(1)));
            assertRefused(factory, entities -> {
                entities.persist(new User(9, "user 9"));
                entities.flush();
            });
            factory.runInTransaction(entities -> assertThat(entities.createQuery(SEE).executeUpdate()).isZero());
            try (StatelessSession session = factory.unwrap(SessionFactory.class).openStatelessSession()) {
                assertAborted(() -> session.insert(new User(9, "user 9")), Reason.IGNORE_UNAVAILABLE);
            }
            assertThat(shop.count("users")).isEqualTo(USERS);
            assertThat(shop.count("orders")).isZero();
            assertThat(shop.seen()).isZero();
        }
    }

    private static void assertRefused(EntityManagerFactory factory, Consumer<EntityManager> write) {
        try (EntityManager entities = factory.createEntityManager()) {
            entities.getTransaction().begin();
            assertAborted(() -> write.accept(entities), Reason.IGNORE_UNAVAILABLE);
            entities.getTransaction().rollback();
        }
    }

    /** Why a flush is not ignored unless a source says so: an object is lost, or its change is, and nobody is told. */
    @OnEveryDatabase
    void whoLetsCountsBeMadeUpLosesObjects(Database database) throws SQLException {
        try (Shop shop = Shop.on(database, Rules.NONE, options -> options.fakes(Fakes.ROWS_AND_COUNT));
                EntityManagerFactory factory = over(shop); EntityManager entities = factory.createEntityManager()) {
            User changed = entities.find(User.class, 1);
            shop.throttle.reload(Rules.IGNORE);
            entities.getTransaction().begin();
            entities.persist(new User(9, "user 9"));
            entities.getTransaction().commit();
            assertThat(shop.count("users")).isEqualTo(USERS);

            entities.getTransaction().begin();
            changed.seen = 1;
            assertThatThrownBy(entities::flush).isExactlyInstanceOf(OptimisticLockException.class);
            entities.getTransaction().rollback();
            assertThat(shop.seen()).isZero();
        }
    }

    @OnEveryDatabase
    @Shows("not sent before its time, then as ever; a flush too")
    void delay(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.DELAYING); EntityManagerFactory factory = over(shop)) {
            Background<Integer> select = Background.start(() -> factory.callInTransaction(
                    entities -> entities.createQuery(ALL, User.class).getResultList().size())).awaitDelayed();
            shop.clock.advance(Rules.DELAY);
            assertThat(select.get()).isEqualTo(USERS);

            Background<Void> flush = Background.<Void>start(() -> {
                factory.runInTransaction(entities -> entities.persist(new User(9, "user 9")));
                return null;
            }).awaitDelayed();
            assertThat(shop.count("users")).isEqualTo(USERS);
            shop.clock.advance(Rules.DELAY);
            flush.get();
            assertThat(shop.count("users")).isEqualTo(USERS + 1);
        }
    }

    /** T3. */
    @OnEveryDatabase
    @Shows("`Session.cancelQuery()` and an interrupt: `GenericJDBCException`; the interrupt stays")
    void cancel(Database database) throws Exception {
        try (Shop shop = Shop.on(database, Rules.FOR_EVER); EntityManagerFactory factory = over(shop)) {
            AtomicReference<Session> session = new AtomicReference<>();
            Background<Integer> cancelled = Background.start(() -> factory.callInTransaction(entities -> {
                session.set(entities.unwrap(Session.class));
                return entities.createQuery(ALL, User.class).getResultList().size();
            })).awaitDelayed();
            session.get().cancelQuery();
            assertThat(cancelled.failure()).isExactlyInstanceOf(GenericJDBCException.class)
                    .hasCauseExactlyInstanceOf(SQLException.class).hasRootCauseExactlyInstanceOf(SqlThrottledException.class);

            Background<Integer> interrupted = Background.start(
                    () -> factory.callInTransaction(entities -> entities.createQuery(SEE).executeUpdate())).awaitDelayed();
            interrupted.interrupt();
            assertThat(interrupted.failure()).isExactlyInstanceOf(GenericJDBCException.class)
                    .hasCauseExactlyInstanceOf(SQLNonTransientException.class).hasRootCauseInstanceOf(InterruptedException.class);
            assertThat(interrupted.wasInterrupted()).isTrue();
            assertThat(shop.seen()).isZero();
        }
    }

    @OnEveryDatabase
    @Shows("`getResultStream` and `scroll` hold their place until they are closed")
    void stream(Database database) throws SQLException {
        try (Shop shop = Shop.on(database, Rules.ONE_PLACE); EntityManagerFactory factory = over(shop)) {
            factory.runInTransaction(entities -> {
                try (Stream<User> users = entities.createQuery(ALL, User.class).getResultStream()) {
                    Iterator<User> each = users.iterator();
                    assertThat(each.next().name).isEqualTo("user 1");
                    assertThat(shop.held()).isEqualTo(1);
                    factory.runInTransaction(others -> assertAborted(
                            () -> others.createQuery(ALL, User.class).getResultList(), Reason.OVER_LIMIT));
                }
                assertThat(shop.held()).isZero();
                try (ScrollableResults<User> users = entities.unwrap(Session.class).createQuery(ALL, User.class)
                        .setFetchSize(1).scroll(ScrollMode.FORWARD_ONLY)) {
                    assertThat(users.next()).isTrue();
                    assertThat(shop.held()).isEqualTo(1);
                }
                assertThat(shop.held()).isZero();
            });
        }
    }

    @OnEveryDatabase
    @Shows("a flush in a JDBC batch is one check that weighs as many as it runs: all or nothing")
    void batch(Database database) throws SQLException {
        try (Shop shop = Shop.on(database, Rules.atMost(5)); EntityManagerFactory factory = over(shop)) {
            factory.runInTransaction(entities -> persistThree(entities, 10));
            assertThat(shop.count("users")).isEqualTo(USERS + 3);
            assertThat(shop.decided("allow")).isEqualTo(1);
            try (EntityManager entities = factory.createEntityManager()) {
                entities.getTransaction().begin();
                persistThree(entities, 20);
                assertAborted(entities::flush, Reason.OVER_LIMIT);
                entities.getTransaction().rollback();
            }
            assertThat(shop.count("users")).isEqualTo(USERS + 3);
            factory.runInTransaction(entities -> {
                entities.persist(new User(30, "user 30"));
                entities.persist(new User(31, "user 31"));
            });
            assertThat(shop.count("users")).isEqualTo(USERS + 5);
        }
    }

    private static void persistThree(EntityManager entities, int first) {
        for (int id = first; id < first + 3; id++) {
            entities.persist(new User(id, "user " + id));
        }
    }

    @OnEveryDatabase
    @Shows("Hibernate marks it to be rolled back, as for every failure: nothing of it is left")
    void transaction(Database database) throws SQLException {
        try (Shop shop = Shop.on(database, Rules.ABORT); EntityManagerFactory factory = over(shop);
                EntityManager entities = factory.createEntityManager()) {
            entities.getTransaction().begin();
            entities.persist(new Order(1));
            assertAborted(() -> entities.createQuery(ALL, User.class).getResultList(), Reason.BLOCKED);
            assertThat(entities.getTransaction().getRollbackOnly()).isTrue();
            // It says so where transactions are to comply with JPA, and else only does it.
            entities.getTransaction().commit();
            assertThat(shop.count("orders")).isZero();

            entities.getTransaction().begin();
            entities.persist(new Order(2));
            entities.getTransaction().commit();
            assertThat(shop.count("orders")).isEqualTo(1);
        }
    }

    @OnEveryDatabase
    @Shows("success, error, abort, flush, rollback, an entity manager that is closed")
    void permits(Database database) throws SQLException {
        try (Shop shop = Shop.on(database, Rules.ONE_PLACE); EntityManagerFactory factory = over(shop)) {
            for (int i = 0; i < 2; i++) {
                int id = 9 + i;
                factory.runInTransaction(entities -> {
                    assertThat(entities.createQuery(ALL, User.class).getResultList()).isNotEmpty();
                    assertThat(shop.held()).isZero();
                    assertThat(entities.find(User.class, 1)).isNotNull();
                    assertThat(shop.held()).isZero();
                    entities.persist(new User(id, "user " + id));
                    entities.flush();
                    assertThat(shop.held()).isZero();
                });
                factory.runInTransaction(entities -> assertThatThrownBy(
                        () -> entities.createNativeQuery("select nothing from users", Object.class).getResultList())
                        .isExactlyInstanceOf(SQLGrammarException.class));
                assertThat(shop.held()).isZero();
                EntityManager abandoned = factory.createEntityManager();
                abandoned.getTransaction().begin();
                assertThat(abandoned.createQuery(ALL, User.class).getResultStream().iterator().hasNext()).isTrue();
                assertThat(shop.held()).isEqualTo(1);
                abandoned.getTransaction().rollback();
                assertThat(shop.held()).isZero();
                abandoned.close();
            }
        }
    }

    private static void assertAborted(ThrowingCallable action, Reason reason) {
        assertThat(catchThrowable(action)).isExactlyInstanceOf(GenericJDBCException.class)
                .cause().isExactlyInstanceOf(SqlThrottledException.class)
                .satisfies(e -> SourceContract.assertThrottled((SqlThrottledException) e, reason));
    }
}
