package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.Fakes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * A statement as far as its executions go: what the one that it is in holds, what its results are where it was not sent, and what ends
 * it. {@link ThrottledStatement} and its kind say what begins one.
 */
abstract class ExecutedStatement extends Jdbc43Statement {
    private final ThrottledConnection connection;
    private final Statement target;
    /** The execution that the statement is in, and what is known of its text. */
    private Pass pass = Pass.SEND;
    private Text text;
    /** Its current result, wrapped or made up; null where it is not asked for yet, or there is none. */
    private ResultSet rows;
    /** Generated keys that were made up. */
    private ResultSet keys;
    /** Null where they hold nothing. */
    private Results results;
    private boolean closesOnCompletion;
    /** Whether rows of its results can be changed, which no made up result can stand in for. */
    private boolean updatable;
    /** In seconds; 0 for none. */
    private int queryTimeout;
    /** Null while it does not wait. */
    private volatile Wait wait;

    ExecutedStatement(ThrottledConnection connection, Statement target) {
        this.connection = connection;
        this.target = target;
    }

    @Override
    final Statement target() {
        return target;
    }

    final ThrottledConnection connection() {
        return connection;
    }

    final Gate gate() {
        return connection.gate();
    }

    /** The bound parameters, for rules that look at them; null where there are none. */
    List<String> parameters() {
        return null;
    }

    /** Begins an execution, and where it is not to be sent, makes up its result. The driver is not asked for anything. */
    final Pass enter(Object[] cell, Text next, Fakes fakes) throws SQLException {
        endLast();
        Pass entered = gate().enter(cell, this, next, fakeable(fakes), 1, parameters(), Pass.SEND);
        if (entered.isFaked()) {
            fake(entered, next);
        } else {
            begun(entered, next);
        }
        return entered;
    }

    /** Says how rows of its results may be used, as {@link ResultSet} has it. */
    final void concurrency(int concurrency) {
        updatable = concurrency == ResultSet.CONCUR_UPDATABLE;
    }

    private Fakes fakeable(Fakes fakes) {
        return updatable ? fakes.and(Fakes.COUNT) : fakes;
    }

    /** Gives back what the last execution holds, whose result is closed by the next one: else it might wait for itself. */
    final void endLast() throws SQLException {
        Pass last = pass;
        if (last.isHeld()) {
            try {
                closeRows();
            } finally {
                last.release();
            }
        }
    }

    /** The driver goes on to another execution, and closes the result of the last one. */
    final void begun(Pass entered, Text next) {
        pass = entered;
        text = next;
        rows = null;
        keys = null;
        results = null;
    }

    /**
     * It was sent: whether what it holds is held on, by results that are open or may come, from here on and not from when they are asked for.
     *
     * @param isRows whether its first result is open
     * @param mayHaveMore whether others may be asked for, by how it is called
     */
    final boolean holdsOn(Pass entered, boolean isRows, boolean mayHaveMore) {
        if (!entered.isHeld()) {
            return isRows;
        }
        boolean mayFollow = mayHaveMore && Results.mayBeSeveral(text.sql());
        boolean hasCursors = opensCursors();
        if (isRows || mayFollow) {
            if (hasCursors) {
                entered.hold();
            }
            results = new Results(entered, isRows, isRows && rows == null, mayFollow);
        } else if (!hasCursors) {
            return false;
        }
        register(entered);
        return true;
    }

    /** Whether an execution has cursors beside its results. */
    boolean opensCursors() {
        return false;
    }

    /** What the execution that it is in holds. */
    final Pass held() {
        return pass;
    }

    final void fake(Pass entered, Text next) throws SQLException {
        if (target.isClosed()) {
            throw new SQLException("the statement is closed", "HY010");
        }
        closeRows();
        target.clearWarnings();
        begun(entered, next);
        if (entered == Pass.ROWS) {
            rows = EmptyResultSet.of(this, next.columns());
        }
    }

    private void closeRows() throws SQLException {
        // To close the last result may close the statement, which to execute it again does not.
        if (rows instanceof ThrottledResultSet && !closesOnCompletion) {
            rows.close();
        }
    }

    /** The result of an execution that was sent, and holds what that does until it is closed. */
    final ResultSet opened(ResultSet found, Pass entered) {
        if (found == null) {
            return null;
        }
        if (text != null) {
            gate().learn(text, found);
        }
        ResultSet opened = ThrottledResultSet.of(this, found, entered);
        rows = opened;
        if (results != null) {
            results.seen();
        }
        return opened;
    }

    /** Lets the end of the transaction give back what the execution holds. */
    final void register(Pass entered) {
        if (entered.isHeld()) {
            entered.registerAt(connection.held(), endsWithCommit());
        }
    }

    private boolean endsWithCommit() {
        try {
            return target.getResultSetHoldability() != ResultSet.HOLD_CURSORS_OVER_COMMIT;
        } catch (SQLException | RuntimeException e) {
            // One that cannot tell is no reason to keep a place for good.
            return true;
        }
    }

    // Results.

    @Override
    public ResultSet getResultSet() throws SQLException {
        if (pass.isFaked()) {
            return rows;
        }
        ResultSet found = target.getResultSet();
        if (rows instanceof ThrottledResultSet && ((ThrottledResultSet) rows).isOf(found)) {
            return rows;
        }
        return opened(found, pass);
    }

    @Override
    public int getUpdateCount() throws SQLException {
        return pass.isFaked() ? fakedCount() : (int) counted(target.getUpdateCount());
    }

    @Override
    public long getLargeUpdateCount() throws SQLException {
        return pass.isFaked() ? fakedCount() : counted(target.getLargeUpdateCount());
    }

    private int fakedCount() {
        return pass == Pass.COUNT ? 0 : -1;
    }

    private long counted(long count) {
        if (results != null) {
            results.counted(count);
        }
        return count;
    }

    @Override
    public boolean getMoreResults() throws SQLException {
        return pass.isFaked() ? noMore(CLOSE_CURRENT_RESULT) : more(target::getMoreResults, CLOSE_CURRENT_RESULT);
    }

    @Override
    public boolean getMoreResults(int current) throws SQLException {
        return pass.isFaked() ? noMore(current) : more(() -> target.getMoreResults(current), current);
    }

    private boolean noMore(int current) {
        pass = Pass.OVER;
        if (current != KEEP_CURRENT_RESULT) {
            rows = null;
        }
        return false;
    }

    private boolean more(Calls.ForEither call, int current) throws SQLException {
        boolean isMoved = false;
        try {
            boolean isRows = call.send();
            isMoved = true;
            if (results != null) {
                results.next(isRows, rows, current);
            }
            if (current != KEEP_CURRENT_RESULT) {
                rows = null;
            }
            return isRows;
        } finally {
            if (!isMoved) {
                pass.release();
            }
        }
    }

    @Override
    public ResultSet getGeneratedKeys() throws SQLException {
        if (!pass.isFaked()) {
            ResultSet found = target.getGeneratedKeys();
            return found == null ? null : ThrottledResultSet.of(this, found, Pass.SEND);
        }
        if (keys == null) {
            keys = EmptyResultSet.of(this, Columns.UNKNOWN);
        }
        return keys;
    }

    /** Whether a result that was made up is still open, as far as the statement goes. */
    final boolean isOpen(ResultSet faked) throws SQLException {
        return (faked == rows || faked == keys) && !target.isClosed();
    }

    /** A result that was made up is closed, and the statement with it where it was asked to be. */
    final void closedWith(ResultSet faked) throws SQLException {
        if (faked == rows && !target.isClosed() && closesOnCompletion) {
            close();
        }
    }

    // What ends an execution from outside.

    @Override
    public void close() throws SQLException {
        endWait();
        try {
            target.close();
        } finally {
            pass.release();
        }
    }

    @Override
    public void cancel() throws SQLException {
        // The driver has nothing to cancel while the statement waits, and whatever comes after that is its affair.
        if (!endWait()) {
            target.cancel();
        }
    }

    private boolean endWait() {
        Wait waiting = wait;
        return waiting != null && waiting.end(Wait.End.CANCELLED);
    }

    @Override
    public void closeOnCompletion() throws SQLException {
        target.closeOnCompletion();
        // Kept here, as drivers of before JDBC 4.1 cannot be asked.
        closesOnCompletion = true;
    }

    @Override
    public void setQueryTimeout(int seconds) throws SQLException {
        target.setQueryTimeout(seconds);
        queryTimeout = seconds;
    }

    /** In seconds, as it was set here: to ask some drivers for it is a query. */
    final int queryTimeout() {
        return queryTimeout;
    }

    final void begins(Wait begun) {
        wait = begun;
        connection.held().add(begun);
    }

    final void ends(Wait over) {
        wait = null;
        connection.held().remove(over);
    }

    @Override
    public Connection getConnection() {
        return connection;
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return Unwrapping.unwrap(this, connection.gate(), target, type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return Unwrapping.isWrapperFor(this, target, type);
    }

    @Override
    public String toString() {
        return "throttled " + target;
    }
}
