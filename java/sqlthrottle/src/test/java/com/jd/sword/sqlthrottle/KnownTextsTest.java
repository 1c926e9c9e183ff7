package com.jd.sword.sqlthrottle;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KnownTextsTest {
    private final Throttle throttle = Throttle.of("default_threshold: 60000000");
    private final KnownTexts texts = new KnownTexts();
    private final NativePrepared prepared = throttle.statements(null).prepare("select 1", null);

    @Test
    void aTextIsAdmittedAtItsSecondSight() {
        assertThat(texts.admits("select 1")).isFalse();
        assertThat(texts.admits("select 1")).isTrue();
        assertThat(texts.get("select 1")).isNull();
        texts.put("select 1", prepared);
        assertThat(texts.get("select 1")).isSameAs(prepared);
        assertThat(texts.get(new String("select 1"))).as("equal is enough").isSameAs(prepared);
    }

    @Test
    void aFloodOfTextsThatAreSeenOnceKeepsNothing() {
        int admitted = 0;
        for (int i = 0; i < 500_000; i++) {
            if (texts.admits("select * from t where id = " + i)) {
                admitted++;
            }
        }
        assertThat(admitted).as("those that look like another").isLessThan(50_000);
    }

    @Test
    void whatIsKeptIsBoundedByNumberAndWhatIsInUseStays() {
        texts.put("in use", prepared);
        for (int i = 0; i < 5 * KnownTexts.MAX_TEXTS; i++) {
            texts.put("select " + i, prepared);
            assertThat(texts.get("in use")).isNotNull();
        }
        assertThat(texts.size()).isLessThanOrEqualTo(2 * KnownTexts.MAX_TEXTS + 2);
        assertThat(texts.get("select 0")).as("not asked for since").isNull();
    }

    @Test
    void whatIsKeptIsBoundedByCharacters() {
        String padding = "x".repeat(100_000);
        int most = (int) (2 * KnownTexts.MAX_CHARACTERS / padding.length());
        for (int i = 0; i < 3 * most; i++) {
            texts.put(i + padding, prepared);
        }
        assertThat(texts.size()).isBetween(most / 2 - 1, most + 2);
        String tooLong = "x".repeat((int) (KnownTexts.MAX_CHARACTERS / 16) + 1);
        texts.admits(tooLong);
        assertThat(texts.admits(tooLong)).isFalse();
    }

    @Test
    void whatIsClearedIsForgotten() {
        texts.put("select 1", prepared);
        texts.clear();
        assertThat(texts.size()).isZero();
    }
}
