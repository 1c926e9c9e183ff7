package com.jd.sword.mybatis.plugin.protector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jd.sword.sqlthrottle.Throttle;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.ibatis.plugin.Interceptor;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** Where there is no Spring on the class path. */
class WithoutSpringTest {
    private static URL of(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }

    private static URLClassLoader loader() {
        URL[] path = {of(SQLBasedDatabaseProtectorPlugin.class), of(Throttle.class), of(Interceptor.class), of(Yaml.class)};
        return new URLClassLoader(path, ClassLoader.getPlatformClassLoader());
    }

    @Test
    void everyClassButThatOfTheEnvironmentIsLoadedAndLinked() throws Exception {
        Path classes = Paths.get(of(SQLBasedDatabaseProtectorPlugin.class).toURI());
        List<String> names;
        try (Stream<Path> files = Files.walk(classes)) {
            names = files.map(file -> classes.relativize(file).toString()).filter(name -> name.endsWith(".class"))
                    .map(name -> name.substring(0, name.length() - 6).replace('/', '.').replace('\\', '.'))
                    .filter(name -> !name.endsWith("package-info")).collect(Collectors.toList());
        }
        assertThat(names).hasSizeGreaterThan(20);
        try (URLClassLoader loader = loader()) {
            for (String name : names) {
                if (name.equals(EnvironmentSettings.class.getName())) {
                    assertThatThrownBy(() -> Class.forName(name, true, loader).getDeclaredConstructors())
                            .isInstanceOf(NoClassDefFoundError.class);
                } else {
                    assertThat(Class.forName(name, true, loader).getClassLoader()).as(name).isSameAs(loader);
                }
            }
        }
    }

    @Test
    void thePluginIsMade() throws Exception {
        try (URLClassLoader loader = loader()) {
            Thread thread = Thread.currentThread();
            ClassLoader before = thread.getContextClassLoader();
            thread.setContextClassLoader(loader);
            try (AutoCloseable plugin = (AutoCloseable) Class.forName(SQLBasedDatabaseProtectorPlugin.class.getName(), true, loader)
                    .getDeclaredConstructor().newInstance()) {
                assertThat(plugin.getClass().getClassLoader()).isSameAs(loader);
            } finally {
                thread.setContextClassLoader(before);
            }
        }
    }
}
