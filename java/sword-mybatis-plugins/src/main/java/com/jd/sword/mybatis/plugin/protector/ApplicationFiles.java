package com.jd.sword.mybatis.plugin.protector;

import com.jd.sword.sqlthrottle.SqlThrottleException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.net.URL;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * What {@code application.properties}, {@code application.yml} and {@code application.yaml} say on the class path and in its folder
 * {@code config}, where there is no Spring that has read them: in that order, {@code config} first, as Spring Boot has it. Of YAML, documents
 * for a profile are passed over.
 */
final class ApplicationFiles implements Settings {
    private static final String[] FOLDERS = {"config/", ""};
    private static final String[] ENDINGS = {"properties", "yml", "yaml"};
    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{([^:{}]+)(?::([^{}]*))?}");

    private final Map<String, String> said = new LinkedHashMap<>();

    /** @param loader where they are looked for */
    ApplicationFiles(ClassLoader loader) {
        for (String folder : FOLDERS) {
            for (String ending : ENDINGS) {
                String name = folder + "application." + ending;
                URL file = loader.getResource(name);
                if (file != null) {
                    read(name, file, ending);
                }
            }
        }
    }

    /** That of the thread's context, or where there is none that of this library. */
    static ClassLoader usualLoader() {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        return context != null ? context : ApplicationFiles.class.getClassLoader();
    }

    @Override
    public Map<String, String> list() {
        return said;
    }

    @Override
    public String get(String name) {
        // All of it is listed.
        return null;
    }

    @Override
    public boolean changes() {
        return false;
    }

    private void read(String name, URL file, String ending) {
        try {
            URLConnection connection = file.openConnection();
            // A jar that is replaced is not to be read from what the JVM has kept of it.
            connection.setUseCaches(false);
            try (InputStream bytes = connection.getInputStream(); Reader text = new InputStreamReader(bytes, StandardCharsets.UTF_8)) {
                if (ending.equals("properties")) {
                    Properties properties = new Properties();
                    properties.load(text);
                    properties.stringPropertyNames().forEach(key -> add(key, properties.getProperty(key)));
                } else {
                    YamlSettings.read(text, this::add);
                }
            }
        } catch (MarkedYAMLException e) {
            // Its message, and so the exception, quotes the file, which has passwords too.
            Mark at = e.getProblemMark();
            throw new SqlThrottleException("threshold.file", "`" + name + "` is no YAML"
                    + (at == null ? "" : ": see line " + (at.getLine() + 1) + ", column " + (at.getColumn() + 1)));
        } catch (IOException | YAMLException | IllegalArgumentException e) {
            SqlThrottleException failure = new SqlThrottleException("threshold.file", "`" + name + "` cannot be read: " + e.getMessage());
            failure.initCause(e);
            throw failure;
        }
    }

    private void add(String name, String value) {
        if (SettingName.isOne(name, () -> value)) {
            said.putIfAbsent(name, resolved(name, value));
        }
    }

    /** With placeholders replaced by system properties and variables, which is as far as they go without Spring. */
    private static String resolved(String name, String value) {
        Matcher matcher = PLACEHOLDER.matcher(value);
        StringBuffer text = new StringBuffer();
        while (matcher.find()) {
            String of = matcher.group(1).trim();
            String found = System.getProperty(of) != null ? System.getProperty(of) : System.getenv(of);
            if (found == null) {
                found = matcher.group(2);
            }
            if (found == null) {
                throw ProtectorBuilder.wrong("threshold.value", name, value,
                        "neither a system property nor a variable is called `" + of + "`; a default goes behind a colon, as in `${NAME:100}`");
            }
            matcher.appendReplacement(text, Matcher.quoteReplacement(found));
        }
        return matcher.appendTail(text).toString();
    }
}
