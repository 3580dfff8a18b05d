package io.despina.spark.sink;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.sql.streaming.StreamingQueryListener;

/**
 * Waits for the end of a streaming query, of which Spark tells no sink. It has a queue of its own: what is done then may last,
 * and {@code spark.stop()} waits for it.
 */
final class QueryEnd extends SparkListener {
    private static final String QUEUE = "despina";

    private final SparkContext spark;
    private final String run;
    private final Runnable then;
    private final AtomicBoolean over = new AtomicBoolean();

    private QueryEnd(SparkContext spark, String run, Runnable then) {
        this.spark = spark;
        this.run = run;
        this.then = then;
    }

    /** Runs {@code then} once, when that run of a query ends. */
    static void of(String run, Runnable then) {
        SparkContext spark = SparkContext.getOrCreate();
        spark.listenerBus().addToQueue(new QueryEnd(spark, run, then), QUEUE + "-" + run);
    }

    @Override
    public void onOtherEvent(SparkListenerEvent event) {
        if (event instanceof StreamingQueryListener.QueryTerminatedEvent end && end.runId().toString().equals(run)
                && over.compareAndSet(false, true)) {
            try {
                then.run();
            } catch (IllegalStateException e) {
                System.getLogger(QueryEnd.class.getName()).log(System.Logger.Level.ERROR, e.getMessage());
            }
            spark.removeSparkListener(this);
        }
    }
}
