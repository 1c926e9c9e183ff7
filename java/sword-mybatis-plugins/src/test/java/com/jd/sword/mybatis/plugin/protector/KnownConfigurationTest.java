package com.jd.sword.mybatis.plugin.protector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import com.jd.sword.sqlthrottle.Dialect;
import com.jd.sword.sqlthrottle.Throttle;
import com.jd.sword.sqlthrottle.jdbc.Wait;
import java.lang.ref.WeakReference;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Collections;
import org.apache.ibatis.session.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is found out about a configuration, and for how long. */
class KnownConfigurationTest {
    private static Protector protector(Throttle throttle, Dialect dialect) {
        return new Protector(throttle, dialect, null, new Strategies(null, Collections.emptyMap()), Wait.Time.SYSTEM);
    }

    @ParameterizedTest
    @CsvSource({"mysql, MYSQL", "MySQL, MYSQL", "MariaDB, MYSQL", "PostgreSQL, POSTGRESQL", "postgres, POSTGRESQL", "Oracle, ORACLE",
        "Microsoft SQL Server, MSSQL", "sqlserver, MSSQL", "mssql, MSSQL", "SQLite, SQLITE", "H2,", "db2,", ","})
    void aDatabaseIdStandsForADialect(String id, Dialect dialect) {
        assertThat(Dialects.ofDatabaseId(id)).isEqualTo(dialect);
    }

    @Test
    void whatIsSaidGoesBeforeTheDatabaseIdAndThatBeforeTheUrl() {
        try (Throttle throttle = Throttle.of("{}")) {
            KnownConfiguration known = new KnownConfiguration(new Configuration());
            assertThat(protector(throttle, Dialect.ORACLE).statements(known, "mysql")).isSameAs(throttle.statements(Dialect.ORACLE));
            known = new KnownConfiguration(new Configuration());
            assertThat(protector(throttle, null).statements(known, "mysql")).isSameAs(throttle.statements(Dialect.MYSQL));
            assertThat(protector(throttle, null).statements(new KnownConfiguration(new Configuration()), "H2")).isNull();
        }
    }

    @Test
    void theUrlIsAskedOnceByTheConnectionOfTheStatement() throws Exception {
        try (Shop shop = Shop.counting()) {
            for (int i = 0; i < 3; i++) {
                try (org.apache.ibatis.session.SqlSession session = shop.session()) {
                    session.getMapper(Users.class).names();
                }
            }
            assertThat(shop.taken).as("one a session").hasValue(3);
        }
        Connection connection = mock(Connection.class);
        DatabaseMetaData metaData = mock(DatabaseMetaData.class);
        when(connection.getMetaData()).thenReturn(metaData);
        when(metaData.getURL()).thenReturn("jdbc:postgresql://localhost/shop");
        try (Throttle throttle = Throttle.of("{}")) {
            Protector protector = protector(throttle, null);
            KnownConfiguration known = protector.known(new Configuration());
            assertThat(protector.statements(known, connection)).isSameAs(throttle.statements(Dialect.POSTGRESQL));
            assertThat(protector.statements(known, "none")).isSameAs(throttle.statements(Dialect.POSTGRESQL));
            verify(metaData, times(1)).getURL();
        }
    }

    @Test
    void aTextThatStaysTheSameIsKeptAndOneThatDoesNotIsNot() {
        try (Throttle throttle = Throttle.of("{}")) {
            KnownMapping mapping = new KnownMapping(false);
            String same = "select 1 from users";
            assertThat(mapping.text(throttle.statements(null), new String(same))).isNull();
            assertThat(mapping.text(throttle.statements(null), same)).isNull();
            assertThat(mapping.text(throttle.statements(null), same)).isNotNull();
            assertThat(mapping.text(throttle.statements(null), same)).isSameAs(mapping.text(throttle.statements(null), same));
            assertThat(mapping.text(throttle.statements(null), "select 2 from others")).as("another text").isNull();
        }
    }

    @Test
    void aSecondConnectionIsNeverTaken() throws SQLException {
        javax.sql.DataSource source = mock(javax.sql.DataSource.class);
        Configuration configuration = new Configuration(new org.apache.ibatis.mapping.Environment("e",
                new org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory(), source));
        try (Throttle throttle = Throttle.of("{}")) {
            assertThat(protector(throttle, null).statements(new KnownConfiguration(configuration), (String) null)).isNull();
        }
        verify(source, never()).getConnection();
        verify(source, never()).getConnection(any(), any());
    }

    @Test
    void aConfigurationThatIsGoneIsNotKept() {
        try (Throttle throttle = Throttle.of("{}")) {
            Protector protector = protector(throttle, null);
            WeakReference<Configuration> gone = known(protector);
            Configuration other = new Configuration();
            assertThat(protector.known(other)).isSameAs(protector.known(other));
            for (int i = 0; i < 50 && gone.get() != null; i++) {
                System.gc();
            }
            assertThat(gone.get()).isNull();
        }
    }

    private static WeakReference<Configuration> known(Protector protector) {
        Configuration configuration = new Configuration();
        configuration.addMapper(Users.class);
        KnownConfiguration known = protector.known(configuration);
        String id = Users.class.getName();
        assertThat(known.mapping(configuration.getMappedStatement(id + ".count")).needsRow()).isTrue();
        assertThat(known.mapping(configuration.getMappedStatement(id + ".names")).needsRow()).isFalse();
        assertThat(known.mapping(configuration.getMappedStatement(id + ".insertKeyBefore!selectKey")).needsRow()).isTrue();
        assertThat(known.mapping(configuration.getMappedStatement(id + ".each")).needsRow()).as("void").isFalse();
        return new WeakReference<>(configuration);
    }
}
