package com.jd.sword.mybatis.plugin.protector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jd.sword.mybatis.plugin.protector.exception.ProtectionAbortException;
import com.jd.sword.mybatis.plugin.protector.strategy.ProtectedExecution;
import com.jd.sword.mybatis.plugin.protector.strategy.ProtectionStrategy;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code <plugin>} in MyBatis' own file. */
class XmlConfigurationTest {
    private static SqlSessionFactory factory(String properties) {
        return new SqlSessionFactoryBuilder().build(new StringReader("<?xml version=\"1.0\"?>"
                + "<!DOCTYPE configuration PUBLIC \"-//mybatis.org//DTD Config 3.0//EN\" \"http://mybatis.org/dtd/mybatis-3-config.dtd\">"
                + "<configuration><plugins><plugin interceptor=\"" + SQLBasedDatabaseProtectorPlugin.class.getName() + "\">" + properties
                + "</plugin></plugins><environments default=\"e\"><environment id=\"e\"><transactionManager type=\"JDBC\"/>"
                + "<dataSource type=\"UNPOOLED\"><property name=\"driver\" value=\"org.h2.Driver\"/>"
                + "<property name=\"url\" value=\"jdbc:h2:mem:xml\"/></dataSource></environment></environments>"
                + "<mappers><mapper class=\"" + Numbers.class.getName() + "\"/></mappers></configuration>"));
    }

    private static String property(String name, Object value) {
        return "<property name=\"" + name + "\" value=\"" + value + "\"/>";
    }

    @Test
    void propertiesNameTheRulesTheDialectAndStrategies(@TempDir Path folder) throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yml"),
                "rules: [{name: file, limit: {fixed_window: {max: 1, window: 1m}}, then: {strategy: 'custom:hundred'}}]");
        SqlSessionFactory factory = factory(property("rules", rules) + property("dialect", "MySQL")
                + property("strategy.hundred", Hundred.class.getName()));
        SQLBasedDatabaseProtectorPlugin plugin = (SQLBasedDatabaseProtectorPlugin) factory.getConfiguration().getInterceptors().get(0);
        try (SqlSession session = factory.openSession()) {
            Numbers numbers = session.getMapper(Numbers.class);
            assertThat(numbers.one()).isEqualTo(1);
            session.clearCache();
            assertThat(numbers.one()).isEqualTo(100);
            assertThatThrownBy(() -> plugin.setProperties(new Properties())).isInstanceOf(IllegalStateException.class);
        } finally {
            plugin.close();
        }
    }

    @Test
    void withoutPropertiesItReadsTheUsualFiles() {
        SqlSessionFactory factory = factory("");
        SQLBasedDatabaseProtectorPlugin plugin = (SQLBasedDatabaseProtectorPlugin) factory.getConfiguration().getInterceptors().get(0);
        try (SqlSession session = factory.openSession()) {
            // src/test/resources/application.yml names it.
            Numbers numbers = session.getMapper(Numbers.class);
            assertThat(numbers.two()).isEqualTo(2);
            session.clearCache();
            assertThatThrownBy(numbers::two).satisfies(e -> assertThat(ProtectionAbortException.in(e).get().getLimit()).isEqualTo(1));
            assertThat(numbers.one()).isEqualTo(1);
            session.clearCache();
            assertThat(numbers.one()).isEqualTo(1);
        } finally {
            plugin.close();
        }
    }

    @Test
    void whatIsWrongIsSaid() {
        assertThatThrownBy(() -> factory(property("rule", "x"))).hasMessageContaining("`rule` is no property of this plugin")
                .hasMessageContaining("`rules`, `dialect` or `strategy.NAME`");
        assertThatThrownBy(() -> factory(property("dialect", "db2"))).hasMessageContaining("`dialect` cannot be `db2`")
                .hasMessageContaining("`mysql`");
        assertThatThrownBy(() -> factory(property("strategy.a", "no.such.Class"))).hasMessageContaining("no.such.Class");
        assertThatThrownBy(() -> factory(property("strategy.a", "java.lang.String"))).hasMessageContaining("ProtectionStrategy");
        assertThatThrownBy(() -> factory(property("rules", "no-such-file.yml")).openSession()).hasMessageContaining("no-such-file.yml");
    }

    /** Statements that need no table. */
    interface Numbers {
        @org.apache.ibatis.annotations.Select("select 1 from dual where 1 = #{id}")
        Integer oneOf(int id);

        @org.apache.ibatis.annotations.Select("values (1)")
        Integer one();

        @org.apache.ibatis.annotations.Select("select 1 + 1 from dual")
        Integer two();
    }

    /** What {@code strategy.hundred} names. */
    public static final class Hundred implements ProtectionStrategy {
        @Override
        public Object protect(ProtectedExecution execution) {
            return java.util.Collections.singletonList(100);
        }
    }
}
