package io.despina.expr.catalyst.text;

import io.despina.expr.TextOptions;
import io.despina.expr.catalyst.analysis.Analysis;
import io.despina.expr.catalyst.row.SparkTypes;
import io.despina.expr.catalyst.row.ValueWriter;
import io.despina.operator.Rows;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.paths.SparkPath;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.csv.CSVHeaderChecker;
import org.apache.spark.sql.catalyst.csv.CSVOptions;
import org.apache.spark.sql.catalyst.csv.UnivocityParser;
import org.apache.spark.sql.catalyst.json.JSONOptions;
import org.apache.spark.sql.catalyst.json.JSONOptionsInRead;
import org.apache.spark.sql.catalyst.util.FailureSafeParser;
import org.apache.spark.sql.catalyst.util.PermissiveMode$;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.csv.CSVDataSource$;
import org.apache.spark.sql.execution.datasources.json.JsonDataSource$;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;

/** One file as Spark's own file sources read it under our Spark back end: what a task of its scan does, without a session. */
public final class SparkFiles {
    private static final String CORRUPT = "_despina_corrupt_record";

    /** What came of a file: rows and bad records; or why the job fails. */
    public record Read(List<List<Object>> rows, List<String> bad, String failure) {
    }

    private SparkFiles() {
    }

    /** @param anyColumns whether lines may have any number of columns beyond the schema's */
    public static Read read(Path file, TextOptions options, boolean anyColumns) {
        try {
            return Analysis.under(Analysis.conf(options.ansi(), options.timeZone()),
                    () -> options.format().equals("csv") ? csv(file, options, anyColumns) : json(file, options));
        } catch (RuntimeException e) {
            return new Read(List.of(), List.of(), String.valueOf(e));
        }
    }

    private static Read csv(Path file, TextOptions options, boolean anyColumns) throws IOException {
        CSVOptions csv = new CSVOptions(map(options), false, options.timeZone(), CORRUPT);
        StructType all = SparkTypes.struct(options.schema());
        for (int k = options.schema().size(); k < options.columns(); k++) {
            all = all.add("_despina_" + k, DataTypes.StringType);
        }
        StructType required = all.add(CORRUPT, DataTypes.StringType);
        UnivocityParser parser = new UnivocityParser(all, all, csv);
        CSVHeaderChecker header = new CSVHeaderChecker(all, csv, file.toString(), true);
        Result result = new Result(options.schema(), required.size() - 1);
        UnivocityParser second = new UnivocityParser(all, all, csv);
        scala.Function1<String, scala.collection.Iterable<InternalRow>> line = text -> second.parse().apply(text).toList();
        FailureSafeParser<String> again = new FailureSafeParser<>(line, PermissiveMode$.MODULE$, required, CORRUPT);
        CsvCut cut = new CsvCut(csv, options.schema().size(), true);
        scala.collection.Iterator<InternalRow> rows =
                CSVDataSource$.MODULE$.apply(csv).readFile(new Configuration(false), partitioned(file), parser, header, required);
        while (rows.hasNext()) {
            InternalRow row = rows.next();
            if (anyColumns && !row.isNullAt(result.corrupt)) {
                String record = row.getUTF8String(result.corrupt).toString();
                InternalRow better = again.parse(cut.text(record)).next();
                result.add(better, better.isNullAt(result.corrupt) ? null : record);
            } else {
                result.add(row, row.isNullAt(result.corrupt) ? null : row.getUTF8String(result.corrupt).toString());
            }
        }
        return result.read();
    }

    private static Read json(Path file, TextOptions options) throws IOException {
        JSONOptions json = new JSONOptionsInRead(map(options), options.timeZone(), CORRUPT);
        StructType all = SparkTypes.struct(options.schema());
        StructType required = all.add(CORRUPT, DataTypes.StringType);
        JsonRecordParser parser = new JsonRecordParser(all, json, EpochTime.unit(options.options()));    // Spark reads by it
        Result result = new Result(options.schema(), required.size() - 1);
        boolean latin = json.encoding().contains("ISO-8859-1");
        Charset charset = latin ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8;
        scala.collection.Iterator<InternalRow> rows =
                JsonDataSource$.MODULE$.apply(json).readFile(new Configuration(false), partitioned(file), parser, required);
        while (rows.hasNext()) {
            InternalRow row = rows.next();
            result.add(row, row.isNullAt(result.corrupt) ? null
                    : new String(row.getUTF8String(result.corrupt).getBytes(), charset));
        }
        return result.read();
    }

    private static PartitionedFile partitioned(Path file) throws IOException {
        long size = Files.size(file);
        return new PartitionedFile(InternalRow.empty(), SparkPath.fromPathString(file.toString()), 0, size,
                new String[0], 0, size, scala.collection.immutable.Map$.MODULE$.empty());
    }

    private static scala.collection.immutable.Map<String, String> map(TextOptions options) {
        Map<String, String> all = new HashMap<>(options.options());
        all.keySet().removeIf(name -> name.equalsIgnoreCase("mode") || name.equalsIgnoreCase("columnNameOfCorruptRecord"));
        all.put("mode", "PERMISSIVE");
        all.put("columnNameOfCorruptRecord", CORRUPT);
        return scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(all));
    }

    private static final class Result {
        private final Schema schema;
        private final int corrupt;
        private final ValueWriter[] writers;
        private final PacketWriter out;
        private final List<String> bad = new ArrayList<>();

        Result(Schema schema, int corrupt) {
            this.schema = schema;
            this.corrupt = corrupt;
            writers = ValueWriter.of(schema.columns());
            out = Rows.growing(schema);
        }

        void add(InternalRow row, String record) {
            if (record != null) {
                bad.add(record);
                return;
            }
            out.begin();
            for (int k = 0; k < writers.length; k++) {
                writers[k].set(out, k, row.get(k, writers[k].spark()));
            }
            out.commit();
        }

        Read read() {
            return new Read(Rows.decode(schema, out.bytes(), 0, out.position()), bad, null);
        }
    }
}
