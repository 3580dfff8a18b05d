package io.despina.compare.spark;

import io.despina.compare.Settings;
import io.despina.compare.nexmark.Runs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.Trigger;
import org.apache.spark.sql.types.StructType;

/**
 * NEXMark's queries as streams in this process: {@code SETTINGS}. All that is there is worked off in micro-batches of so many
 * events, one after the other; files are one micro-batch. The texts of events are those of batches, over a stream. Two last
 * numbers, of no kind of event, are two days later: the watermark passes all windows.
 */
public final class Streams {
    private static final String LAG = "1 millisecond";
    /** What is not one of the last numbers, said by its time: else Spark would leave these out before their time was seen. */
    private static final String REAL = "ts < TIMESTAMP '2026-01-02T00:00:00Z'";
    private static final String[] KINDS = {"persons", "auctions", "bids"};
    private static final String RANGE = "range(0, ${events}, 1, 2)";
    private static final String EVENTS = "VIEW events AS";
    private static int runs;

    private Streams() {
    }

    public static void main(String[] args) {
        Settings settings = Settings.read(args[0]);
        SparkSession spark = SparkSession.builder().getOrCreate();
        Runs.all(settings, (events, rows) -> run(spark, settings, events, rows));
        spark.stop();
    }

    private static void run(SparkSession spark, Settings settings, long events, Path rows) throws Exception {
        String tables = Files.readString(Path.of(settings.text("tables")));
        if (settings.text("from").equals("made")) {
            makeEvents(spark, settings, events, tables);
        } else {
            readEvents(spark, settings, events, tables);
        }
        Dataset<Row> found = spark.sql(Files.readString(Path.of(settings.text("text"))));
        DataStreamWriter<Row> out = found.writeStream().outputMode("append").trigger(Trigger.AvailableNow())
                .option("checkpointLocation", settings.folder().resolve("checkpoint" + runs++).toString());
        if (rows == null) {
            out.format("noop").start().awaitTermination();
        } else {
            out.format("json").option("path", rows.toString()).start().awaitTermination();
        }
    }

    private static Dataset<Row> numbers(SparkSession spark, Settings settings, long events) {
        long gap = Long.parseLong(settings.text("gap_us"));
        return spark.readStream().format(NumberSource.class.getName()).option("count", events)
                .option("batch", settings.text("batch_events")).option("last", events + TimeUnit.DAYS.toMicros(2) / gap).load();
    }

    /** The views of the batch's text, over a stream of numbers. */
    private static void makeEvents(SparkSession spark, Settings settings, long events, String tables) {
        if (!tables.contains(RANGE) || !tables.contains(EVENTS)) {
            throw new IllegalStateException("the events are not made as they were");
        }
        numbers(spark, settings, events).createOrReplaceTempView("numbers");
        String text = tables.replace(RANGE, "numbers")
                .replace("${seed}", settings.text("seed")).replace("${gap_us}", settings.text("gap_us"));
        for (String statement : text.split(";\\s*")) {
            if (statement.contains(EVENTS)) {
                spark.sql(statement.replace(EVENTS, "VIEW unmarked AS"));
                Dataset<Row> marked = spark.table("unmarked").withWatermark("ts", LAG);
                marked.withColumn("place", functions.expr("if(" + REAL + ", place, -1)")).createOrReplaceTempView("events");
            } else {
                spark.sql(statement);
            }
        }
    }

    /** The columns of the batch's views, of streams of their files and of the last numbers. */
    private static void readEvents(SparkSession spark, Settings settings, long events, String tables) {
        String input = settings.text("input") + "/" + events + settings.text("files");
        String format = settings.text("format");
        for (String statement : tables.replace("${input}", input).split(";\\s*")) {
            spark.sql(statement);
        }
        for (String kind : KINDS) {
            StructType columns = spark.table(kind).schema();
            Dataset<Row> files = spark.readStream().schema(columns).format(format).load(input + "/" + kind);
            Dataset<Row> last = numbers(spark, settings, 0).select(functions.expr("TIMESTAMP '2030-01-01T00:00:00Z' AS ts"));
            files.unionByName(last, true).withWatermark("ts", LAG).where(REAL).createOrReplaceTempView(kind);
        }
    }
}
