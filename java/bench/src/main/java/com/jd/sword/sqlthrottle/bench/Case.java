package com.jd.sword.sqlthrottle.bench;

import java.util.List;
import java.util.Set;

/**
 * A row that is to be measured.
 *
 * @param peer of its subject, for people
 * @param least how many times as fast ours should be; 0 where the row only informs
 */
record Case(String label, Subject ours, String peer, Subject theirs, double least) {
    private static final String ALLOWED = "check(String) of a known statement";
    private static final String TWO = "the same from 2 threads";
    private static final String MAPPED = "MyBatis plugin, select by primary key";
    private static final String SELECT = "wrapped DataSource, select by primary key";

    /** The rows of the table, beside that of the garbage. */
    static final List<Case> ALL = List.of(
            new Case(ALLOWED, Subject.CHECK, "Bucket4j, ConcurrentHashMap", Subject.BUCKET4J, 1 / 1.3),
            new Case(ALLOWED, Subject.CHECK, "Sentinel, entry and exit", Subject.SENTINEL, 10),
            new Case(ALLOWED, Subject.CHECK, "Resilience4j, ConcurrentHashMap", Subject.RESILIENCE4J, 0),
            new Case(ALLOWED, Subject.CHECK, "Guava, ConcurrentHashMap", Subject.GUAVA, 0),
            new Case(TWO, Subject.CHECK_2, "Bucket4j from 2 threads", Subject.BUCKET4J_2, 3),
            new Case(TWO, Subject.CHECK_2, "ours from 1 thread", Subject.CHECK, 1.6),
            new Case("isAllowed(String) of a known statement", Subject.IS_ALLOWED, "Bucket4j, ConcurrentHashMap",
                    Subject.BUCKET4J, 0),
            new Case(SELECT, Subject.SELECT_WRAPPED, "plain: H2 in memory, HikariCP", Subject.SELECT_PLAIN, 1 / 1.05),
            new Case(MAPPED, Subject.MAPPED_PLUGIN, "plain: MyBatis, H2 in memory, HikariCP", Subject.MAPPED_PLAIN, 1 / 1.05),
            new Case(MAPPED + " from 8 threads", Subject.MAPPED_PLUGIN_8, "plain from 8 threads", Subject.MAPPED_PLAIN_8, 1 / 1.05));

    boolean isCalled(String part) {
        return label.contains(part) || peer.contains(part);
    }

    Set<Subject> subjects() {
        return Set.of(ours, theirs);
    }

    Row row(Jdk jdk, Samples samples) {
        String name = label + ", " + jdk;
        for (Subject subject : List.of(ours, theirs)) {
            String failure = samples.failure(subject);
            if (failure != null) {
                return Row.notMeasured(name, peer, failure);
            }
        }
        double speed = (double) ours.threads() / theirs.threads();
        return Row.times(name, peer, samples.of(ours), samples.of(theirs), speed, least);
    }
}
