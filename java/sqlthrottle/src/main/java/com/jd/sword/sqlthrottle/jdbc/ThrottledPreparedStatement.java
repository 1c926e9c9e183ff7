package com.jd.sword.sqlthrottle.jdbc;

import com.jd.sword.sqlthrottle.Fakes;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import lombok.experimental.Delegate;

/** A prepared statement that asks before it is sent. */
class ThrottledPreparedStatement extends StreamedStatement {
    @Delegate(types = PreparedStatement.class, excludes = {
        Statement.class, BoundStatement.Setters.class, StreamedStatement.Setters.class, Intercepted.class})
    private final PreparedStatement target;

    /** What its count can be stood in for: nothing where keys are to be read back. */
    private final Fakes count;
    private final Fakes rows;
    private Text prepared;
    /** Whether its text was asked for since it was prepared. */
    private boolean executed;
    private int batched;

    /** @param hasKeys whether it was prepared to give back keys */
    ThrottledPreparedStatement(ThrottledConnection connection, PreparedStatement target, String sql, boolean hasKeys)
            throws SQLException {
        this(connection, target, sql, Fakes.ROWS, hasKeys ? Fakes.NONE : Fakes.COUNT);
    }

    ThrottledPreparedStatement(ThrottledConnection connection, PreparedStatement target, String sql, Fakes rows, Fakes count)
            throws SQLException {
        super(connection, target);
        this.target = target;
        this.rows = rows;
        this.count = count;
        this.prepared = gate().text(sql);
    }

    /** Its text, which is kept from the second time on: to prepare it and to execute it once are one. */
    private Text text() throws SQLException {
        Text text = prepared;
        if (executed && !text.isKept() && !text.isExempt()) {
            text = gate().text(text.sql());
            prepared = text;
        }
        executed = true;
        return text;
    }

    @Override
    public ResultSet executeQuery() throws SQLException {
        return query(text(), rows, target::executeQuery);
    }

    @Override
    public int executeUpdate() throws SQLException {
        return (int) update(text(), count, target::executeUpdate);
    }

    @Override
    public long executeLargeUpdate() throws SQLException {
        return update(text(), count, target::executeLargeUpdate);
    }

    @Override
    public boolean execute() throws SQLException {
        return either(text(), rows == Fakes.ROWS && count == Fakes.COUNT ? Fakes.ROWS_AND_COUNT : rows, target::execute);
    }

    @Override
    public void addBatch() throws SQLException {
        target.addBatch();
        batched++;
    }

    @Override
    int batchSize() {
        return batched + super.batchSize();
    }

    @Override
    void forgetBatch() {
        batched = 0;
        super.forgetBatch();
    }

    @Override
    Pass enterBatch(Object[] cell, int size) throws SQLException {
        return gate().enter(cell, this, text(), count, size, parameters(), Pass.SEND);
    }

    /** What is not handed on as it is. */
    interface Intercepted {
        ResultSet executeQuery() throws SQLException;

        int executeUpdate() throws SQLException;

        long executeLargeUpdate() throws SQLException;

        boolean execute() throws SQLException;

        void addBatch() throws SQLException;
    }
}
