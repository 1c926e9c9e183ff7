package com.jd.sword.sqlthrottle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TableTest {
    @Test
    void quartilesIgnoreOrderAndOutliers() {
        assertThat(Quartiles.of(List.of(9000.0, 3.0, 1.0, 4.0, 2.0))).isEqualTo(new Quartiles(2, 3, 4));
    }

    @Test
    void aRowPassesFromItsTargetUp() {
        assertThat(times(1, 10).verdict()).isEqualTo(Row.Verdict.PASS);
        assertThat(times(1, 10.1).verdict()).isEqualTo(Row.Verdict.MISS);
        assertThat(times(1, 0).verdict()).isEqualTo(Row.Verdict.INFORMS);
    }

    /** Two threads that take as long for a call each as one does are twice as fast. */
    @Test
    void threadsCount() {
        Row row = times(2, 10);
        assertThat(row.reached()).startsWith("20.00 ×");
        assertThat(row.target()).isEqualTo("≥ 10.0 ×");
    }

    @Test
    void nothingButNoGarbagePasses() {
        assertThat(Row.garbage("isAllowed", List.of(0.0004, 0.0001)).verdict()).isEqualTo(Row.Verdict.PASS);
        assertThat(Row.garbage("isAllowed", List.of(16.0, 16.0)).verdict()).isEqualTo(Row.Verdict.MISS);
    }

    @Test
    void nanosecondsAreGrouped() {
        assertThat(Row.nanoseconds(7.25)).isIn("7.2 ns", "7.3 ns");
        assertThat(Row.nanoseconds(999.4)).isEqualTo("999 ns");
        assertThat(Row.nanoseconds(1_234_567.8)).isEqualTo("1,234,568 ns");
    }

    @Test
    void aRowWithoutAFigureSaysWhy() {
        assertThat(new Table(List.of(Row.notMeasured("check", "", "no library"))).toString())
                .contains("NOT MEASURED", "check: no library", "1 rows not measured");
    }

    private static Row times(double speed, double least) {
        return Row.times("check", "peer", List.of(20.0, 20.0, 20.0), List.of(190.0, 210.0, 200.0), speed, least);
    }
}
