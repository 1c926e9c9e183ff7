package com.jd.sword.sqlthrottle.bench;

import java.util.List;

/** Every row of a run. */
record Table(List<Row> rows) {
    private static final List<String> HEADER =
            List.of("case", "peer", "ours", "peer's", "reached (middle half)", "target", "");
    /** Columns of text, which begin at the left; figures end at the right. */
    private static final List<Integer> TEXTS = List.of(0, 1, 6);

    @Override
    public String toString() {
        int[] widths = new int[HEADER.size()];
        widen(widths, HEADER);
        rows.forEach(row -> widen(widths, row.cells()));

        StringBuilder text = new StringBuilder();
        write(text, widths, HEADER);
        for (int width : widths) {
            text.append('|').append("-".repeat(width + 2));
        }
        text.append("|\n");
        rows.forEach(row -> write(text, widths, row.cells()));
        text.append('\n');
        rows.stream()
                .filter(row -> !row.note().isEmpty())
                .forEach(row -> text.append(row.label()).append(": ").append(row.note()).append('\n'));
        return text.append(count(Row.Verdict.PASS)).append(" targets met, ").append(count(Row.Verdict.MISS))
                .append(" missed; ").append(count(Row.Verdict.NOT_MEASURED))
                .append(" rows not measured. Medians, of one thread of its time on a processor; all sides run in turns.\n")
                .toString();
    }

    private long count(Row.Verdict verdict) {
        return rows.stream().filter(row -> row.verdict() == verdict).count();
    }

    private static void widen(int[] widths, List<String> cells) {
        for (int i = 0; i < widths.length; i++) {
            widths[i] = Math.max(widths[i], cells.get(i).length());
        }
    }

    private static void write(StringBuilder text, int[] widths, List<String> cells) {
        for (int i = 0; i < widths.length; i++) {
            String blank = " ".repeat(widths[i] - cells.get(i).length());
            text.append("| ").append(TEXTS.contains(i) ? cells.get(i) + blank : blank + cells.get(i)).append(' ');
        }
        text.append("|\n");
    }
}
