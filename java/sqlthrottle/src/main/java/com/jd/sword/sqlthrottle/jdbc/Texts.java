package com.jd.sword.sqlthrottle.jdbc;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;

/**
 * The texts that statements send again and again. A table of a fixed size in which a text has two places, so a look-up takes no lock
 * and makes no garbage, and what is not asked for any more is pushed out. A text is kept from its second sight on: those that have their
 * constants written into them are mostly seen once.
 */
final class Texts {
    /** Places, a power of two. */
    static final int PLACES = 2048;
    /** Most characters of a text that is kept, so that all of them together are a few megabytes at the worst. */
    static final int LONGEST = 4096;
    /** Columns of which none is learned any more, so that these are some megabytes too. */
    static final int COLUMNS = 32_768;

    private final AtomicReferenceArray<Text> places = new AtomicReferenceArray<>(PLACES);
    /** The hash of the last text that was not kept, by place. Races lose a sight, and nothing else. */
    private final int[] sights = new int[PLACES];
    private final Predicate<String> exempt;

    /** @param exempt which texts are never checked; asked once of a text that is kept */
    Texts(Predicate<String> exempt) {
        this.exempt = exempt;
    }

    Text of(String sql) {
        int hash = sql.hashCode();
        hash ^= hash >>> 16;
        int place = hash & PLACES - 1;
        Text text = places.get(place);
        if (text != null && text.sql().equals(sql)) {
            return text;
        }
        Text other = places.get(place ^ 1);
        if (other != null && other.sql().equals(sql)) {
            return other;
        }
        return first(sql, hash, place, text);
    }

    private Text first(String sql, int hash, int place, Text here) {
        boolean exempted = exempt.test(sql);
        boolean kept = sql.length() <= LONGEST && sights[place] == hash;
        Text text = new Text(sql, exempted, kept);
        if (kept) {
            if (here != null) {
                places.set(place ^ 1, here);
            }
            places.set(place, text);
        } else {
            sights[place] = hash;
        }
        return text;
    }

    /** How many columns are known of all texts. Counted anew each time, which is once for each text that is kept. */
    int columns() {
        int columns = 0;
        for (int place = 0; place < PLACES; place++) {
            Text text = places.get(place);
            columns += text == null ? 0 : text.columns().getColumnCount();
        }
        return columns;
    }
}
