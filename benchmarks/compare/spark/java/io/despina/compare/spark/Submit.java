package io.despina.compare.spark;

import io.despina.compare.Arrivals;
import io.despina.compare.Settings;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.ForeachWriter;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.Trigger;

/**
 * The driver of a run: {@code SETTINGS}. The relay is a shuffle between the stage that makes packets and the stage that takes
 * them, since Spark has no operator that stands alone between two hops.
 */
public final class Submit {
    private Submit() {
    }

    public static void main(String[] args) throws Exception {
        Settings settings = Settings.read(args[0]);
        SparkSession spark = SparkSession.builder().getOrCreate();
        Dataset<Row> packets = spark.readStream().format(PacketSource.class.getName()).option("settings", args[0]).load();
        packets.repartition(1).writeStream().foreach(new Sink(settings)).trigger(Trigger.ProcessingTime(0))
                .option("checkpointLocation", settings.folder().resolve("checkpoint").toString()).start().awaitTermination();
    }

    /** Made anew for every batch and task; what counts lives as long as the process. */
    static final class Sink extends ForeachWriter<Row> {
        private static final long serialVersionUID = 1;
        private static Arrivals arrivals;

        private final Settings settings;

        Sink(Settings settings) {
            this.settings = settings;
        }

        @Override
        public boolean open(long partition, long epoch) {
            synchronized (Sink.class) {
                if (arrivals == null) {
                    arrivals = new Arrivals(settings);
                }
            }
            return true;
        }

        @Override
        public void process(Row row) {
            arrivals.accept(row.getAs(0));
        }

        @Override
        public void close(Throwable error) {
        }
    }
}
