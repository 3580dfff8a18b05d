package io.despina.spark.sink;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkContext;

/**
 * What the running queries of this driver write to. Spark makes another {@link EpochWrite} for each epoch; the connection, and
 * the job that a query has for itself, last from its first epoch to its end.
 */
final class QueryInputs {
    private static final Map<String, JobInput> OPEN = new ConcurrentHashMap<>();

    private QueryInputs() {
    }

    /** Of the query whose thread calls this. */
    static JobInput of(SinkOptions options) {
        return OPEN.computeIfAbsent(run(), run -> {
            JobInput input = JobInput.open(options);
            QueryEnd.of(run, () -> OPEN.remove(run).leave());
            return input;
        });
    }

    /** The same; null if it has not written yet. */
    static JobInput found() {
        return OPEN.get(run());
    }

    /** Spark's id of this run of the query: a query that is started again at once is not the one that ends. */
    private static String run() {
        String run = SparkContext.getOrCreate().getLocalProperty("spark.jobGroup.id");
        if (run == null) {
            throw new IllegalStateException("a streaming query writes on a thread of its own, with its run as job group");
        }
        return run;
    }
}
