package io.despina.operator.connect;

import io.despina.connect.Records;
import io.despina.inflow.Inflow;
import io.despina.operator.record.RecordReader;
import io.despina.operator.record.RecordView;

/** Records that wait for their source, and the one of them that is read. */
record TakenRecords(Records records) implements Inflow.Piece, RecordView {
    /** Of the objects around the records. */
    private static final int OVERHEAD = 64;

    @Override
    public long cost() {
        return records.bytes() + OVERHEAD;
    }

    @Override
    public byte[] bytes() {
        return records.value();
    }

    @Override
    public int start() {
        return records.from();
    }

    @Override
    public int end() {
        return records.to();
    }

    @Override
    public String where() {
        return records.where();
    }

    @Override
    public RecordReader reader() {
        return null;
    }
}
