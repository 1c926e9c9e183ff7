package com.jd.sword.mybatis.plugin.protector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jd.sword.mybatis.plugin.protector.strategy.DelayPolicy;
import com.jd.sword.mybatis.plugin.protector.strategy.IgnorePolicy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ThresholdConfigTest {
    @Test
    void whatIsNotSaidIsAsInARuleFile() {
        ThresholdConfig config = ThresholdConfig.of(7);
        assertThat(config.maxCount()).isEqualTo(7);
        assertThat(config.rate()).isEqualTo("1");
        assertThat(config.strategy()).hasToString("abort");
        assertThat(config.window()).isEqualTo(Duration.ofMinutes(1));
        assertThat(config.buckets()).isEqualTo(12);
        assertThat(config.delay()).isNull();
        assertThat(config).hasToString("7 in PT1M, beyond abort");
    }

    @Test
    void aDelayIsThatOfThePolicyOrElseOfTheThreshold() {
        Duration second = Duration.ofSeconds(1);
        assertThat(ThresholdConfig.builder(1).strategy(new DelayPolicy()).build().delay()).isEqualTo(Duration.ofMillis(100));
        assertThat(ThresholdConfig.builder(1).strategy(new DelayPolicy()).delay(second).build().delay()).isEqualTo(second);
        assertThat(ThresholdConfig.builder(1).delay(second).strategy(new DelayPolicy()).build().delay()).isEqualTo(second);
        assertThat(ThresholdConfig.builder(1).delay(second).strategy(DelayPolicy.of(Duration.ofMillis(5))).build().delay())
                .isEqualTo(Duration.ofMillis(5));
        assertThat(ThresholdConfig.builder(1).delay(second).strategy(new IgnorePolicy()).build().delay()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "0/3", "4/3", "1.1", "-1", "1/0", "a", "", "0.1234567", "1/2/3", ".", "1e-1"})
    void aRateOutOfBoundsIsRefused(String rate) {
        assertThatThrownBy(() -> ThresholdConfig.builder(1).rate(rate)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("2/3");
    }

    @Test
    void otherValuesAreToo() {
        List<Runnable> wrong = Arrays.asList(() -> ThresholdConfig.of(0), () -> ThresholdConfig.of(60_000_001),
                () -> ThresholdConfig.builder(1).buckets(0), () -> ThresholdConfig.builder(1).buckets(241),
                () -> ThresholdConfig.builder(1).maxDelayed(0), () -> ThresholdConfig.builder(1).maxDelayed(100_001),
                () -> ThresholdConfig.builder(1).delay(Duration.ZERO), () -> ThresholdConfig.builder(1).delay(Duration.ofMinutes(61)),
                () -> ThresholdConfig.builder(1).window(Duration.ofMillis(11)).build(),
                () -> ThresholdConfig.builder(1).window(Duration.ofDays(367)).build(), () -> DelayPolicy.untilAllowed(Duration.ofHours(2)));
        for (Runnable each : wrong) {
            assertThatThrownBy(each::run).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
