package com.jd.sword.sqlthrottle.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Prints one table: sqlthrottle beside its peers in Java.
 *
 * <p>A missed target is marked in the table and never fails the run: figures belong to a machine, tests do not.
 */
public final class Main {
    private static final String USAGE = """
            Prints one table: sqlthrottle beside its peers in Java.

            --jdk HOME     a Java to measure on; may be given several times. Without it, the one that runs this
            --only TEXT    only the rows whose name or peer holds this text
            --rounds N     how often everything is measured in turns (3)
            --millis N     of a stretch that is timed, of which a round has five for each side (250)
            """;
    private static final String GARBAGE = "garbage of isAllowed(String)";

    private final List<Jdk> jdks = new ArrayList<>();
    private String only = "";
    private int rounds = 3;
    private int millis = 250;
    private final List<Case> cases;
    private final boolean withGarbage;

    private Main(String[] arguments) throws IOException {
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            String value = arguments[i + 1];
            switch (arguments[i]) {
                case "--jdk" -> jdks.add(Jdk.at(Path.of(value)));
                case "--only" -> only = value;
                case "--rounds" -> rounds = positive(value);
                case "--millis" -> millis = positive(value);
                default -> throw new IllegalArgumentException(arguments[i]);
            }
        }
        if (arguments.length % 2 != 0) {
            throw new IllegalArgumentException(arguments[arguments.length - 1]);
        }
        if (jdks.isEmpty()) {
            jdks.add(Jdk.at(Path.of(System.getProperty("java.home"))));
        }
        String part = only;
        cases = Case.ALL.stream().filter(each -> each.isCalled(part)).toList();
        withGarbage = GARBAGE.contains(only);
        if (cases.isEmpty() && !withGarbage) {
            throw new IllegalArgumentException("no row is called " + only);
        }
    }

    /** See {@code --help}. */
    public static void main(String[] arguments) throws IOException {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        Main main;
        try {
            main = new Main(arguments);
        } catch (IllegalArgumentException e) {
            System.err.println("not understood: " + e.getMessage() + "\n\n" + USAGE);
            System.exit(2);
            return;
        }
        out.print(main.measured());
    }

    private static int positive(String text) {
        int number = Integer.parseInt(text);
        if (number < 1) {
            throw new IllegalArgumentException(text);
        }
        return number;
    }

    private Table measured() {
        EnumSet<Subject> subjects = EnumSet.noneOf(Subject.class);
        cases.forEach(each -> subjects.addAll(each.subjects()));
        if (withGarbage) {
            subjects.add(Subject.IS_ALLOWED);
        }
        Map<Jdk, Samples> samples = new LinkedHashMap<>();
        jdks.forEach(jdk -> samples.put(jdk, new Samples()));
        List<Subject> turn = new ArrayList<>(subjects);
        for (int round = 0; round < rounds; round++) {
            samples.forEach((jdk, into) -> turn.forEach(subject -> new Fork(jdk, subject, millis).run(into)));
            // So that none always profits, or suffers, from the one before it.
            Collections.reverse(turn);
        }
        List<Row> rows = new ArrayList<>();
        samples.forEach((jdk, of) -> {
            cases.forEach(each -> rows.add(each.row(jdk, of)));
            if (withGarbage) {
                rows.add(garbage(jdk, of));
            }
        });
        return new Table(rows);
    }

    private static Row garbage(Jdk jdk, Samples samples) {
        String label = GARBAGE + ", " + jdk;
        return samples.garbage().isEmpty()
                ? Row.notMeasured(label, "", String.valueOf(samples.failure(Subject.IS_ALLOWED)))
                : Row.garbage(label, samples.garbage());
    }
}
