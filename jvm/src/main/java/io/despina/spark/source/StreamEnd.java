package io.despina.spark.source;

import java.util.UUID;
import java.util.concurrent.TimeoutException;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution;

/**
 * The end of a stream whose job has ended and whose rows are all read. Spark's queries have none: they ask for more rows until
 * somebody stops them. So this says so, once, or stops the query. The query's thread calls it.
 */
final class StreamEnd {
    /** The local property of Spark that names the query whose thread it is. */
    private static final String QUERY = "sql.streaming.queryId";

    private final String output;
    private final boolean stops;
    private int looks;

    /** @param stops whether the query is stopped */
    StreamEnd(String output, boolean stops) {
        this.output = output;
        this.stops = stops;
    }

    /** Spark has asked for rows, and none will come. */
    void isReached() {
        looks++;
        if (!stops && looks == 1) {
            System.getLogger(StreamEnd.class.getName()).log(System.Logger.Level.WARNING, "all rows of `" + output
                    + "` are read and its job has ended, but the query goes on and waits. Stop it by query.stop(), or read the"
                    + " rows with option(\"onEnd\", \"stop\") or trigger(availableNow=True)");
        } else if (stops && looks == 2) {
            // After the first look Spark may still run a batch without rows, which closes windows.
            stop();
        }
    }

    /** A query that is stopped waits for its thread, so another one does it. */
    private static void stop() {
        String id = SparkContext.getOrCreate().getLocalProperty(QUERY);
        StreamExecution query = id == null ? null
                : SparkSession.active().sharedState().activeStreamingQueries().get(UUID.fromString(id));
        if (query != null) {
            Thread thread = new Thread(() -> stop(query), "despina-end-of-stream");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private static void stop(StreamExecution query) {
        try {
            query.stop();
        } catch (TimeoutException e) {
            System.getLogger(StreamEnd.class.getName()).log(System.Logger.Level.WARNING, "the query does not stop", e);
        }
    }
}
