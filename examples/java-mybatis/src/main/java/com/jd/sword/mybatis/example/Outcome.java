package com.jd.sword.mybatis.example;

import java.util.List;

/** What became of a statement, as its caller sees it: each of them finds its rows unless it was ignored. */
enum Outcome {
    SENT,
    ABORTED,
    IGNORED;

    static Outcome ofRows(List<?> rows) {
        return rows.isEmpty() ? IGNORED : SENT;
    }

    static Outcome ofCount(int rows) {
        return rows == 0 ? IGNORED : SENT;
    }
}
