package com.jd.sword.sqlthrottle.integration;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import javax.transaction.xa.Xid;

/** A branch of a distributed transaction that no other test has. */
final class Branch implements Xid {
    private static final AtomicInteger TRANSACTIONS = new AtomicInteger();

    private final int transaction = TRANSACTIONS.incrementAndGet();
    private final int branch;

    Branch(int branch) {
        this.branch = branch;
    }

    @Override
    public int getFormatId() {
        return 1;
    }

    @Override
    public byte[] getGlobalTransactionId() {
        return ByteBuffer.allocate(Integer.BYTES).putInt(transaction).array();
    }

    @Override
    public byte[] getBranchQualifier() {
        return ByteBuffer.allocate(Integer.BYTES).putInt(branch).array();
    }
}
