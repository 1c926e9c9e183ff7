package com.jd.sword.sqlthrottle.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import javax.sql.DataSource;

/** Small pools. */
final class Pools {
    private Pools() {}

    static HikariDataSource around(DataSource source) {
        return new HikariDataSource(config(source));
    }

    /** For what else is to be said. */
    static HikariConfig config(DataSource source) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(source);
        config.setMaximumPoolSize(3);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(20_000);
        return config;
    }

    /** All connections have come back. */
    static void assertAtRest(HikariDataSource pool) {
        assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    }
}
