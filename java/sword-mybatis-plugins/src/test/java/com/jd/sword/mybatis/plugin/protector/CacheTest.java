package com.jd.sword.mybatis.plugin.protector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.ibatis.session.SqlSession;
import org.junit.jupiter.api.Test;

/** What a cache answers is not counted, and what is not sent enters none. */
class CacheTest {
    @Test
    void aHitOfTheSessionsCacheIsNotCounted() throws Exception {
        try (Shop shop = Shop.with(Shop.oneAMinute("strategy: abort")); SqlSession session = shop.session()) {
            Users users = session.getMapper(Users.class);
            for (int i = 0; i < 3; i++) {
                assertThat(users.names()).hasSize(Shop.USERS);
            }
            assertThat(shop.decided("allow")).isEqualTo(1);
        }
    }

    @Test
    void aHitOfTheSecondLevelIsNotCounted() throws Exception {
        try (Shop shop = Shop.with(Shop.oneAMinute("strategy: abort"))) {
            for (int i = 0; i < 3; i++) {
                try (SqlSession session = shop.session()) {
                    assertThat(session.getMapper(CachedUsers.class).names()).hasSize(Shop.USERS);
                    session.commit();
                }
            }
            assertThat(shop.decided("allow")).isEqualTo(1);
            assertThat(shop.taken).hasValue(1);
        }
    }

    @Test
    void anIgnoredQueryEntersTheCacheOfNoSession() throws Exception {
        try (Shop shop = Shop.ignoring(); SqlSession session = shop.session()) {
            Users users = session.getMapper(Users.class);
            assertThat(users.names()).isEmpty();
            shop.throttle.reload("{}");
            assertThat(users.names()).hasSize(Shop.USERS);
        }
    }

    @Test
    void norTheSecondLevelOfOthers() throws Exception {
        try (Shop shop = Shop.ignoring()) {
            try (SqlSession session = shop.session()) {
                assertThat(session.getMapper(CachedUsers.class).names()).isEmpty();
                assertThat(session.getMapper(CachedUsers.Blocking.class).names()).isEmpty();
                session.commit(true);
            }
            shop.throttle.reload("{}");
            try (SqlSession session = shop.session()) {
                assertThat(session.getMapper(CachedUsers.class).names()).hasSize(Shop.USERS);
                assertThat(session.getMapper(CachedUsers.Blocking.class).names()).hasSize(Shop.USERS);
            }
        }
    }

    @Test
    void anAbortedQueryEntersNoCacheEither() throws Exception {
        try (Shop shop = Shop.aborting()) {
            try (SqlSession session = shop.session()) {
                assertThatThrownBy(() -> session.getMapper(CachedUsers.class).names()).satisfies(ExecutionTest::isAborted);
                session.commit(true);
            }
            shop.throttle.reload("{}");
            try (SqlSession session = shop.session()) {
                assertThat(session.getMapper(CachedUsers.class).names()).hasSize(Shop.USERS);
            }
        }
    }

    @Test
    void anIgnoredListMayBeChangedAndIsNewEachTime() throws Exception {
        try (Shop shop = Shop.ignoring(); SqlSession session = shop.session()) {
            Users users = session.getMapper(Users.class);
            users.names().add("changed");
            assertThat(users.names()).isEmpty();
        }
    }
}
