package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.Fakes;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.List;
import java.util.function.IntFunction;
import lombok.experimental.Delegate;

/** A statement that asks before it is sent: of each method that sends one, what can be made up in place of its result. */
class ThrottledStatement extends ExecutedStatement {
    @Delegate(types = Statement.class, excludes = Intercepted.class)
    private final Statement target;

    private final Gate gate;
    /** Null where there is none. */
    private TextBatch batch;
    /** What a batch of so many was let through with that the driver cannot send in the way it was asked to; null where none was. */
    private Pass unsent;
    private int unsentSize;

    ThrottledStatement(ThrottledConnection connection, Statement target) {
        super(connection, target);
        this.gate = connection.gate();
        this.target = target;
    }

    // What sends a statement.

    @Override
    public ResultSet executeQuery(String sql) throws SQLException {
        return query(gate.text(sql), Fakes.ROWS, () -> target.executeQuery(sql));
    }

    @Override
    public int executeUpdate(String sql) throws SQLException {
        return (int) update(gate.text(sql), Fakes.COUNT, () -> target.executeUpdate(sql));
    }

    @Override
    public int executeUpdate(String sql, int keys) throws SQLException {
        return (int) update(gate.text(sql), counting(keys), () -> target.executeUpdate(sql, keys));
    }

    @Override
    public int executeUpdate(String sql, int[] keys) throws SQLException {
        return (int) update(gate.text(sql), Fakes.NONE, () -> target.executeUpdate(sql, keys));
    }

    @Override
    public int executeUpdate(String sql, String[] keys) throws SQLException {
        return (int) update(gate.text(sql), Fakes.NONE, () -> target.executeUpdate(sql, keys));
    }

    @Override
    public long executeLargeUpdate(String sql) throws SQLException {
        return update(gate.text(sql), Fakes.COUNT, () -> target.executeLargeUpdate(sql));
    }

    @Override
    public long executeLargeUpdate(String sql, int keys) throws SQLException {
        return update(gate.text(sql), counting(keys), () -> target.executeLargeUpdate(sql, keys));
    }

    @Override
    public long executeLargeUpdate(String sql, int[] keys) throws SQLException {
        return update(gate.text(sql), Fakes.NONE, () -> target.executeLargeUpdate(sql, keys));
    }

    @Override
    public long executeLargeUpdate(String sql, String[] keys) throws SQLException {
        return update(gate.text(sql), Fakes.NONE, () -> target.executeLargeUpdate(sql, keys));
    }

    @Override
    public boolean execute(String sql) throws SQLException {
        return either(gate.text(sql), Fakes.ROWS_AND_COUNT, () -> target.execute(sql));
    }

    @Override
    public boolean execute(String sql, int keys) throws SQLException {
        Fakes fakes = keys == NO_GENERATED_KEYS ? Fakes.ROWS_AND_COUNT : Fakes.ROWS;
        return either(gate.text(sql), fakes, () -> target.execute(sql, keys));
    }

    @Override
    public boolean execute(String sql, int[] keys) throws SQLException {
        return either(gate.text(sql), Fakes.ROWS, () -> target.execute(sql, keys));
    }

    @Override
    public boolean execute(String sql, String[] keys) throws SQLException {
        return either(gate.text(sql), Fakes.ROWS, () -> target.execute(sql, keys));
    }

    @Override
    public int[] executeBatch() throws SQLException {
        return batch(target::executeBatch, int[]::new);
    }

    @Override
    public long[] executeLargeBatch() throws SQLException {
        return batch(target::executeLargeBatch, long[]::new);
    }

    /** A key that is to be read back cannot be made up. */
    private static Fakes counting(int keys) {
        return keys == NO_GENERATED_KEYS ? Fakes.COUNT : Fakes.NONE;
    }

    final ResultSet query(Text text, Fakes fakes, Calls.ForRows call) throws SQLException {
        Object[] cell = Decided.cell();
        Pass entered = enter(cell, text, fakes);
        if (entered.isFaked()) {
            return getResultSet();
        }
        Object outer = Decided.mark(cell, gate.throttle());
        boolean isOpen = false;
        try {
            ResultSet found = opened(call.send(), entered);
            isOpen = holdsOn(entered, found != null, false);
            return found;
        } finally {
            Decided.restore(cell, outer);
            if (!isOpen) {
                entered.release();
            }
        }
    }

    final long update(Text text, Fakes fakes, Calls.ForCount call) throws SQLException {
        Object[] cell = Decided.cell();
        Pass entered = enter(cell, text, fakes);
        if (entered.isFaked()) {
            return 0;
        }
        Object outer = Decided.mark(cell, gate.throttle());
        boolean isOpen = false;
        try {
            long count = call.send();
            isOpen = holdsOn(entered, false, false);
            return count;
        } finally {
            Decided.restore(cell, outer);
            if (!isOpen) {
                entered.release();
            }
        }
    }

    final boolean either(Text text, Fakes fakes, Calls.ForEither call) throws SQLException {
        Object[] cell = Decided.cell();
        Pass entered = enter(cell, text, fakes);
        if (entered.isFaked()) {
            return entered == Pass.ROWS;
        }
        Object outer = Decided.mark(cell, gate.throttle());
        boolean isOpen = false;
        try {
            boolean isRows = call.send();
            isOpen = holdsOn(entered, isRows, true);
            return isRows;
        } finally {
            Decided.restore(cell, outer);
            if (!isOpen) {
                entered.release();
            }
        }
    }

    private <T> T batch(Calls.ForCounts<T> call, IntFunction<T> zeros) throws SQLException {
        int size = batchSize();
        if (size == 0) {
            return call.send();
        }
        Object[] cell = Decided.cell();
        Pass entered = takeUnsent(size);
        if (entered == null) {
            endLast();
            entered = enterBatch(cell, size);
        }
        if (entered.isFaked()) {
            fake(Pass.OVER, null);
            clearBatch();
            return zeros.apply(size);
        }
        begun(Pass.SEND, null);
        Object outer = Decided.mark(cell, gate.throttle());
        boolean isUnsent = false;
        try {
            T counts = call.send();
            forgetBatch();
            return counts;
        } catch (BatchUpdateException e) {
            forgetBatch();
            throw e;
        } catch (UnsupportedOperationException | SQLFeatureNotSupportedException | AbstractMethodError e) {
            // Callers send it by the older method then. After any other failure it may still be there, and is checked again.
            keepUnsent(entered, size);
            isUnsent = true;
            throw e;
        } finally {
            Decided.restore(cell, outer);
            if (!isUnsent) {
                entered.release();
            }
        }
    }

    /** Another execution, and whatever else ends one, gives it back, and it is no longer of any use. */
    private void keepUnsent(Pass entered, int size) {
        unsent = entered;
        unsentSize = size;
        begun(entered, null);
        register(entered);
    }

    private Pass takeUnsent(int size) {
        Pass taken = unsent;
        unsent = null;
        return taken != null && size == unsentSize && (taken == Pass.SEND || taken.isHeld()) ? taken : null;
    }

    // Batches.

    @Override
    public void addBatch(String sql) throws SQLException {
        target.addBatch(sql);
        if (batch == null) {
            batch = new TextBatch();
        }
        batch.add(sql);
    }

    @Override
    public void clearBatch() throws SQLException {
        target.clearBatch();
        forgetBatch();
    }

    int batchSize() {
        return batch == null ? 0 : batch.size();
    }

    void forgetBatch() {
        batch = null;
        unsent = null;
    }

    /**
     * Decides on all of the batch. Where it is refused, nothing of it is sent, and it stays as it is: so it can be sent later, where one
     * that was forgotten would be sent later too, as one of nothing, and nobody would notice.
     */
    Pass enterBatch(Object[] cell, int size) throws SQLException {
        return batch.enter(gate, cell, this);
    }

    /** What is not handed on as it is. */
    interface Intercepted {
        ResultSet executeQuery(String sql) throws SQLException;

        int executeUpdate(String sql) throws SQLException;

        int executeUpdate(String sql, int keys) throws SQLException;

        int executeUpdate(String sql, int[] keys) throws SQLException;

        int executeUpdate(String sql, String[] keys) throws SQLException;

        long executeLargeUpdate(String sql) throws SQLException;

        long executeLargeUpdate(String sql, int keys) throws SQLException;

        long executeLargeUpdate(String sql, int[] keys) throws SQLException;

        long executeLargeUpdate(String sql, String[] keys) throws SQLException;

        boolean execute(String sql) throws SQLException;

        boolean execute(String sql, int keys) throws SQLException;

        boolean execute(String sql, int[] keys) throws SQLException;

        boolean execute(String sql, String[] keys) throws SQLException;

        int[] executeBatch() throws SQLException;

        long[] executeLargeBatch() throws SQLException;

        void addBatch(String sql) throws SQLException;

        void clearBatch() throws SQLException;

        ResultSet getResultSet() throws SQLException;

        int getUpdateCount() throws SQLException;

        long getLargeUpdateCount() throws SQLException;

        boolean getMoreResults() throws SQLException;

        boolean getMoreResults(int current) throws SQLException;

        ResultSet getGeneratedKeys() throws SQLException;

        void close() throws SQLException;

        void cancel() throws SQLException;

        void closeOnCompletion() throws SQLException;

        void setQueryTimeout(int seconds) throws SQLException;

        Connection getConnection() throws SQLException;

        <T> T unwrap(Class<T> type) throws SQLException;

        boolean isWrapperFor(Class<?> type) throws SQLException;
    }
}
