package com.jd.sword.sqlthrottle.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.List;

/** A table of the documentation that is what tests say of themselves: a row for each class, and each cell a test over every database. */
public final class Table {
    private Table() {}

    /**
     * The table as the documentation has it.
     *
     * @param columns the names of the tests
     */
    public static String of(List<Class<?>> rows, List<String> columns) {
        StringBuilder table = new StringBuilder("| | ").append(String.join(" | ", columns)).append(" |\n|");
        table.append(" --- |".repeat(columns.size() + 1)).append('\n');
        for (Class<?> row : rows) {
            table.append("| ").append(row.getAnnotation(Shows.class).value()).append(", `").append(row.getSimpleName()).append('`');
            for (String column : columns) {
                table.append(" | ").append(cell(row, column));
            }
            table.append(" |\n");
        }
        return table.toString();
    }

    private static String cell(Class<?> row, String column) {
        Method test = test(row, column);
        assertThat(test.isAnnotationPresent(OnEveryDatabase.class)).as("%s is run over every database", test).isTrue();
        Shows shown = test.getAnnotation(Shows.class);
        assertThat(shown).as("what %s shows", test).isNotNull();
        return shown.value();
    }

    /** Of the class itself, or of the nearest that it extends. */
    private static Method test(Class<?> row, String column) {
        for (Class<?> in = row; in != Object.class; in = in.getSuperclass()) {
            for (Method method : in.getDeclaredMethods()) {
                if (method.getName().equals(column)) {
                    return method;
                }
            }
        }
        throw new AssertionError(row.getSimpleName() + " has no test " + column);
    }
}
