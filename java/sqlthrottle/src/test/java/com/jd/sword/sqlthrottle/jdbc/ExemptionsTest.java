package com.jd.sword.sqlthrottle.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExemptionsTest {
    private final Exemptions standard = Exemptions.standard();

    @ParameterizedTest
    @ValueSource(strings = {
        "CREATE TABLE t (a int)", "  alter table t add b int", "-- V2\nDROP TABLE t", "/* V3 */ create index i on t (a)",
        "SELECT 1", "select 1;", " select\n1 from DUAL", "VALUES 1",
        "SELECT \"installed_rank\",\"version\" FROM \"PUBLIC\".\"flyway_schema_history\" WHERE \"installed_rank\" > ? ORDER BY 1",
        "INSERT INTO \"PUBLIC\".\"flyway_schema_history\" (\"installed_rank\") VALUES (?)",
        "insert into `shop`.`flyway_schema_history` (`installed_rank`) values (?)",
        "SELECT COUNT(*) FROM PUBLIC.DATABASECHANGELOGLOCK",
        "UPDATE public.databasechangeloglock SET LOCKED = TRUE, LOCKEDBY = 'me' WHERE ID = 1 AND LOCKED = FALSE",
        "INSERT INTO DATABASECHANGELOG (ID, AUTHOR) VALUES ('1', 'me')", "DELETE FROM DATABASECHANGELOGLOCK",
        "LOCK TABLE DATABASECHANGELOGLOCK", "create table t (a int);", "create table t (a int); -- and\n create index i on t (a);\n",
        "INSERT INTO DATABASECHANGELOG (ID, DESCRIPTION) VALUES ('1', 'createTable a; createTable b')",
        "create table t (a varchar(9) default 'it''s; so'); drop table \"a;b\"; /* ; */ alter table t add b int",
        "create or replace function f() returns int as $body$ begin delete from users; end $body$ language plpgsql",
        "CREATE DEFINER='root'@'localhost' PROCEDURE p() BEGIN DELETE FROM users; END",
        "create trigger t before insert on u for each row begin update users set a = 1; end"})
    void migrationsAndHealthChecksAreExempt(String sql) {
        assertThat(standard.test(sql)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", ";", "select 1, secret from users", "select 11", "insert into users values (1)", "created from users",
        "select * from users where name = 'flyway_schema_history'", "select 'x from flyway_schema_history' from users",
        "select \"x from flyway_schema_history\" from users", "select \"x\\\" from flyway_schema_history \" from users",
        "select * /* from flyway_schema_history */ from users", "select * -- from flyway_schema_history\n from users",
        "select /* /* */ from flyway_schema_history */ * from users", "/* /* */ create */ select * from users",
        "select * from users, flyway_schema_history", "insert into users select * from flyway_schema_history",
        "update users set a = 1 from flyway_schema_history", "/*! create */ select * from users", "(create", "\"create\" 1",
        "create table t (a int); delete from users", "drop table t;select * from users", "/*M! create */ select * from users",
        "select * from flyway_schema_history; select * from users", "create view v as select 1; delete from users",
        "create table t (a int default '\\'); delete from users; -- ')", "create table t (a int) # ;\n; delete from users",
        "create table t (a int); /* /* */ delete from users; /* */ */", "create table t (a int); /*! delete from users */",
        "create table t (a int); --delete from users", "create table f$a$ (a int); delete from users; create table g$a$ (b int)",
        "select \"never closed from flyway_schema_history", "/* never closed create"})
    void othersAreNot(String sql) {
        assertThat(standard.test(sql)).isFalse();
    }

    @Test
    void theyCanBeChosen() {
        assertThat(Exemptions.none().test("select 1")).isFalse();
        assertThat(Exemptions.none().test("create table t (a int)")).isFalse();
        assertThat(standard.withoutDefinitions().test("drop table t")).isFalse();
        assertThat(standard.withoutDefinitions().test("select 1")).isTrue();
        assertThat(standard.withTables("SCHEMA_VERSION").test("select * from app.schema_version")).isTrue();
        assertThat(standard.test("select * from app.schema_version")).isFalse();
    }

    @Test
    void whatIsExemptIsNotEvenCounted() throws SQLException {
        String rules = "rules: [{name: users, limit: {block: true}}]";
        try (Shop shop = Shop.with(rules); Connection connection = shop.connect(); Statement statement = connection.createStatement()) {
            statement.execute("create table flyway_schema_history (installed_rank int)");
            statement.execute("insert into flyway_schema_history values (1)");
            statement.executeQuery("select 1").close();
            assertThat(connection.isValid(1)).isTrue();
            assertThat(shop.decided("abort")).isZero();
            assertThatThrownBy(() -> statement.executeQuery("select 2")).hasMessageContaining("users");
        }
        try (Shop shop = Shop.with(rules, options -> options.exempt(Exemptions.none())); Connection connection = shop.connect();
                Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.executeQuery("select 1")).hasMessageContaining("users");
        }
    }
}
