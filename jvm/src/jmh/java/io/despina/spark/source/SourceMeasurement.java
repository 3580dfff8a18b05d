package io.despina.spark.source;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.ForeachWriter;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import org.apache.spark.sql.streaming.Trigger;

/**
 * What the source gives on two cores: {@code rows}, in micro-batches of 50-byte rows that are aggregated by key; {@code latency},
 * in real-time mode from when a row is due at the engine to when a foreach writer has it. Engine and Spark share one JVM.
 * {@code tools/gradle.sh sparkSource -Pmode=rows|latency} runs it.
 */
public final class SourceMeasurement {
    private static final String PACKETS = """
            {"format": 1, "name": "packets", "operators": {
                "source": {"type": "generator_source", "rows": {"type": "packets", "packet_bytes": 50}%s},
                "alarms": {"type": "discard_sink"}},
             "links": [{"from": "source", "to": "alarms"}]}
            """;
    private static final long KEYS = 1_000;
    private static final long WARM_UP_S = 30;
    private static final long MEASURED_S = 40;
    private static final int RATE = Integer.getInteger("despina.rate", 10_000);
    private static final double NANOS_PER_S = 1e9;
    private static final double MICROS_PER_MS = 1e3;
    /** What the writers in this JVM have seen; those are copies of what was serialized. */
    private static final Histogram MICROS = new ConcurrentHistogram(TimeUnit.MINUTES.toMicros(10), 3);

    private SourceMeasurement() {
    }

    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("despina-source-");
        SparkSession spark = SparkSession.builder().master("local[2]").config("spark.ui.enabled", "false")
                .config("spark.driver.host", "127.0.0.1").config("spark.sql.shuffle.partitions", "2").getOrCreate();
        spark.sparkContext().setLogLevel("ERROR");
        try {
            if (arguments[0].equals("rows")) {
                rows(spark, folder);
            } else {
                latency(spark, folder);
            }
        } finally {
            spark.stop();
        }
    }

    private static Dataset<Row> stream(SparkSession spark, Path folder, String rate) throws IOException {
        Path graph = Files.writeString(folder.resolve("graph.json"), PACKETS.formatted(rate));
        return spark.readStream().format("despina").option("graph", graph.toString()).option("output", "alarms").load();
    }

    private static StreamingQuery started(DataStreamWriter<Row> writer, Path folder) throws Exception {
        return writer.option("checkpointLocation", folder.resolve("checkpoint").toString()).start();
    }

    private static void rows(SparkSession spark, Path folder) throws Exception {
        Dataset<Row> counted = stream(spark, folder, "")
                .groupBy(functions.expr("sequence % " + KEYS).as("key")).agg(functions.count("*"), functions.max("due"));
        StreamingQuery query = started(counted.writeStream().format("noop").outputMode("update"), folder);
        query.awaitTermination(TimeUnit.SECONDS.toMillis(WARM_UP_S));
        long before = lastBatch(query);
        long cpu = cpuNanos();
        long from = System.nanoTime();
        query.awaitTermination(TimeUnit.SECONDS.toMillis(MEASURED_S));
        double seconds = (System.nanoTime() - from) / NANOS_PER_S;
        double cores = (cpuNanos() - cpu) / NANOS_PER_S / seconds;
        long rows = Arrays.stream(query.recentProgress()).filter(p -> p.batchId() > before)
                .mapToLong(StreamingQueryProgress::numInputRows).sum();
        query.stop();
        System.out.printf("rows/s %.0f; cores used %.2f; rows per second of one core %.0f%n", rows / seconds, cores,
                rows / seconds / cores);
    }

    private static long lastBatch(StreamingQuery query) {
        return query.lastProgress() == null ? -1 : query.lastProgress().batchId();
    }

    private static long cpuNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private static void latency(SparkSession spark, Path folder) throws Exception {
        Dataset<Row> due = stream(spark, folder, ", \"rate_per_s\": " + RATE).selectExpr("unix_micros(due) AS due");
        DataStreamWriter<Row> writer = due.writeStream().outputMode("update").foreach(new Timing())
                .trigger(Trigger.RealTime(TimeUnit.SECONDS.toMillis(2 * (WARM_UP_S + MEASURED_S))));
        StreamingQuery query = started(writer, folder);
        query.awaitTermination(TimeUnit.SECONDS.toMillis(WARM_UP_S));
        MICROS.reset();
        query.awaitTermination(TimeUnit.SECONDS.toMillis(MEASURED_S));
        Histogram found = MICROS.copy();
        query.stop();
        System.out.printf("rows %d at %d rows/s; ms: p50 %.2f p90 %.2f p99 %.2f p99.9 %.2f max %.2f%n", found.getTotalCount(),
                RATE,
                found.getValueAtPercentile(50) / MICROS_PER_MS, found.getValueAtPercentile(90) / MICROS_PER_MS,
                found.getValueAtPercentile(99) / MICROS_PER_MS, found.getValueAtPercentile(99.9) / MICROS_PER_MS,
                found.getMaxValue() / MICROS_PER_MS);
    }

    /** Counts how long ago each row was due. */
    private static final class Timing extends ForeachWriter<Row> {
        private static final long serialVersionUID = 1L;

        @Override
        public boolean open(long partition, long epoch) {
            return true;
        }

        @Override
        public void process(Row row) {
            MICROS.recordValue(Math.max(0, ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()) - row.getLong(0)));
        }

        @Override
        public void close(Throwable failure) {
        }
    }
}
