package com.jd.sword.mybatis.plugin.protector.documentation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jd.sword.mybatis.plugin.protector.SQLBasedDatabaseProtectorPlugin;
import com.jd.sword.mybatis.plugin.protector.SpringSqlThresholdProvider;
import com.jd.sword.mybatis.plugin.protector.ThresholdConfig;
import com.jd.sword.mybatis.plugin.protector.exception.ProtectionAbortException;
import com.jd.sword.sqlthrottle.SqlThrottledException;
import com.jd.sword.sqlthrottle.Throttle;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.builder.xml.XMLConfigBuilder;
import org.apache.ibatis.plugin.Interceptor;
import org.apache.ibatis.session.SqlSessionFactory;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mybatis.spring.SqlSessionTemplate;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.dao.DataAccessResourceFailureException;

/** What the pages of this module show is what a compiler, MyBatis, and the plugin take. */
class DocumentationTest {
    private static final String README = "README.md";
    private static final String GUIDE = "SIMPLIFICATION_GUIDE.md";
    private static final Path SOURCES = Paths.get("src/test/java/com/jd/sword/mybatis/plugin/protector/documentation");

    @TempDir
    Path folder;

    /** With files on the class path that are those of the folder alone. */
    private <T> T inFolder(Callable<T> action) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()}, null)) {
            thread.setContextClassLoader(loader);
            return action.call();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private String printed(Callable<?> action) throws Exception {
        PrintStream out = System.out;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setOut(new PrintStream(bytes, true, "UTF-8"));
        try {
            inFolder(action);
        } finally {
            System.setOut(out);
        }
        return bytes.toString("UTF-8").replace("\r\n", "\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {README, GUIDE})
    void everyPieceOfJavaIsCompiled(String page) throws Exception {
        List<String> sources = new ArrayList<>();
        try (Stream<Path> files = Files.list(SOURCES)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                sources.add(Page.stripped(Files.readString(file)));
            }
        }
        assertThat(Page.read(page).blocks("java")).isNotEmpty()
                .allSatisfy(block -> assertThat(sources).anySatisfy(source -> assertThat(source).contains(Page.stripped(block))));
        assertThat(Page.read(page).languages()).isSubsetOf("sh", "xml", "java", "yaml", "properties", "console");
    }

    @Test
    void theFiveMinutesEndAsTheySay() throws Exception {
        Page readme = Page.read(README);
        Files.writeString(folder.resolve("application.yml"), readme.blocks("yaml").get(0));
        assertThat(printed(() -> {
            App.main(new String[0]);
            return null;
        })).isEqualTo(readme.blocks("console").get(0));
    }

    @ParameterizedTest
    @ValueSource(strings = {README, GUIDE})
    void everyPieceOfYamlIsRead(String page) throws Exception {
        for (String yaml : Page.read(page).blocks("yaml")) {
            if (!yaml.startsWith("mybatis:")) {
                Throttle.of(yaml).close();
                continue;
            }
            Files.writeString(folder.resolve("application.yml"), yaml);
            SpringSqlThresholdProvider provider = inFolder(SpringSqlThresholdProvider::new);
            Pattern.compile("\"([0-9a-f]{12})\"").matcher(yaml).results()
                    .forEach(key -> assertThat(provider.getThreshold(key.group(1) + "0000")).as(key.group(1)).isNotNull());
        }
    }

    @Test
    void theSettingsAreWhatTheirTableSays() throws Exception {
        Files.writeString(folder.resolve("application.yml"), Page.read(README).blocks("yaml").get(1));
        SpringSqlThresholdProvider provider = inFolder(SpringSqlThresholdProvider::new);
        assertThat(provider.getThreshold("173ee5d4e58b00")).hasToString("100 in PT10S, beyond delay 2/3");
        ThresholdConfig ofOthers = provider.getThreshold("00");
        assertThat(ofOthers).hasToString("1000 in PT1M, beyond abort");
        assertThat(ofOthers.buckets()).isEqualTo(12);
        assertThat(ofOthers.maxDelayed()).isEqualTo(100);
    }

    @Test
    void theDependenciesAreThisModuleAndWhatItIsTestedWith() throws Exception {
        String shown = Page.stripped(Page.read(README).blocks("xml").get(0));
        Page parent = Page.read("../pom.xml");
        assertThat(shown)
                .contains(dependency("com.jd.sword", "sword-mybatis-plugins", Page.read("pom.xml").first("<version>([^<]+)")))
                .contains(dependency("org.mybatis", "mybatis", parent.first("<mybatis.version>([^<]+)")))
                .contains(dependency("com.h2database", "h2", parent.first("<h2.version>([^<]+)")));
    }

    private static String dependency(String group, String artifact, String version) {
        return "\n<dependency>\n<groupId>" + group + "</groupId>\n<artifactId>" + artifact + "</artifactId>\n<version>" + version
                + "</version>\n</dependency>\n";
    }

    @Test
    void myBatisTakesThePlugin() throws Exception {
        String plugins = Page.read(README).blocks("xml").get(1).replace("com.example.Queue", Queue.class.getName());
        Interceptor plugin = new XMLConfigBuilder(new StringReader("<?xml version=\"1.0\"?><!DOCTYPE configuration PUBLIC "
                + "\"-//mybatis.org//DTD Config 3.0//EN\" \"http://mybatis.org/dtd/mybatis-3-config.dtd\"><configuration>" + plugins
                + "</configuration>")).parse().getInterceptors().get(0);
        assertThat(plugin).isInstanceOf(SQLBasedDatabaseProtectorPlugin.class);
        assertThatThrownBy(((SQLBasedDatabaseProtectorPlugin) plugin)::throttle).as("the file that it names is not there")
                .hasMessageContaining("sqlthrottle.yml");
    }

    @Test
    void whatIsSentMostIsListedWithItsFingerprint() throws Exception {
        Files.writeString(folder.resolve("application.yml"), "mybatis.protector.thresholds.default: 3");
        String[] listed = new String[1];
        String printed = printed(() -> {
            try (SQLBasedDatabaseProtectorPlugin plugin = new SQLBasedDatabaseProtectorPlugin()) {
                plugin.throttle().check("select name from users where id = 7");
                new Snippets().fingerprints(plugin);
                listed[0] = plugin.throttle().fingerprint("select name from users where id = ?");
            }
            return null;
        });
        assertThat(printed).contains("\"fingerprint\":\"" + listed[0] + "\"").contains("select name from users where id=?");
    }

    @Test
    void aRuleFileThatOnlyObservesHoldsForThresholdsToo() throws Exception {
        Files.writeString(folder.resolve("application.yml"), "mybatis.protector.thresholds.default: 1");
        Path rules = Files.writeString(folder.resolve("sqlthrottle.yml"), "mode: observe");
        inFolder(() -> {
            try (SQLBasedDatabaseProtectorPlugin plugin = SQLBasedDatabaseProtectorPlugin.builder()
                    .thresholds(new SpringSqlThresholdProvider()).rules(rules).build()) {
                plugin.throttle().check("select 1 from dual");
                assertThat(plugin.throttle().check("select 1 from dual").isAllowed()).isTrue();
                assertThat(plugin.throttle().metrics()).contains("sql_throttle_would_total{rule=\"provider\",verdict=\"abort\"} 1");
            }
            return null;
        });
    }

    @Test
    void settingsOfSpringAreThresholds() {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.getEnvironment().getPropertySources()
                    .addFirst(new MapPropertySource("said", Collections.singletonMap("mybatis.protector.thresholds.default", "1")));
            context.register(Snippets.BootBeans.class);
            context.refresh();
            Throttle throttle = context.getBean(SQLBasedDatabaseProtectorPlugin.class).throttle();
            assertThat(throttle.check("select 1 from dual").isAllowed()).isTrue();
            assertThat(throttle.check("select 1 from dual").isAllowed()).isFalse();
        }
    }

    @Test
    @Tag("mybatis-spring")
    void springWithoutBootHasItReadItsFile() throws Exception {
        Files.writeString(folder.resolve("application.yml"), "mybatis.protector.thresholds.default: 1");
        JdbcDataSource h2 = new JdbcDataSource();
        h2.setURL("jdbc:h2:mem:beans");
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.registerBean(DataSource.class, () -> h2);
            context.register(Snippets.Beans.class);
            inFolder(() -> {
                context.refresh();
                return null;
            });
            SqlSessionFactory sessions = context.getBean(SqlSessionFactory.class);
            sessions.getConfiguration().addMapper(Numbers.class);
            Numbers numbers = new SqlSessionTemplate(sessions).getMapper(Numbers.class);
            assertThat(numbers.one()).isEqualTo(1);
            assertThatThrownBy(numbers::one).isInstanceOf(DataAccessResourceFailureException.class)
                    .hasCauseInstanceOf(SqlThrottledException.class)
                    .satisfies(e -> assertThat(ProtectionAbortException.in(e)).isEmpty());
        }
    }

    /** A statement that needs no table. */
    interface Numbers {
        @Select("values (1)")
        Integer one();
    }
}
