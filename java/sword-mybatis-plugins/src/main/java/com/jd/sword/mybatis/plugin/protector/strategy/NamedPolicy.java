package com.jd.sword.mybatis.plugin.protector.strategy;

import java.util.regex.Pattern;

/**
 * Stands for the strategy that a plugin was given under a name, where a threshold is written down and cannot hold the strategy itself:
 * {@code strategy: custom:NAME}.
 */
public final class NamedPolicy implements ProtectionStrategy {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{1,64}");

    private final String name;

    /**
     * For a strategy of this name.
     *
     * @param name 1 to 64 letters, digits, {@code _}, {@code -} and {@code .}
     * @throws IllegalArgumentException it is no such name
     */
    public NamedPolicy(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("the name of a strategy is 1 to 64 letters, digits, `_`, `-` and `.`, and not `" + name + "`");
        }
        this.name = name;
    }

    /** The name. */
    public String name() {
        return name;
    }

    /** Aborts: which strategy has this name is known to the plugin alone. */
    @Override
    public Object protect(ProtectedExecution execution) {
        throw execution.abortion();
    }

    @Override
    public String toString() {
        return "custom:" + name;
    }
}
