package io.despina.spark.sink;

import io.despina.spark.job.PacketColumns;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory;

/**
 * Makes writers in Spark's tasks.
 *
 * @param ordinals by column of the packets, that of Spark's rows
 */
record StageWriterFactory(StageTarget target, PacketColumns packets, int[] ordinals)
        implements DataWriterFactory, StreamingDataWriterFactory {
    private static final long serialVersionUID = 1L;

    Pieces pieces() {
        return new Pieces(packets.schema(), ordinals);
    }

    @Override
    public DataWriter<InternalRow> createWriter(int partition, long task, long epoch) {
        return new StageWriter(this, partition, task, epoch);
    }

    /** A batch is one epoch. */
    @Override
    public DataWriter<InternalRow> createWriter(int partition, long task) {
        return createWriter(partition, task, EpochWrite.BATCH);
    }
}
