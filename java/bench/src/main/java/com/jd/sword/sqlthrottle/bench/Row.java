package com.jd.sword.sqlthrottle.bench;

import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * One line of the table, which looks like those of the benches in Rust.
 *
 * @param label what is measured
 * @param peer what it is measured against; empty where it stands alone
 * @param ours the raw figure of ours
 * @param theirs the raw figure of the peer's
 * @param reached what the target speaks of
 * @param target what it should be; empty where the row only informs
 * @param note what the columns cannot say; printed under the table
 */
record Row(String label, String peer, String ours, String theirs, String reached, String target, Verdict verdict, String note) {
    /** What has become of the target of a row. */
    enum Verdict {
        PASS("✓ pass"), MISS("✗ MISS"), INFORMS(""), NOT_MEASURED("NOT MEASURED");

        private final String mark;

        Verdict(String mark) {
            this.mark = mark;
        }
    }

    /** A row that says why it has no figures. */
    static Row notMeasured(String label, String peer, String why) {
        return new Row(label, peer, "", "", "", "", Verdict.NOT_MEASURED, why);
    }

    /**
     * So many times faster than the peer.
     *
     * @param ours nanoseconds, a figure for every stretch of time that was measured
     * @param theirs those of the peer, measured in turns with ours
     * @param speed how many times as much the faster of two as fast ones does: the threads of ours over those of the peer
     * @param least the least that it should be; 0 where the row only informs
     */
    static Row times(String label, String peer, List<Double> ours, List<Double> theirs, double speed, double least) {
        int rounds = Math.min(ours.size(), theirs.size());
        List<Double> ratios = IntStream.range(0, rounds)
                .mapToObj(i -> speed * theirs.get(i) / ours.get(i))
                .toList();
        Quartiles ratio = Quartiles.of(ratios);
        String reached = String.format(Locale.ROOT, "%.2f × (%.2f to %.2f)", ratio.median(), ratio.low(), ratio.high());
        String target = least == 0 ? "" : String.format(Locale.ROOT, least < 1 ? "≥ %.2f ×" : "≥ %.1f ×", least);
        Verdict verdict = least == 0 ? Verdict.INFORMS : ratio.median() >= least ? Verdict.PASS : Verdict.MISS;
        return new Row(label, peer, nanoseconds(Quartiles.of(ours).median()), nanoseconds(Quartiles.of(theirs).median()),
                reached, target, verdict, "");
    }

    /** Bytes of garbage of a call, of which there should be none. What is less than a tenth is the harness's own. */
    static Row garbage(String label, List<Double> bytes) {
        double median = Quartiles.of(bytes).median();
        String reached = String.format(Locale.ROOT, "%.1f B", median);
        return new Row(label, "", reached, "", reached, "0 B", median < 0.1 ? Verdict.PASS : Verdict.MISS, "");
    }

    List<String> cells() {
        return List.of(label, peer, ours, theirs, reached, target, verdict.mark);
    }

    /** Nanoseconds for people: {@code 1,234 ns}, and a digit after the point where there are few. */
    static String nanoseconds(double ns) {
        return String.format(Locale.ROOT, ns < 100 ? "%.1f ns" : "%,.0f ns", ns);
    }
}
