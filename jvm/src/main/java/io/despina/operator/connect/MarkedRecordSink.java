package io.despina.operator.connect;

import io.despina.connect.Marker;
import io.despina.connect.RecordWriter;
import io.despina.operator.outbox.MarkedSink;
import io.despina.operator.outbox.UnknownCommitException;
import io.despina.packet.PacketCursor;

/** Writes the packets of each epoch in one transaction, with the epoch's marker in it. */
public final class MarkedRecordSink extends RecordSink implements MarkedSink {

    public MarkedRecordSink(RecordSinkOptions options) {
        super(options);
    }

    @Override
    public void begin(String outbox, long epoch) throws Exception {
        try {
            super.begin(outbox, epoch);
        } catch (RecordWriter.RepeatException e) {
            throw unknown(e);
        }
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        try {
            super.process(port, packets);
        } catch (RecordWriter.RepeatException e) {
            throw unknown(e);
        }
    }

    @Override
    public boolean release() throws Exception {
        try {
            return super.release();
        } catch (RecordWriter.RepeatException e) {
            throw unknown(e);
        }
    }

    private static UnknownCommitException unknown(RecordWriter.RepeatException why) {
        return new UnknownCommitException(why.getMessage(), why);
    }

    @Override
    public Marker marker(String outbox, long epoch) throws Exception {
        Marker found = writer().marker(outbox, epoch);
        handOver();     // what the server did not take of an epoch that is there
        return found;
    }
}
