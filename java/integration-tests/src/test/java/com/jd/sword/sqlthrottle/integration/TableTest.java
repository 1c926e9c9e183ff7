package com.jd.sword.sqlthrottle.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The table of docs/java.md is what the tests say of themselves, and each of its cells is a test over every database. */
class TableTest {
    private static final List<Class<?>> ROWS = List.of(PlainJdbcTest.class, HikariOverTest.class, HikariUnderTest.class,
            XaTest.class, DriverUrlTest.class, RoutingTest.class, JdbcTemplateTest.class, HibernateTest.class, JooqTest.class,
            FlywayTest.class, LiquibaseTest.class);
    private static final List<String> COLUMNS = List.of("abort", "ignore", "delay", "cancel", "stream", "batch", "transaction",
            "permits");

    @Test
    void theTableOfTheDocumentationIsThatOfTheTests() throws Exception {
        assertThat(Files.readString(Path.of("../../docs/java.md"))).contains(Table.of(ROWS, COLUMNS));
    }
}
