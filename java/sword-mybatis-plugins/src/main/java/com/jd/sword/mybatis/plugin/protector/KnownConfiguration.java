package com.jd.sword.mybatis.plugin.protector;

import com.jd.sword.sqlthrottle.Statements;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.ibatis.executor.keygen.SelectKeyGenerator;
import org.apache.ibatis.io.Resources;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.session.Configuration;

/** What was found out about one configuration of MyBatis. It does not keep that alive. */
final class KnownConfiguration {
    /** Programs have thousands of statements; interceptors that make more make them without end. */
    private static final int MOST_STATEMENTS = 10_000;

    private final WeakReference<Configuration> configuration;
    /** By the ids of statements. */
    private final Map<String, KnownMapping> mappings = new ConcurrentHashMap<>();
    /** Null until the dialect is known. */
    private volatile Statements statements;

    KnownConfiguration(Configuration configuration) {
        this.configuration = new WeakReference<>(configuration);
    }

    boolean isOf(Configuration other) {
        return configuration.get() == other;
    }

    /** Null until somebody has said. */
    Statements statements() {
        return statements;
    }

    void setStatements(Statements found) {
        statements = found;
    }

    KnownMapping mapping(MappedStatement statement) {
        KnownMapping known = mappings.get(statement.getId());
        if (known == null) {
            known = new KnownMapping(needsRow(statement));
            if (mappings.size() < MOST_STATEMENTS) {
                mappings.put(statement.getId(), known);
            }
        }
        return known;
    }

    /**
     * Whether no rows are no answer for whoever calls: a method that returns a primitive, a key that is selected, a list of several results,
     * or a select that writes.
     */
    private static boolean needsRow(MappedStatement statement) {
        String id = statement.getId();
        return id.endsWith(SelectKeyGenerator.SELECT_KEY_SUFFIX) || statement.getResultMaps().size() > 1 || DirtySelects.isOne(statement)
                || returnsPrimitive(statement.getConfiguration(), id);
    }

    private static boolean returnsPrimitive(Configuration configuration, String id) {
        int dot = id.lastIndexOf('.');
        Class<?> mapper = dot < 0 ? null : mapper(configuration, id.substring(0, dot));
        if (mapper != null) {
            String name = id.substring(dot + 1);
            for (Method method : mapper.getMethods()) {
                if (method.getName().equals(name) && method.getReturnType().isPrimitive() && method.getReturnType() != void.class) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Null where a statement is called by its id alone. */
    private static Class<?> mapper(Configuration configuration, String name) {
        for (Class<?> mapper : configuration.getMapperRegistry().getMappers()) {
            if (mapper.getName().equals(name)) {
                return mapper;
            }
        }
        try {
            // Of an interface that another one inherits from, which need not be a mapper itself.
            return Resources.classForName(name);
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }
}
