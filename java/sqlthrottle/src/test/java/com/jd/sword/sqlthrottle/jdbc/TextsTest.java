package com.jd.sword.sqlthrottle.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TextsTest {
    @Test
    void aTextIsKeptFromItsSecondSight() {
        List<String> asked = new ArrayList<>();
        Texts texts = new Texts(sql -> asked.add(sql) && sql.startsWith("create"));
        Text first = texts.of("select 2");
        assertThat(first.isKept()).isFalse();
        Text second = texts.of(new String("select 2"));
        assertThat(second.isKept()).isTrue();
        assertThat(texts.of("select 2")).isSameAs(second);
        assertThat(asked).hasSize(2);
        assertThat(texts.of("create table t").isExempt()).isTrue();
    }

    @Test
    void twoTextsOfOnePlaceDoNotPushEachOtherOut() {
        Texts texts = new Texts(sql -> false);
        // Of the same hash.
        for (int i = 0; i < 2; i++) {
            texts.of("Aa");
        }
        for (int i = 0; i < 2; i++) {
            texts.of("BB");
        }
        Text one = texts.of("Aa");
        Text other = texts.of("BB");
        assertThat(one.isKept() && other.isKept()).isTrue();
        assertThat(texts.of("Aa")).isSameAs(one);
        assertThat(texts.of("BB")).isSameAs(other);
    }

    @Test
    void longTextsAreNotKept() {
        Texts texts = new Texts(sql -> false);
        String text = "x".repeat(Texts.LONGEST + 1);
        for (int i = 0; i < 3; i++) {
            assertThat(texts.of(text).isKept()).isFalse();
        }
    }

    @Test
    void aTextLeavesItsNeighbourWhereItIs() {
        Texts texts = new Texts(sql -> false);
        // Each has its first place where the other has its second.
        texts.of("a");
        Text one = texts.of("a");
        texts.of("`");
        assertThat(texts.of("`").isKept()).isTrue();
        assertThat(texts.of("a")).isSameAs(one);
    }
}
