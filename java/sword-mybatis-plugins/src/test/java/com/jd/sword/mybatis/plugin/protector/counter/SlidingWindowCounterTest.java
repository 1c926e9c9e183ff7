package com.jd.sword.mybatis.plugin.protector.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jd.sword.sqlthrottle.ManualClock;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SlidingWindowCounterTest {
    @Test
    void itCountsForgetsAndBeginsAnew() {
        try (ManualClock clock = new ManualClock();
                SlidingWindowCounter counter = new SlidingWindowCounter(Duration.ofSeconds(10), 10, clock)) {
            assertThat(counter.record()).isEqualTo(1);
            clock.advance(Duration.ofSeconds(5));
            assertThat(counter.record()).isEqualTo(2);
            clock.advance(Duration.ofSeconds(6));
            assertThat(counter.count()).isEqualTo(1);
            counter.reset();
            assertThat(counter.count()).isZero();
        }
    }

    @Test
    void recordingMakesNoGarbage() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long self = Thread.currentThread().getId();
        try (SlidingWindowCounter counter = new SlidingWindowCounter()) {
            for (int i = 0; i < 20_000; i++) {
                counter.record();
            }
            long before = threads.getThreadAllocatedBytes(self);
            for (int i = 0; i < 20_000; i++) {
                counter.record();
            }
            // What asking comes to, and nothing for each of them.
            assertThat(threads.getThreadAllocatedBytes(self) - before).isLessThan(20_000);
            assertThat(counter.count()).isEqualTo(40_000);
        }
    }

    @Test
    void boundsAreChecked() {
        assertThatThrownBy(() -> new SlidingWindowCounter(Duration.ofMillis(5), 12)).hasMessageContaining("bucket");
        SlidingWindowCounter closed = new SlidingWindowCounter();
        closed.close();
        closed.close();
        assertThatThrownBy(closed::record).isInstanceOf(IllegalStateException.class);
    }
}
