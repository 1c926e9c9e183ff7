package com.jd.sword.mybatis.plugin.protector;

import com.jd.sword.sqlthrottle.SqlThrottleException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;

/** What Spring says: files, variables, arguments, and all else that it has gathered. The only class here that needs Spring. */
final class EnvironmentSettings implements Settings {
    private final Environment environment;

    EnvironmentSettings(Environment environment) {
        this.environment = environment;
    }

    @Override
    public Map<String, String> list() {
        Map<String, String> said = new LinkedHashMap<>();
        if (environment instanceof ConfigurableEnvironment) {
            for (PropertySource<?> source : ((ConfigurableEnvironment) environment).getPropertySources()) {
                if (source instanceof EnumerablePropertySource) {
                    for (String name : ((EnumerablePropertySource<?>) source).getPropertyNames()) {
                        if (!said.containsKey(name) && SettingName.isOne(name, () -> value(name))) {
                            said.put(name, value(name));
                        }
                    }
                }
            }
        }
        return said;
    }

    @Override
    public String get(String name) {
        return environment.getProperty(name);
    }

    @Override
    public boolean changes() {
        return true;
    }

    private String value(String name) {
        try {
            String value = environment.getProperty(name);
            return value == null ? "" : value;
        } catch (IllegalArgumentException e) {
            SqlThrottleException failure = new SqlThrottleException("threshold.value", "`" + name + "` cannot be read: " + e.getMessage());
            failure.initCause(e);
            throw failure;
        }
    }
}
