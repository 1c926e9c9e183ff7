package com.jd.sword.sqlthrottle;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.Reference;
import org.junit.jupiter.api.Test;

class KnownTextsTest {
    private final Throttle throttle = Throttle.of("default_threshold: 60000000");
    private final Alive alive = new Alive();
    private final KnownTexts texts = new KnownTexts(alive);
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
    void onceItIsClosedNothingIsKept() {
        texts.put("select 1", prepared);
        texts.close();
        assertThat(texts.size()).isZero();
        texts.put("of a check that was on its way", prepared);
        assertThat(texts.size()).isZero();
    }

    @Test
    void nothingIsAdmittedWhileTooMuchThatWasForgottenIsInMemory() {
        texts.admits("select 1");
        for (int i = 0; i < Alive.MAX_TEXTS; i++) {
            assertThat(texts.admits("select 1")).isTrue();
            alive.add(10);
        }
        assertThat(texts.admits("select 1")).isFalse();
        alive.remove(10);
        assertThat(texts.admits("select 1")).isTrue();
        alive.add((int) Alive.MAX_CHARACTERS);
        assertThat(texts.admits("select 1")).isFalse();
    }

    @Test
    void whatIsUnreachableIsCountedNoMore() {
        alive.add(0);
        count();
        while (alive.texts() > 1) {
            System.gc();
            Thread.onSpinWait();
        }
        alive.remove(0);
        assertThat(alive.texts()).isZero();
    }

    private void count() {
        Object owner = new Object();
        alive.count(owner, 10);
        assertThat(alive.texts()).isEqualTo(2);
        Reference.reachabilityFence(owner);
    }

    @Test
    void whatIsAskedBesideACheckIsNoSight() {
        Statements statements = throttle.statements(null);
        statements.check("select 1 from t", Fakes.ROWS, 1, null);
        assertThat(statements.faked("select 1 from t")).isEqualTo(Fakes.ROWS);
        assertThat(statements.faked("select 1 from t")).isEqualTo(Fakes.ROWS);
        assertThat(statements.size()).isZero();
        statements.check("select 1 from t", Fakes.ROWS, 1, null);
        assertThat(statements.size()).isEqualTo(1);
        assertThat(statements.faked("select 1 from t")).isEqualTo(Fakes.ROWS);
    }

    @Test
    void aTextThatIsKeptElsewhereIsCheckedAsByItsText() {
        Statements statements = throttle.statements(null);
        KnownStatement known = statements.keep("select 1 from t");
        assertThat(statements.size()).as("known from its first sight").isEqualTo(1);
        assertThat(statements.keep("select 1 from t").prepared()).isSameAs(known.prepared());
        assertThat(known.faked()).isEqualTo(Fakes.ROWS);
        try (Throttle limited = Throttle.of("default_threshold: {max_count: 2, strategy: ignore}")) {
            KnownStatement kept = limited.statements(null).keep("update t set a = 1");
            assertThat(kept.checkOrPass(Fakes.COUNT, 1, null, null)).isNull();
            assertThat(limited.statements(null).checkOrPass("update t set a = 2", Fakes.COUNT, 1, null, null)).isNull();
            Decision third = kept.checkOrPass(Fakes.COUNT, 1, null, null);
            assertThat(third.verdict()).isEqualTo(Verdict.IGNORE);
            assertThat(third.count()).isEqualTo(3);
            assertThat(third.rule()).isEqualTo("default_threshold");
            assertThat(third.fingerprint()).isEqualTo(limited.fingerprint("update t set a = 3"));
        }
    }

    @Test
    void aTextForWhichThereIsNoRoomIsNotKept() {
        alive.add(Integer.MAX_VALUE);
        KnownTexts texts = new KnownTexts(alive);
        assertThat(texts.hasRoomFor("select 1")).isFalse();
        String tooLong = "select " + "a".repeat((int) KnownTexts.MAX_CHARACTERS / 16);
        assertThat(throttle.statements(null).keep(tooLong)).isNull();
    }
}
