package io.despina.spark.sink;

import io.despina.control.protocol.StagedPart;
import org.apache.spark.sql.connector.write.WriterCommitMessage;

/** What a task of Spark's has staged, as it tells the driver. */
record StagedMessage(int instance, long task, long rows) implements WriterCommitMessage {
    private static final long serialVersionUID = 1L;

    StagedPart part() {
        return new StagedPart(instance, task, rows);
    }
}
