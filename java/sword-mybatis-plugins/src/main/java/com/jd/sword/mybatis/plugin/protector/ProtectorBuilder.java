package com.jd.sword.mybatis.plugin.protector;

import com.jd.sword.mybatis.plugin.protector.strategy.NamedPolicy;
import com.jd.sword.mybatis.plugin.protector.strategy.ProtectionStrategy;
import com.jd.sword.sqlthrottle.Dialect;
import com.jd.sword.sqlthrottle.ManualClock;
import com.jd.sword.sqlthrottle.SqlThrottleException;
import com.jd.sword.sqlthrottle.StatementContext;
import com.jd.sword.sqlthrottle.Throttle;
import com.jd.sword.sqlthrottle.ThrottleBuilder;
import com.jd.sword.sqlthrottle.jdbc.Wait;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.ibatis.io.Resources;

/**
 * How a {@link SQLBasedDatabaseProtectorPlugin} is made: with a throttle, or with thresholds, a rule file, or both, of which it makes a
 * throttle of its own, so that one decision weighs all of them.
 */
public final class ProtectorBuilder {
    private static final Logger LOGGER = Logger.getLogger("com.jd.sword.mybatis.plugin.protector");
    private static final String STRATEGY = "strategy.";

    private Throttle throttle;
    private SqlThresholdProvider thresholds;
    private Path rules;
    private Dialect dialect;
    private Supplier<StatementContext> context;
    private ManualClock clock;
    private Wait.Time time = Wait.Time.SYSTEM;
    private final Map<String, ProtectionStrategy> strategies = new HashMap<>();

    ProtectorBuilder() {}

    /** A throttle, which may serve other layers too; thresholds, rules and a clock are its own affair then. */
    public ProtectorBuilder throttle(Throttle shared) {
        throttle = Objects.requireNonNull(shared, "shared");
        return this;
    }

    /** Who names the thresholds. */
    public ProtectorBuilder thresholds(SqlThresholdProvider provider) {
        thresholds = Objects.requireNonNull(provider, "provider");
        return this;
    }

    /** A rule file, beside the thresholds or in place of them. */
    public ProtectorBuilder rules(Path file) {
        rules = Objects.requireNonNull(file, "file");
        return this;
    }

    /** How statements are read. Unless this says, the {@code databaseId} of MyBatis does, and where there is none the URL of the first connection. */
    public ProtectorBuilder dialect(Dialect name) {
        dialect = Objects.requireNonNull(name, "name");
        return this;
    }

    /**
     * Who sends a statement, asked at each of them: best the same object for the same user, as it keeps its encoded form. Null stands for nobody
     * known; an {@link com.jd.sword.sqlthrottle.AmbientContext} goes before it.
     */
    public ProtectorBuilder context(Supplier<StatementContext> source) {
        context = Objects.requireNonNull(source, "source");
        return this;
    }

    /**
     * A strategy that rules and thresholds call {@code custom:NAME}.
     *
     * @throws IllegalArgumentException the name is none that rule files can have, or one of this library's own
     */
    public ProtectorBuilder strategy(String name, ProtectionStrategy strategy) {
        String checked = new NamedPolicy(name).name();
        if (checked.equals(Strategies.OF_PROVIDER)) {
            throw new IllegalArgumentException("`" + name + "` is what the strategies of thresholds are called: choose another name");
        }
        strategies.put(checked, Objects.requireNonNull(strategy, "strategy"));
        return this;
    }

    /** A clock that a test moves, for a throttle of the plugin's own. What is delayed still waits by the machine's. */
    public ProtectorBuilder clock(ManualClock manual) {
        clock = manual;
        return this;
    }

    /** How tests wait. */
    ProtectorBuilder time(Wait.Time waiting) {
        time = waiting;
        return this;
    }

    /**
     * The plugin.
     *
     * @throws IllegalStateException there is neither a throttle nor anything to make one of, or both
     */
    public SQLBasedDatabaseProtectorPlugin build() {
        if (throttle == null && thresholds == null && rules == null) {
            throw new IllegalStateException("nothing says what is throttled: name a throttle, thresholds or rules");
        }
        checkOwner();
        // What is said of this one later is for another plugin.
        return new SQLBasedDatabaseProtectorPlugin(copy());
    }

    /** The thresholds of whoever is there to say. */
    ProtectorBuilder findThresholds() {
        SqlThresholdProvider found = found();
        return thresholds(found != null ? found : new SpringSqlThresholdProvider());
    }

    private ProtectorBuilder copy() {
        ProtectorBuilder copy = new ProtectorBuilder();
        copy.throttle = throttle;
        copy.thresholds = thresholds;
        copy.rules = rules;
        copy.dialect = dialect;
        copy.context = context;
        copy.clock = clock;
        copy.time = time;
        copy.strategies.putAll(strategies);
        return copy;
    }

    /** This, and what {@code <plugin>} says beside it. */
    ProtectorBuilder with(Properties properties) {
        ProtectorBuilder both = copy();
        both.properties(properties);
        return both;
    }

    private void properties(Properties properties) {
        for (String key : properties.stringPropertyNames()) {
            String value = properties.getProperty(key).trim();
            if (key.equals("rules")) {
                rules(Paths.get(value));
            } else if (key.equals("dialect")) {
                dialect(Dialect.ofName(value).orElseThrow(() -> wrong("plugin.dialect", key, value,
                        "write one of `generic`, `mysql`, `postgresql`, `sqlite`, `mssql`, `oracle`")));
            } else if (key.startsWith(STRATEGY)) {
                strategy(key.substring(STRATEGY.length()), made(key, value));
            } else {
                throw new SqlThrottleException("plugin.unknown_property",
                        "`" + key + "` is no property of this plugin: write `rules`, `dialect` or `strategy.NAME`");
            }
        }
        checkOwner();
    }

    /** Whether the throttle is one of the plugin's own. */
    boolean isOwn() {
        return throttle == null;
    }

    /** @throws SqlThrottleException the rule file has faults */
    Protector open() {
        Strategies known = new Strategies(thresholds, strategies);
        Throttle decides = throttle;
        if (decides == null) {
            ThrottleBuilder builder = Throttle.builder().thresholdProvider(thresholds == null ? null : known).clock(clock);
            decides = (rules == null ? builder : builder.ruleFile(rules)).open();
        }
        return new Protector(decides, dialect, context, known, time);
    }

    private void checkOwner() {
        if (throttle != null && (thresholds != null || rules != null || clock != null)) {
            throw new IllegalStateException("a throttle has its rules, its thresholds and its clock already: give those to its builder");
        }
    }

    static SqlThrottleException wrong(String code, String key, String value, String right) {
        return new SqlThrottleException(code, "`" + key + "` cannot be `" + value + "`: " + right);
    }

    private static ProtectionStrategy made(String key, String type) {
        try {
            return (ProtectionStrategy) Resources.classForName(type).getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException | ClassCastException | LinkageError e) {
            SqlThrottleException failure = wrong("plugin.strategy", key, type,
                    "name a class that implements " + ProtectionStrategy.class.getName() + " and has a constructor that takes nothing");
            failure.initCause(e);
            throw failure;
        }
    }

    private static SqlThresholdProvider found() {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        ClassLoader loader = context != null ? context : SqlThresholdProvider.class.getClassLoader();
        try {
            Iterator<SqlThresholdProvider> providers = ServiceLoader.load(SqlThresholdProvider.class, loader).iterator();
            if (!providers.hasNext()) {
                return null;
            }
            SqlThresholdProvider first = providers.next();
            if (providers.hasNext()) {
                LOGGER.log(Level.WARNING, "of several providers of thresholds {0} is asked", first.getClass().getName());
            }
            return first;
        } catch (ServiceConfigurationError e) {
            SqlThrottleException failure = new SqlThrottleException("provider.unusable",
                    "the provider of thresholds on the class path cannot be made: " + e.getMessage());
            failure.initCause(e);
            throw failure;
        }
    }
}
