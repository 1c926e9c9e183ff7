package com.jd.sword.mybatis.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The example as a reader runs it, for a short time. What it measures is the machine's; what is tested adds up on any. */
class MainTest {
    private static final int THRESHOLD = 20;

    private static String printed() throws Exception {
        PrintStream out = System.out;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setOut(new PrintStream(bytes, true, "UTF-8"));
        try {
            Main.main(new String[] {"1"});
        } finally {
            System.setOut(out);
        }
        return bytes.toString("UTF-8");
    }

    /** What a line of either run says of a kind: sent, aborted, ignored. */
    private static List<int[]> counts(String text, Kind kind) {
        Matcher line = Pattern.compile("^" + kind.plural() + " +(\\d+) +(\\d+) +(\\d+) ", Pattern.MULTILINE).matcher(text);
        List<int[]> counts = new ArrayList<>();
        while (line.find()) {
            counts.add(new int[] {Integer.parseInt(line.group(1)), Integer.parseInt(line.group(2)), Integer.parseInt(line.group(3))});
        }
        assertThat(counts).as(text).hasSize(2);
        return counts;
    }

    @Test
    void theBurstIsThrottledAndNothingElse() throws Exception {
        String text = printed();

        String file = Files.readString(Path.of("src/main/resources/application.yml"), StandardCharsets.UTF_8);
        assertThat(file.lines()).allSatisfy(line -> assertThat(text).contains(line));
        Matcher fingerprint = Pattern.compile("^  ([0-9a-f]{12})  ", Pattern.MULTILINE).matcher(text);
        assertThat(fingerprint.results().map(found -> found.group(1))).hasSize(3).allSatisfy(found -> assertThat(file).contains(found));

        for (Kind kind : Kind.values()) {
            int[] without = counts(text, kind).get(0);
            assertThat(without[0]).as("sent: " + text).isPositive();
            assertThat(without[1] + without[2]).as("refused without the plugin: " + text).isZero();
        }
        int[] reports = counts(text, Kind.REPORT).get(1);
        assertThat(reports[0]).as(text).isEqualTo(THRESHOLD);
        assertThat(reports[1]).as(text).isPositive();
        assertThat(reports[2]).as(text).isZero();
        int[] views = counts(text, Kind.VIEW).get(1);
        assertThat(views[0]).as(text).isEqualTo(THRESHOLD);
        assertThat(views[1]).as(text).isZero();
        assertThat(views[2]).as(text).isPositive();
        int[] exports = counts(text, Kind.EXPORT).get(1);
        assertThat(exports[0]).as(text).isGreaterThan(THRESHOLD);
        assertThat(exports[1] + exports[2]).as(text).isZero();
        assertThat(text).contains((exports[0] - THRESHOLD) + " had to wait before they took a connection");
        int[] innocent = counts(text, Kind.INNOCENT).get(1);
        assertThat(innocent[0]).as(text).isPositive();
        assertThat(innocent[1] + innocent[2]).as(text).isZero();
    }
}
