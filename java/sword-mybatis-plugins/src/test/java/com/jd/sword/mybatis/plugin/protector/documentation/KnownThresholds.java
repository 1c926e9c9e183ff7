package com.jd.sword.mybatis.plugin.protector.documentation;

import com.jd.sword.mybatis.plugin.protector.SqlThresholdProvider;
import com.jd.sword.mybatis.plugin.protector.ThresholdConfig;
import com.jd.sword.mybatis.plugin.protector.strategy.IgnorePolicy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

public class KnownThresholds implements SqlThresholdProvider {
    private final Map<String, Integer> limits = new ConcurrentHashMap<>();

    @Override
    public ThresholdConfig getThreshold(String fingerprint) {
        Integer limit = limits.get(fingerprint);
        return limit == null ? null : ThresholdConfig.builder(limit).rate("2/3").strategy(new IgnorePolicy()).build();
    }
}
