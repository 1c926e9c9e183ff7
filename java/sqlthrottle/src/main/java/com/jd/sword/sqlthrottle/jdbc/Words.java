package com.jd.sword.sqlthrottle.jdbc;

import java.util.Locale;
import java.util.Set;

/**
 * The words at the beginning of a text. It stops for good at what may be a constant or is not understood, so a word that it finds was
 * written by whoever wrote the statement.
 */
final class Words {
    private final String sql;
    private int at;

    Words(String sql) {
        this.sql = sql;
    }

    /** The next word in lower case, or null where something else comes, as an operator does. */
    String next() {
        skipBlank();
        int start = at;
        while (at < sql.length() && isOfWord(sql.charAt(at))) {
            at++;
        }
        return start == at ? null : sql.substring(start, at).toLowerCase(Locale.ROOT);
    }

    /** Goes behind the next occurrence of a word; false where there is none, or a constant comes first. */
    boolean skipTo(String word) {
        for (;;) {
            skipBlank();
            if (at >= sql.length()) {
                return false;
            }
            char c = sql.charAt(at);
            if (isOfWord(c)) {
                if (next().equals(word)) {
                    return true;
                }
            } else if (c == '"' || c == '`') {
                if (quoted() == null) {
                    return false;
                }
            } else if (c == ',' || c == '.' || c == '*' || c == '(' || c == ')' || c == '=') {
                at++;
            } else {
                return false;
            }
        }
    }

    /**
     * Whether it goes on with the definition of one of these, and not of one of those: {@code or replace} may stand before, and by whom it
     * is defined.
     */
    boolean defines(Set<String> these, Set<String> those) {
        for (;;) {
            skipBlank();
            char c = at < sql.length() ? sql.charAt(at) : ';';
            if (isOfWord(c)) {
                String word = next();
                if (these.contains(word) || those.contains(word)) {
                    return these.contains(word);
                }
            } else if (c == '\'' || c == '"' || c == '`') {
                if (quoted() == null) {
                    return false;
                }
            } else if (c == '=' || c == '@' || c == '.') {
                at++;
            } else {
                return false;
            }
        }
    }

    /** The last part of the qualified name that comes next, in lower case; null where none does. */
    String nextName() {
        for (;;) {
            skipBlank();
            char c = at < sql.length() ? sql.charAt(at) : ' ';
            String part = c == '"' || c == '`' ? quoted() : next();
            if (part == null) {
                return null;
            }
            if (at >= sql.length() || sql.charAt(at) != '.') {
                return part.toLowerCase(Locale.ROOT);
            }
            at++;
        }
    }

    /** What stands in quotes; null where the end is not found, or a backslash may hide it. */
    private String quoted() {
        char quote = sql.charAt(at);
        int end = sql.indexOf(quote, at + 1);
        if (end < 0) {
            return null;
        }
        String inside = sql.substring(at + 1, end);
        if (inside.indexOf('\\') >= 0) {
            return null;
        }
        at = end + 1;
        return inside;
    }

    private void skipBlank() {
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (c <= ' ') {
                at++;
            } else if (sql.startsWith("--", at)) {
                int end = sql.indexOf('\n', at);
                at = end < 0 ? sql.length() : end + 1;
            } else if (sql.startsWith("/*", at) && !sql.startsWith("/*!", at) && !sql.startsWith("/*M!", at)
                    && !sql.startsWith("/*+", at)) {
                int end = sql.indexOf("*/", at + 2);
                int inner = sql.indexOf("/*", at + 2);
                if (inner >= 0 && inner < end) {
                    // Where they nest it goes on behind this end, and where they do not it ends there.
                    at = sql.length();
                    return;
                }
                at = end < 0 ? sql.length() : end + 2;
            } else {
                return;
            }
        }
    }

    static boolean isOfWord(char c) {
        return c == '_' || c == '$' || Character.isLetterOrDigit(c);
    }
}
