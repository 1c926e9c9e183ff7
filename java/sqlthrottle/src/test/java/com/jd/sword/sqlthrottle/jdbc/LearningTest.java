package com.jd.sword.sqlthrottle.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import com.jd.sword.sqlthrottle.Dialect;
import com.jd.sword.sqlthrottle.Throttle;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** Which results are asked for their columns, and what is kept of them. */
class LearningTest {
    private static final String SELECT = "select id from t";

    private final ResultSet rows = mock(ResultSet.class);
    private final ResultSetMetaData shown = mock(ResultSetMetaData.class);

    LearningTest() throws SQLException {
        when(rows.getMetaData()).thenReturn(shown);
        when(shown.getColumnCount()).thenReturn(2);
        when(shown.getColumnLabel(anyInt())).thenReturn("id");
    }

    @Test
    void aTextIsAskedOnceFromItsSecondSight() throws SQLException {
        try (Throttle throttle = Throttle.of("")) {
            Gate gate = gate(throttle);
            gate.learn(gate.text(SELECT), rows);
            verify(rows, never()).getMetaData();
            gate.learn(gate.text(SELECT), rows);
            gate.learn(gate.text(SELECT), rows);
            verify(rows, times(1)).getMetaData();
            assertThat(gate.text(SELECT).columns().find("id")).isEqualTo(1);
        }
    }

    @Test
    void columnsOfAllTextsAreBounded() throws SQLException {
        when(shown.getColumnCount()).thenReturn(512);
        try (Throttle throttle = Throttle.of("")) {
            Gate gate = gate(throttle);
            for (int i = 0; i < Texts.COLUMNS / 512 + 10; i++) {
                gate.learn(kept(gate, SELECT + i), rows);
            }
            verify(rows, times(Texts.COLUMNS / 512)).getMetaData();
        }
    }

    private static Gate gate(Throttle throttle) {
        return new Gate(throttle, InTransaction.APPLY, Dialect.GENERIC, sql -> false, null, Wait.Time.SYSTEM);
    }

    private static Text kept(Gate gate, String sql) throws SQLException {
        gate.text(sql);
        return gate.text(sql);
    }
}
