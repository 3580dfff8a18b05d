package io.despina.spark.source;

import io.despina.expr.catalyst.row.PacketRow;
import io.despina.expr.catalyst.row.ValueType;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.Schema;
import io.despina.spool.SpoolException;
import io.despina.spool.SpoolRecords;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.streaming.PartitionOffset;
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeRead;

/**
 * The rows of a range of a spool in a task of Spark's: one row, moved from packet to packet where they were read to. In real-time
 * mode the range has no end, and Spark says how long to wait for each row.
 */
final class SpoolReader implements SupportsRealTimeRead<InternalRow> {

    /** Up to which row an instance's rows have been read. */
    record Position(int instance, long row) implements PartitionOffset {
        private static final long serialVersionUID = 1L;
    }


    private static final long WAIT_MILLIS = 1_000;

    private final SpoolPartition partition;
    private final SpoolConnection connection;
    private final SpoolRecords records;
    private final PacketCursor packets;
    private final PacketRow row;
    /** The number of the row that comes next. */
    private long next;

    SpoolReader(SpoolPartition partition, Schema schema) {
        this.partition = partition;
        connection = new SpoolConnection(partition);
        records = new SpoolRecords(connection.access(), partition.name(), partition.from());
        packets = PacketCursor.reusing(schema.layout());
        row = ValueType.row(schema);
        next = partition.from();
    }

    @Override
    public boolean next() throws IOException {
        while (next < partition.to()) {
            if (advance()) {
                return true;
            }
            if (!fetch(WAIT_MILLIS) && records.isAtEnd()) {
                return false;
            }
            if (Thread.interrupted()) {
                throw new InterruptedIOException("the task was cancelled");
            }
        }
        return false;
    }

    @Override
    public RecordStatus nextWithTimeout(Long millis) throws IOException {
        if (advance()) {
            return RecordStatus.newStatusWithoutArrivalTime(true);
        }
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        do {
            long left = Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
            if (fetch(left) && advance()) {
                return RecordStatus.newStatusWithoutArrivalTime(true);
            }
            if (records.isAtEnd()) {
                pause(left);
            }
        } while (deadline - System.nanoTime() > 0);
        return RecordStatus.newStatusWithoutArrivalTime(false);
    }

    /** The rows have ended, and Spark's batch lasts as long as it lasts. */
    private static void pause(long millis) throws InterruptedIOException {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw (InterruptedIOException) new InterruptedIOException("the task was cancelled").initCause(e);
        }
    }

    @Override
    public PartitionOffset getOffset() {
        return new Position(partition.place().instance(), next);
    }

    /** @return whether the record at hand had one more row */
    private boolean advance() {
        Packet packet = packets.next();
        if (packet == null) {
            return false;
        }
        row.on(packet);
        next++;
        return true;
    }

    /** Takes the next record to hand. */
    private boolean fetch(long millis) throws IOException {
        try {
            if (!records.next(millis)) {
                return false;
            }
        } catch (SpoolException e) {
            // of a class that the driver knows, wherever this one was loaded
            throw new IOException(e.getMessage());
        }
        packets.reset(records.bytes(), records.from(), records.to());
        for (long before = records.first(); before < next; before++) {
            packets.next();
        }
        return true;
    }

    @Override
    public InternalRow get() {
        return row;
    }

    @Override
    public void close() throws IOException {
        try (connection) {
            records.close();
        }
    }
}
