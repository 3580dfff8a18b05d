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
 * One epoch of a query, or one batch, that is written to a source. The driver's thread for it calls this.
 */
final class EpochWrite implements StreamingWrite, BatchWrite {
    /** The only epoch of a batch. */
    static final long BATCH = 0;

    private final SinkOptions options;
    private final int[] ordinals;
    /** Empty for a batch. */
    private final String query;
    /** Null before it begins, and for a stream. */
    private JobInput batch;

    /** @param ordinals by column of the source, that of Spark's rows */
    EpochWrite(SinkOptions options, int[] ordinals, String query) {
        this.options = options;
        this.ordinals = ordinals;
        this.query = query;
    }

    private JobInput input() {
        if (!query.isEmpty()) {
            return QueryInputs.of(options);
        }
        if (batch == null) {
            batch = JobInput.open(options);
        }
        return batch;
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
        JobInput input = QueryInputs.found();
        if (input != null) {
            input.decide(query, epoch, false, List.of());
        }
    }

    @Override
    public void commit(WriterCommitMessage[] messages) {
        commit(BATCH, messages);
        batch.finish();
    }

    @Override
    public void abort(WriterCommitMessage[] messages) {
        if (batch != null) {
            batch.close();
        }
    }

    /** In Spark's progress reports. */
    @Override
    public String toString() {
        return options.toString();
    }
}
