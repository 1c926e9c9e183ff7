package com.jd.sword.sqlthrottle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StatementContextTest {
    private static final StatementContext FULL = StatementContext.builder().user("dev").client("10.0.0.1").database("shop")
            .tag("a", "1").parameters("x", null).dialect(Dialect.MYSQL).weight(3).fakes(Fakes.COUNT).build();

    @Test
    void itSaysWhatItWasBuiltWith() {
        assertThat(FULL.user()).isEqualTo("dev");
        assertThat(FULL.client()).isEqualTo("10.0.0.1");
        assertThat(FULL.database()).isEqualTo("shop");
        assertThat(FULL.tags()).containsExactly(Map.entry("a", "1"));
        assertThat(FULL.parameters()).containsExactly("x", null);
        assertThat(FULL.dialect()).isEqualTo(Dialect.MYSQL);
        assertThat(FULL.weight()).isEqualTo(3);
        assertThat(FULL.fakes()).isEqualTo(Fakes.COUNT);
        assertThat(FULL.toString()).contains("dev", "parameters=2").doesNotContain("x,");
        assertThat(FULL.toBuilder().build().encoded()).isEqualTo(FULL.encoded());
    }

    @Test
    void whatIsNotKnownIsLeftOut() {
        StatementContext empty = StatementContext.empty();
        assertThat(empty.encoded()).isNull();
        assertThat(empty.encoded(new ArrayList<>())).isNull();
        assertThat(empty.weight()).isEqualTo(1);
        assertThat(empty.fakes()).isEqualTo(Fakes.NONE);
        assertThat(empty.dialect()).isNull();
        assertThat(StatementContext.of("", null).encoded()).as("an empty user is a user").isNotNull();
    }

    @Test
    void itIsNotChangedByWhatItWasBuiltFrom() {
        List<String> parameters = new ArrayList<>(Arrays.asList("1"));
        StatementContext.Builder builder = StatementContext.builder().parameters(parameters).tag("a", "1");
        StatementContext context = builder.build();
        parameters.set(0, "2");
        builder.tag("a", "2").user("other");
        assertThat(context.parameters()).containsExactly("1");
        assertThat(context.tags()).containsEntry("a", "1");
        assertThat(context.user()).isNull();
        assertThatThrownBy(() -> context.tags().put("b", "")).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> context.parameters().add("")).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void defaultsHoldWhereItDoesNotSay() {
        StatementContext own = StatementContext.builder().user("ops").tag("a", "2").tag("b", "3").weight(2).build();
        StatementContext whole = own.withDefaults(FULL);
        assertThat(whole.user()).isEqualTo("ops");
        assertThat(whole.client()).isEqualTo("10.0.0.1");
        assertThat(whole.database()).isEqualTo("shop");
        assertThat(whole.tags()).containsOnly(Map.entry("a", "2"), Map.entry("b", "3"));
        assertThat(whole.dialect()).isEqualTo(Dialect.MYSQL);
        assertThat(whole.weight()).isEqualTo(2);
        assertThat(whole.fakes()).isEqualTo(Fakes.NONE);
        assertThat(whole.parameters()).isEmpty();
        assertThat(own.withDefaults(FULL)).as("made once").isSameAs(whole);
        assertThat(own.withDefaults(null)).isSameAs(own);
        assertThat(own.withDefaults(own)).isSameAs(own);
        assertThat(own.withDefaults(StatementContext.of("x", "y")).client()).as("of the defaults that are given").isEqualTo("y");
    }

    @Test
    void tagsAreBounded() {
        StatementContext.Builder builder = StatementContext.builder();
        for (int i = 0; i < StatementContext.MAX_TAGS; i++) {
            builder.tag("t" + i, "v");
        }
        assertThatThrownBy(() -> builder.tag("more", "v")).isInstanceOf(IllegalArgumentException.class);
        builder.tag("t0", "again").tag("t1", null).tag("more", "v");
        StatementContext context = builder.build();
        assertThat(context.tags()).hasSize(StatementContext.MAX_TAGS).containsEntry("t0", "again").doesNotContainKey("t1");
        assertThat(context.withDefaults(StatementContext.builder().tag("beyond", "v").build()).tags())
                .hasSize(StatementContext.MAX_TAGS).doesNotContainKey("beyond");
        try (Throttle throttle = Throttle.of("")) {
            assertThat(throttle.check("select 1", context).isAllowed()).isTrue();
        }
    }

    @Test
    void aWeightIsPositive() {
        assertThatThrownBy(() -> StatementContext.builder().weight(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> StatementContext.builder().weight(-1)).isInstanceOf(IllegalArgumentException.class);
    }
}
