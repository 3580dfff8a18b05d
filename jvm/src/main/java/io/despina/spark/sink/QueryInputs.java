package io.despina.spark.sink;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.classic.SparkSession;

/**
 * What the running queries of this driver write to. Spark makes another {@link EpochWrite} for each epoch; the connection, and
 * the job that a query has for itself, last from its first epoch to its end.
 */
final class QueryInputs {
    private static final Map<String, JobInput> OPEN = new ConcurrentHashMap<>();
    private static final long LOOK_MILLIS = 10;
    private static final int MOST_LOOKS = 3_000;

    private QueryInputs() {
    }

    /** Of the query whose thread calls this. */
    static JobInput of(SinkOptions options) {
        awaitThoseThatLeave(options);
        return OPEN.computeIfAbsent(run(), run -> {
            JobInput input = JobInput.open(options);
            QueryEnd.of(run, () -> leave(run));
            return input;
        });
    }

    private static void leave(String run) {
        try {
            OPEN.get(run).leave();
        } finally {
            OPEN.remove(run);
        }
    }

    /** A query that has ended leaves its job on another thread, and the next one of that graph wants the state that it leaves. */
    private static void awaitThoseThatLeave(SinkOptions options) {
        String own = run();
        for (int looks = 0; looks < MOST_LOOKS && OPEN.entrySet().stream().anyMatch(each ->
                !each.getKey().equals(own) && each.getValue().isOf(options.graph()) && !isActive(each.getKey())); looks++) {
            try {
                Thread.sleep(LOOK_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("stopped", e);
            }
        }
    }

    private static boolean isActive(String run) {
        return SparkSession.active().sharedState().activeStreamingQueries().values().stream()
                .anyMatch(each -> each.runId().toString().equals(run));
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
