package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.Fakes;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The texts of a batch of a plain statement. They are checked by shape, one check for all texts of one, which weighs as many as they are:
 * by text, a batch with its constants written into it would take a place of a concurrency rule for each of them. Rules that look at
 * constants see those of the first.
 */
final class TextBatch {
    private final List<String> texts = new ArrayList<>();

    void add(String sql) {
        texts.add(sql);
    }

    int size() {
        return texts.size();
    }

    /** Decides on all of it: all are let through, or none. */
    Pass enter(Gate gate, Object[] cell, ExecutedStatement statement) throws SQLException {
        Map<String, List<Text>> shapes = new LinkedHashMap<>();
        for (String sql : texts) {
            Text text = gate.text(sql);
            shapes.computeIfAbsent(texts.size() == 1 ? "" : gate.shape(sql), shape -> new ArrayList<>()).add(text);
        }
        // Of several shapes some might be ignored and others not, which nobody could be told.
        Fakes fakes = shapes.size() == 1 ? Fakes.COUNT : Fakes.NONE;
        Pass all = Pass.SEND;
        boolean isComplete = false;
        try {
            for (List<Text> same : shapes.values()) {
                Pass pass = gate.enter(cell, statement, same.get(0), fakes, same.size(), null);
                all = all.and(pass);
            }
            isComplete = true;
        } finally {
            if (!isComplete) {
                all.release();
            }
        }
        return all;
    }
}
