package com.jd.sword.sqlthrottle.integration.mybatis;

import static org.assertj.core.api.Assertions.assertThat;

import com.jd.sword.sqlthrottle.integration.Table;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The table of the plugin's README.md is what the tests say of themselves, and each of its cells is a test over every database. */
class MyBatisTableTest {
    private static final List<Class<?>> ROWS = List.of(SimpleExecutorTest.class, ReuseExecutorTest.class, BatchExecutorTest.class,
            WrappedSourceTest.class, SpringTest.class, PageHelperBeforeTest.class, PageHelperAfterTest.class, PlusBeforeTest.class,
            PlusAfterTest.class, InterceptorsTest.class);
    private static final List<String> COLUMNS = List.of("count", "abort", "ignore", "delay", "cancel", "cursor", "batch", "transaction",
            "permits");

    @Test
    void theTableOfTheDocumentationIsThatOfTheTests() throws Exception {
        assertThat(Files.readString(Path.of("../sword-mybatis-plugins/README.md"))).contains(Table.of(ROWS, COLUMNS));
    }
}
