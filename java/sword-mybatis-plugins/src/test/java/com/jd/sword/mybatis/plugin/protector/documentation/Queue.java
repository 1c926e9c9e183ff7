package com.jd.sword.mybatis.plugin.protector.documentation;

import com.jd.sword.mybatis.plugin.protector.strategy.ProtectedExecution;
import com.jd.sword.mybatis.plugin.protector.strategy.ProtectionStrategy;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

public class Queue implements ProtectionStrategy {
    private final Semaphore places = new Semaphore(2);

    @Override
    public Object protect(ProtectedExecution execution) throws Exception {
        if (!places.tryAcquire(1, TimeUnit.SECONDS)) {
            throw execution.abortion();
        }
        try {
            return execution.proceed();
        } finally {
            places.release();
        }
    }
}
