package com.jd.sword.mybatis.plugin.protector;

import com.jd.sword.sqlthrottle.Decision;
import com.jd.sword.sqlthrottle.Throttle;
import java.io.IOException;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.ibatis.cursor.Cursor;

/** A cursor whose statement holds places, until it is read to its end or closed, or the executor says that it is over. */
final class HeldCursor<T> implements Cursor<T> {
    private final Cursor<T> target;
    private final Throttle throttle;
    /** Null once it is given back. */
    private final AtomicReference<Decision> held;
    /** Where to strike it off when it is given back; null for nowhere. */
    private final Set<HeldCursor<?>> registry;

    HeldCursor(Cursor<T> target, Throttle throttle, Decision held, Set<HeldCursor<?>> registry) {
        this.target = target;
        this.throttle = throttle;
        this.held = new AtomicReference<>(held);
        this.registry = registry;
        if (registry != null) {
            registry.add(this);
        }
    }

    /** Gives the places back. Does nothing the second time. */
    void release() {
        Decision decision = held.getAndSet(null);
        if (decision != null) {
            throttle.release(decision);
            if (registry != null) {
                registry.remove(this);
            }
        }
    }

    @Override
    public boolean isOpen() {
        return target.isOpen();
    }

    @Override
    public boolean isConsumed() {
        return target.isConsumed();
    }

    @Override
    public int getCurrentIndex() {
        return target.getCurrentIndex();
    }

    @Override
    public Iterator<T> iterator() {
        return new Rows(target.iterator());
    }

    @Override
    public void close() throws IOException {
        try {
            target.close();
        } finally {
            release();
        }
    }

    private final class Rows implements Iterator<T> {
        private final Iterator<T> rows;

        Rows(Iterator<T> rows) {
            this.rows = rows;
        }

        @Override
        public boolean hasNext() {
            boolean has = false;
            try {
                has = rows.hasNext();
            } finally {
                // After a failure there are no more rows either.
                if (!has || target.isConsumed()) {
                    release();
                }
            }
            return has;
        }

        @Override
        public T next() {
            boolean has = false;
            try {
                T row = rows.next();
                has = true;
                return row;
            } finally {
                if (!has || target.isConsumed()) {
                    release();
                }
            }
        }
    }
}
