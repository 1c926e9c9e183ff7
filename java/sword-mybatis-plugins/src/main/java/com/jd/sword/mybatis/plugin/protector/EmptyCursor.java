package com.jd.sword.mybatis.plugin.protector;

import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.ibatis.cursor.Cursor;

/** The cursor of a query that is ignored: it has no rows, and otherwise does as those of MyBatis. */
final class EmptyCursor<T> implements Cursor<T>, Iterator<T> {
    private final int offset;
    private boolean iterated;
    private boolean consumed;
    private boolean closed;

    /** @param offset of the first row that was asked for */
    EmptyCursor(int offset) {
        this.offset = offset;
    }

    @Override
    public boolean isOpen() {
        return false;
    }

    @Override
    public boolean isConsumed() {
        return consumed;
    }

    @Override
    public int getCurrentIndex() {
        return offset - 1;
    }

    @Override
    public Iterator<T> iterator() {
        if (iterated || closed) {
            throw new IllegalStateException(closed ? "the cursor is closed" : "a cursor is iterated once");
        }
        iterated = true;
        return this;
    }

    @Override
    public boolean hasNext() {
        consumed = !closed;
        return false;
    }

    @Override
    public T next() {
        consumed = !closed;
        throw new NoSuchElementException();
    }

    @Override
    public void close() {
        closed = !consumed;
    }
}
