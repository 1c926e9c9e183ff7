package com.jd.sword.sqlthrottle.bench;

import com.alibaba.csp.sentinel.Entry;
import com.alibaba.csp.sentinel.SphU;
import com.alibaba.csp.sentinel.slots.block.BlockException;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRule;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRuleManager;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** A resource of Sentinel, named by the text, with a limit of entries a second. */
@State(Scope.Benchmark)
public class BySentinel {
    @Setup
    public void limit() {
        FlowRule rule = new FlowRule(Known.SQL);
        rule.setCount(Known.BOUNDLESS * 1000.0 / Known.WINDOW_MILLIS);
        FlowRuleManager.loadRules(List.of(rule));
    }

    @Benchmark
    public Entry enterAndExit(ThreadTime time) throws BlockException {
        Entry entry = SphU.entry(Known.SQL);
        entry.exit();
        return entry;
    }
}
