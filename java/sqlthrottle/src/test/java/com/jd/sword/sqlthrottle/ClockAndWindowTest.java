package com.jd.sword.sqlthrottle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ClockAndWindowTest {
    @Test
    void aWindowCountsAndForgets() {
        try (ManualClock clock = new ManualClock();
                SlidingWindowCounter window = new SlidingWindowCounter(Duration.ofSeconds(10), 10, clock)) {
            assertThat(window.count()).isZero();
            assertThat(window.record()).isEqualTo(1);
            clock.advance(Duration.ofSeconds(5));
            assertThat(window.record()).isEqualTo(2);
            clock.advance(Duration.ofSeconds(6));
            assertThat(window.count()).as("the first is older than the window").isEqualTo(1);
            window.reset();
            assertThat(window.count()).isZero();
        }
    }

    @Test
    void aWindowIsWithinItsBounds() {
        try (SlidingWindowCounter usual = new SlidingWindowCounter(Duration.ofMinutes(1))) {
            assertThat(usual.record()).isEqualTo(1);
        }
        for (int buckets : new int[] {0, -1, 1022, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> new SlidingWindowCounter(Duration.ofHours(1), buckets))
                    .isInstanceOfSatisfying(SqlThrottleException.class,
                            refused -> assertThat(refused.code()).isEqualTo("argument.value"));
        }
        assertThatThrownBy(() -> new SlidingWindowCounter(Duration.ofMillis(11))).isInstanceOf(SqlThrottleException.class);
        assertThatThrownBy(() -> new SlidingWindowCounter(Duration.ofSeconds(-1))).isInstanceOf(SqlThrottleException.class);
    }

    @Test
    void aClockMovesWhenItIsTold() {
        try (ManualClock clock = new ManualClock()) {
            assertThat(clock.now()).isZero();
            clock.advance(Duration.ofNanos(7));
            assertThat(clock.now()).isEqualTo(Duration.ofNanos(7));
            assertThatThrownBy(() -> clock.advance(Duration.ofNanos(-1))).isInstanceOf(IllegalArgumentException.class);
            clock.advance(Duration.ofSeconds(Long.MAX_VALUE));
            assertThat(clock.now()).as("to the end of what there is").isEqualTo(Duration.ofNanos(Long.MAX_VALUE));
        }
    }

    @Test
    void rulesExpireByTheWallClock() {
        String rules = "rules: [{name: freeze, limit: {block: true}, expires: 2026-12-01T10:00:00Z}]";
        try (ManualClock clock = new ManualClock()) {
            clock.setWall(Instant.parse("2026-12-01T09:59:59Z"));
            try (Throttle throttle = Throttle.builder().rules(rules).clock(clock).open()) {
                assertThat(throttle.isAllowed("select 1")).isFalse();
                clock.setWall(Instant.parse("2026-12-01T10:00:00Z"));
                assertThat(throttle.isAllowed("select 1")).isTrue();
                clock.setWall(Instant.MIN);
                clock.setWall(Instant.MAX);
                clock.setWall(Instant.parse("1969-12-31T23:59:59.5Z"));
            }
        }
    }
}
