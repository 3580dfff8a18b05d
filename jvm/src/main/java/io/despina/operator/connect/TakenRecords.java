package io.despina.operator.connect;

import io.despina.connect.Records;
import io.despina.inflow.Inflow;

/** Records that wait for their source. */
record TakenRecords(Records records) implements Inflow.Piece {
    /** Of the objects around the records. */
    private static final int OVERHEAD = 64;

    @Override
    public long cost() {
        return records.bytes() + OVERHEAD;
    }
}
