package io.despina.spark.sink;

import org.apache.spark.sql.connector.distributions.Distribution;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.RequiresDistributionAndOrdering;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.connector.write.streaming.StreamingWrite;
import org.apache.spark.sql.internal.connector.SupportsStreamingUpdateAsAppend;

/**
 * What is written, in output mode append, or update, whose rows are appended too. Spark sorts the rows of an epoch by the event
 * time of the source, if that has one.
 */
record InputWriteBuilder(SinkOptions options, InputShape shape, int[] ordinals, String query)
        implements WriteBuilder, RequiresDistributionAndOrdering, SupportsStreamingUpdateAsAppend {

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
