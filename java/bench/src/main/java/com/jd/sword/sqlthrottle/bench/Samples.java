package com.jd.sword.sqlthrottle.bench;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What was measured on one Java. */
final class Samples {
    private final Map<Subject, List<Double>> nanoseconds = new EnumMap<>(Subject.class);
    private final List<Double> garbage = new ArrayList<>();
    private final Map<Subject, String> failures = new EnumMap<>(Subject.class);

    /** @param ns of a call, as its thread sees it */
    void add(Subject subject, double ns) {
        of(subject).add(ns);
    }

    /** @param bytes of a call to {@link Subject#IS_ALLOWED} */
    void addGarbage(double bytes) {
        garbage.add(bytes);
    }

    void failed(Subject subject, String why) {
        failures.put(subject, why);
    }

    /** Where a subject was never measured, why. */
    String failure(Subject subject) {
        return of(subject).isEmpty() ? failures.getOrDefault(subject, "left out") : null;
    }

    List<Double> of(Subject subject) {
        return nanoseconds.computeIfAbsent(subject, unseen -> new ArrayList<>());
    }

    List<Double> garbage() {
        return garbage;
    }
}
