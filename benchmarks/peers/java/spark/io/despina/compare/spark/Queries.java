package io.despina.compare.spark;

import io.despina.compare.Settings;
import io.despina.compare.nexmark.Runs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** NEXMark's queries as batches in this process: {@code SETTINGS}. */
public final class Queries {
    private Queries() {
    }

    public static void main(String[] args) {
        Settings settings = Settings.read(args[0]);
        SparkSession spark = SparkSession.builder().getOrCreate();
        Runs.all(settings, (events, rows) -> run(spark, settings, events, rows));
        spark.stop();
    }

    private static void run(SparkSession spark, Settings settings, long events, Path rows) throws IOException {
        String text = Files.readString(Path.of(settings.text("tables"))).replace("${events}", Long.toString(events))
                .replace("${seed}", settings.text("seed")).replace("${gap_us}", settings.text("gap_us"))
                .replace("${input}", settings.text("input") + "/" + events + settings.text("files"));
        for (String statement : text.split(";\\s*")) {
            spark.sql(statement);
        }
        Dataset<Row> found = spark.sql(Files.readString(Path.of(settings.text("text"))));
        if (rows == null) {
            found.write().format("noop").mode("overwrite").save();
        } else {
            found.write().json(rows.toString());
        }
    }
}
