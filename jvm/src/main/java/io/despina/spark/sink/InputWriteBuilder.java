package io.despina.spark.sink;

import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.connector.write.streaming.StreamingWrite;
import org.apache.spark.sql.internal.connector.SupportsStreamingUpdateAsAppend;

/** What is written, in output mode append, or update, whose rows are appended too. */
record InputWriteBuilder(SinkOptions options, int[] ordinals, String query)
        implements WriteBuilder, Write, SupportsStreamingUpdateAsAppend {

    @Override
    public Write build() {
        return this;
    }

    @Override
    public String description() {
        return options.toString();
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
