package io.despina.spark.sink;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.sql.streaming.StreamingQueryListener;

/** Waits for the end of a streaming query, of which Spark tells no sink. */
final class QueryEnd extends SparkListener {
    private final SparkContext spark;
    private final String query;
    private final Runnable then;
    private final AtomicBoolean over = new AtomicBoolean();

    private QueryEnd(SparkContext spark, String query, Runnable then) {
        this.spark = spark;
        this.query = query;
        this.then = then;
    }

    /** Runs {@code then} once, when the query of that id ends. */
    static void of(String query, Runnable then) {
        SparkContext spark = SparkContext.getOrCreate();
        spark.addSparkListener(new QueryEnd(spark, query, then));
    }

    @Override
    public void onOtherEvent(SparkListenerEvent event) {
        if (event instanceof StreamingQueryListener.QueryTerminatedEvent end && end.id().toString().equals(query)
                && over.compareAndSet(false, true)) {
            spark.removeSparkListener(this);
            then.run();
        }
    }
}
