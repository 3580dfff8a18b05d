package io.despina.spark.sink;

import io.despina.control.staging.StageClient;
import io.despina.control.visit.RequestWire;
import io.despina.wire.Wire;
import java.io.IOException;
import java.io.InterruptedIOException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.WriterCommitMessage;

/** Stages the rows of one attempt at a task for one epoch. It connects when there is something to send. */
final class StageWriter implements DataWriter<InternalRow> {
    private final StageTarget target;
    private final Pieces pieces;
    private final int instance;
    private final long epoch;
    private final long task;
    private Wire wire;
    private StageClient client;
    private long rows;

    StageWriter(StageWriterFactory made, int partition, long task, long epoch) {
        target = made.target();
        pieces = made.pieces();
        instance = target.instance(partition);
        this.task = task;
        this.epoch = epoch;
    }

    @Override
    public void write(InternalRow row) throws IOException {
        if (pieces.add(row)) {
            send();
        }
    }

    private void send() throws IOException {
        int count = pieces.rows();
        try {
            if (client == null) {
                wire = RequestWire.open(target.job(), target.secret(), target.tls());
                client = target.connect(wire, instance);
            }
            try {
                client.stage(target.run(), epoch, task, pieces.take(), count);
            } catch (IOException e) {
                // of a class that the driver knows, wherever this one was loaded
                throw new IOException(target.cause(wire, e));
            }
        } catch (InterruptedException e) {
            throw (InterruptedIOException) new InterruptedIOException("the task was cancelled").initCause(e);
        }
        rows += count;
    }

    @Override
    public WriterCommitMessage commit() throws IOException {
        if (pieces.cut()) {
            send();
        }
        return new StagedMessage(instance, task, rows);
    }

    @Override
    public void abort() {
        if (client == null) {
            return;
        }
        boolean wasInterrupted = Thread.interrupted();
        try {
            client.drop(target.run(), epoch, task);
        } catch (IOException | InterruptedException gone) {
            System.getLogger(StageWriter.class.getName()).log(System.Logger.Level.DEBUG, "its query will throw it away", gone);
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        if (client != null) {
            client.close();
        }
        if (wire != null) {
            wire.close();
        }
    }
}
