package com.jd.sword.sqlthrottle.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
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
        String documentation = Files.readString(Path.of("../../docs/java.md"));
        StringBuilder table = new StringBuilder("| | ").append(String.join(" | ", COLUMNS)).append(" |\n|");
        table.append(" --- |".repeat(COLUMNS.size() + 1)).append('\n');
        for (Class<?> row : ROWS) {
            table.append("| ").append(row.getAnnotation(Shows.class).value()).append(", `").append(row.getSimpleName()).append('`');
            for (String column : COLUMNS) {
                table.append(" | ").append(cell(row, column));
            }
            table.append(" |\n");
        }
        assertThat(documentation).contains(table);
    }

    private static String cell(Class<?> row, String column) {
        Method test = Arrays.stream(row.getDeclaredMethods()).filter(method -> method.getName().equals(column)).findFirst()
                .or(() -> Arrays.stream(row.getSuperclass().getDeclaredMethods()).filter(method -> method.getName().equals(column)).findFirst())
                .orElseThrow(() -> new AssertionError(row.getSimpleName() + " has no test " + column));
        assertThat(test.isAnnotationPresent(OnEveryDatabase.class)).as("%s is run over every database", test).isTrue();
        Shows shown = test.getAnnotation(Shows.class);
        assertThat(shown).as("what %s shows", test).isNotNull();
        return shown.value();
    }
}
