package com.jd.sword.mybatis.example;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;

/** What became of the statements of one run, a line a kind. */
final class Table {
    private static final String HEADER = String.format("%-22s%8s%9s%9s%14s%14s%n", "", "sent", "aborted", "ignored", "half within",
            "99 % within");

    private final StringBuilder text = new StringBuilder(HEADER);

    Table(Map<Kind, Tally> run) {
        run.forEach(this::add);
    }

    private void add(Kind kind, Tally tally) {
        text.append(String.format("%-22s%8d%9d%9d%14s%14s%n", kind.plural(), tally.count(Outcome.SENT), tally.count(Outcome.ABORTED),
                tally.count(Outcome.IGNORED), millis(tally.latency(50)), millis(tally.latency(99))));
    }

    private static String millis(Duration latency) {
        return String.format(Locale.ROOT, "%.1f ms", latency.toNanos() / 1e6);
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
