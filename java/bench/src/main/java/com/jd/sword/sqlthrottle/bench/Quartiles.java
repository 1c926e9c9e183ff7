package com.jd.sword.sqlthrottle.bench;

import java.util.Arrays;
import java.util.List;

/** The middle of a distribution and the bounds of its middle half. */
record Quartiles(double low, double median, double high) {
    /** Of at least one value. */
    static Quartiles of(List<Double> values) {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        return new Quartiles(at(sorted, 1), at(sorted, 2), at(sorted, 3));
    }

    private static double at(double[] sorted, int quarter) {
        return sorted[(sorted.length - 1) * quarter / 4];
    }
}
