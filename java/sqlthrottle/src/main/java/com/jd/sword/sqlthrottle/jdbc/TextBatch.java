package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.Fakes;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The texts of a batch of a plain statement. They are checked by shape, one check for all texts of one, which weighs as many as they are:
 * by text, a batch with its constants written into it would take a place of a concurrency rule for each of them. Rules that look at
 * constants see those of the first. The places that they take are held together, except that of several shapes under one rule the last
 * holds its place alone, where there are not enough for all: the batch needs no more than one at a time.
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
        // In an order that all batches have in common, so that two of the same shapes do not each hold what the other needs.
        Map<String, List<Text>> shapes = new TreeMap<>();
        boolean hasExempt = false;
        for (String sql : texts) {
            Text text = gate.text(sql);
            if (text.isExempt()) {
                hasExempt = true;
            } else {
                shapes.computeIfAbsent(texts.size() == 1 ? "" : gate.shape(sql), shape -> new ArrayList<>()).add(text);
            }
        }
        // Of several shapes some might be ignored and others not, which nobody could be told.
        Fakes fakes = shapes.size() == 1 && !hasExempt ? Fakes.COUNT : Fakes.NONE;
        Pass all = Pass.SEND;
        boolean isComplete = false;
        try {
            for (List<Text> same : shapes.values()) {
                Pass pass = gate.enter(cell, statement, same.get(0), fakes, same.size(), null, all);
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
