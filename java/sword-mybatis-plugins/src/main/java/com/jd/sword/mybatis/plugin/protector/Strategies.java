package com.jd.sword.mybatis.plugin.protector;

import com.jd.sword.mybatis.plugin.protector.strategy.NamedPolicy;
import com.jd.sword.mybatis.plugin.protector.strategy.ProtectionStrategy;
import com.jd.sword.sqlthrottle.Decision;
import com.jd.sword.sqlthrottle.Threshold;
import com.jd.sword.sqlthrottle.ThresholdProvider;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The thresholds of a provider, as the throttle asks for them, and the program's own strategies, which the throttle knows by name alone:
 * those of a provider by the fingerprint that they were given for.
 */
final class Strategies implements ThresholdProvider {
    /** What the throttle calls a strategy that a provider has given. */
    static final String OF_PROVIDER = "provider.strategy";

    /** More are asked for again when they are needed. */
    private static final int MOST_KEPT = 10_000;

    /** Null where there is none. */
    private final SqlThresholdProvider provider;
    private final Map<String, ProtectionStrategy> named;
    private final Map<String, ProtectionStrategy> byFingerprint = new ConcurrentHashMap<>();

    Strategies(SqlThresholdProvider provider, Map<String, ProtectionStrategy> named) {
        this.provider = provider;
        this.named = new HashMap<>(named);
    }

    @Override
    public Optional<Threshold> threshold(String fingerprint) {
        ThresholdConfig config = provider.getThreshold(fingerprint);
        if (config == null) {
            byFingerprint.remove(fingerprint);
            return Optional.empty();
        }
        ProtectionStrategy strategy = config.strategy();
        if (strategy instanceof NamedPolicy && !named.containsKey(((NamedPolicy) strategy).name())) {
            throw new IllegalArgumentException("the plugin was given no strategy of the name `" + ((NamedPolicy) strategy).name() + "`");
        }
        if (byFingerprint.size() < MOST_KEPT || byFingerprint.containsKey(fingerprint)) {
            byFingerprint.put(fingerprint, strategy);
        }
        return Optional.of(config.toThreshold(OF_PROVIDER));
    }

    @Override
    public Duration timeToLive() {
        return provider.timeToLive();
    }

    /** The strategy that is to decide; null where none is known: then what the throttle says holds. */
    ProtectionStrategy of(Decision decision) {
        String name = decision.custom();
        if (name == null || !name.equals(OF_PROVIDER)) {
            return name == null ? null : named.get(name);
        }
        ProtectionStrategy kept = byFingerprint.get(decision.fingerprint());
        if (kept != null || provider == null) {
            return kept;
        }
        try {
            ThresholdConfig config = provider.getThreshold(decision.fingerprint());
            return config == null ? null : config.strategy();
        } catch (RuntimeException | LinkageError e) {
            // Its failures reach no caller; the throttle asks it too, and has them counted.
            return null;
        }
    }
}
