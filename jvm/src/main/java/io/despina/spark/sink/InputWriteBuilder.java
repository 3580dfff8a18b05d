package io.despina.spark.sink;

import io.despina.control.protocol.Refusal;
import io.despina.spark.job.GivenOptions;
import org.apache.spark.sql.connector.distributions.Distribution;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.RequiresDistributionAndOrdering;
import org.apache.spark.sql.connector.write.SupportsTruncate;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.connector.write.streaming.StreamingWrite;
import org.apache.spark.sql.internal.connector.SupportsStreamingUpdateAsAppend;

/**
 * What is written, in output mode append, or update, whose rows are appended too. Spark sorts the rows of an epoch by the event
 * time of the source, if that has one.
 */
record InputWriteBuilder(SinkOptions options, InputShape shape, int[] ordinals, String query)
        implements SupportsTruncate, RequiresDistributionAndOrdering, SupportsStreamingUpdateAsAppend {

    /** Of mode overwrite, and of streams of output mode complete. */
    @Override
    public WriteBuilder truncate() {
        throw GivenOptions.refused(new Refusal("mode", "rows that a job has taken are not replaced, and this would replace them",
                "mode(\"append\"); of a stream outputMode(\"append\"), or \"update\""));
    }

    @Override
    public Write build() {
        return this;
    }

    @Override
    public String description() {
        return options.toString();
    }

    @Override
    public Distribution requiredDistribution() {
        return shape.distribution();
    }

    @Override
    public int requiredNumPartitions() {
        return shape.partitions();
    }

    @Override
    public SortOrder[] requiredOrdering() {
        return shape.ordering();
    }

    @Override
    public BatchWrite toBatch() {
        return new EpochWrite(options, ordinals, "");
    }

    @Override
    public StreamingWrite toStreaming() {
        return new EpochWrite(options, ordinals, query);
    }
}
