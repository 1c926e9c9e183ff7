package com.jd.sword.sqlthrottle.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** By names alone: what Hibernate really calls, its integration test tells. */
class ObjectMappersTest {
    private static StackTraceElement[] stack(String... classes) {
        return Arrays.stream(classes).map(name -> new StackTraceElement(name, "run", null, -1)).toArray(StackTraceElement[]::new);
    }

    @ParameterizedTest
    @ValueSource(strings = {"org.hibernate.engine.spi.ActionQueue", "org.hibernate.persister.entity.AbstractEntityPersister",
        "org.hibernate.engine.jdbc.mutation.internal.MutationExecutorSingleNonBatched",
        "org.eclipse.persistence.internal.sessions.CommitManager"})
    void aFlushIsSeenHoweverDeep(String storing) {
        assertThat(ObjectMappers.areStoring(stack("com.zaxxer.hikari.pool.ProxyStatement", "shop.Wrapper", storing, "shop.Main"))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"org.hibernate.sql.exec.internal.StandardJdbcMutationExecutor", "org.hibernate.internal.SessionImpl",
        "org.hibernate.engine.jdbc.internal.JdbcCoordinatorImpl", "org.springframework.jdbc.core.JdbcTemplate",
        "shop.org.hibernate.persister.entity.Mine"})
    void whoOnlySendsAStatementIsNoMapper(String caller) {
        assertThat(ObjectMappers.areStoring(stack("com.zaxxer.hikari.pool.ProxyStatement", caller, "shop.Main"))).isFalse();
    }

    @Test
    void noMapperStoresHere() {
        assertThat(ObjectMappers.areStoring()).isFalse();
    }
}
