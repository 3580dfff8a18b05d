package io.despina.spark.sink;

import io.despina.control.protocol.StagedPart;
import io.despina.spark.job.PacketColumns;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.connector.write.streaming.StreamingWrite;

/**
 * One run of a query, or one batch, that writes to a source. It is connected from its first epoch to its end, since the engine
 * throws away what a run has not committed when its connection ends.
 */
final class EpochWrite implements StreamingWrite, BatchWrite {
    /** The only epoch of a batch. */
    static final long BATCH = 0;

    private final SinkOptions options;
    private final int[] ordinals;
    /** Empty for a batch. */
    private final String query;
    /** Null before the first epoch. */
    private JobInput input;

    /** @param ordinals by column of the source, that of Spark's rows */
    EpochWrite(SinkOptions options, int[] ordinals, String query) {
        this.options = options;
        this.ordinals = ordinals;
        this.query = query;
    }

    private synchronized JobInput input() {
        if (input == null) {
            input = JobInput.open(options);
            if (!query.isEmpty()) {
                QueryEnd.of(query, this::close);
            }
        }
        return input;
    }

    /** Of two attempts at a task, one is told to the driver. */
    @Override
    public boolean useCommitCoordinator() {
        return true;
    }

    @Override
    public StageWriterFactory createStreamingWriterFactory(PhysicalWriteInfo info) {
        return new StageWriterFactory(input().target(), new PacketColumns(input().schema()), ordinals);
    }

    @Override
    public StageWriterFactory createBatchWriterFactory(PhysicalWriteInfo info) {
        return createStreamingWriterFactory(info);
    }

    @Override
    public void commit(long epoch, WriterCommitMessage[] messages) {
        List<StagedPart> parts = Arrays.stream(messages).map(each -> ((StagedMessage) each).part())
                .filter(part -> part.rows() > 0).toList();
        input().decide(query, epoch, true, parts);
    }

    @Override
    public void abort(long epoch, WriterCommitMessage[] messages) {
        input().decide(query, epoch, false, List.of());
    }

    @Override
    public void commit(WriterCommitMessage[] messages) {
        commit(BATCH, messages);
        close();
    }

    @Override
    public void abort(WriterCommitMessage[] messages) {
        close();
    }

    private synchronized void close() {
        if (input != null) {
            input.close();
            input = null;
        }
    }

    /** In Spark's progress reports. */
    @Override
    public String toString() {
        return options.toString();
    }
}
