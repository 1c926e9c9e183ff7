package com.jd.sword.sqlthrottle.jdbc;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A text of several statements, divided where every database would divide it. */
final class Script {
    private final String sql;
    private int at;

    private Script(String sql) {
        this.sql = sql;
    }

    /** The statements of a text, without those of blanks alone; none where databases would divide it in different ways. */
    static List<String> statements(String sql) {
        return new Script(sql).divided();
    }

    private List<String> divided() {
        List<String> statements = new ArrayList<>();
        int begun = 0;
        while (at < sql.length()) {
            if (sql.charAt(at) == ';') {
                add(statements, begun, at++);
                begun = at;
            } else if (!skip()) {
                return Collections.emptyList();
            }
        }
        add(statements, begun, at);
        return statements;
    }

    private void add(List<String> statements, int begun, int end) {
        String statement = sql.substring(begun, end);
        if (!statement.trim().isEmpty()) {
            statements.add(statement);
        }
    }

    /** Goes behind a constant, a comment or a character; false where it is not sure where that ends. */
    private boolean skip() {
        char c = sql.charAt(at);
        if (c == '\'' || c == '"' || c == '`') {
            return goBehind(String.valueOf(c), 1, "\\");
        }
        if (sql.startsWith("--", at)) {
            // Without the blank it is none to MySQL.
            boolean isComment = at + 2 == sql.length() || sql.charAt(at + 2) <= ' ';
            return isComment && (goBehind("\n", 2, "\0") || goToEnd());
        }
        if (sql.startsWith("/*", at)) {
            // MySQL and MariaDB run what stands in these; where comments nest, one with another in it ends elsewhere.
            return !sql.startsWith("/*!", at) && !sql.startsWith("/*M!", at) && goBehind("*/", 2, "/*");
        }
        if (c == '$' && (at == 0 || !Words.isOfWord(sql.charAt(at - 1)))) {
            return goBehindBody();
        }
        at++;
        // MySQL's other comment.
        return c != '#';
    }

    /** Goes behind what ends with a text, if another does not come before. */
    private boolean goBehind(String end, int length, String before) {
        int found = sql.indexOf(end, at + length);
        int other = sql.indexOf(before, at + length);
        if (found < 0 || other >= 0 && other < found) {
            return false;
        }
        at = found + end.length();
        return true;
    }

    private boolean goToEnd() {
        at = sql.length();
        return true;
    }

    /** Goes behind {@code $tag$ … $tag$}, or a dollar that begins nothing. */
    private boolean goBehindBody() {
        int end = at + 1;
        while (end < sql.length() && sql.charAt(end) != '$' && Words.isOfWord(sql.charAt(end))) {
            end++;
        }
        if (end == sql.length() || sql.charAt(end) != '$') {
            at = end;
            return true;
        }
        String tag = sql.substring(at, end + 1);
        return goBehind(tag, tag.length(), "\0");
    }
}
