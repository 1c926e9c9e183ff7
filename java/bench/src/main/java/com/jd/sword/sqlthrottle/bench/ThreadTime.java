package com.jd.sword.sqlthrottle.bench;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The time that a thread has had on a processor: what other processes take from it is no part of any side. */
@AuxCounters
@State(Scope.Thread)
public class ThreadTime {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** Nanoseconds of the stretch. JMH divides them by the length of the stretch, as it does calls, and so it is by name. */
    public long processor;

    private long begin;

    @Setup(Level.Iteration)
    public void begin() {
        begin = THREADS.getCurrentThreadCpuTime();
    }

    @TearDown(Level.Iteration)
    public void end() {
        processor = THREADS.getCurrentThreadCpuTime() - begin;
    }
}
