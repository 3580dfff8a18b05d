package io.despina.expr.catalyst.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.univocity.parsers.csv.CsvParser;
import io.despina.expr.ExpressionException;
import io.despina.expr.InferredRecords;
import io.despina.expr.catalyst.analysis.Analysis;
import io.despina.expr.catalyst.analysis.Problems;
import io.despina.expr.catalyst.analysis.Scala;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.sql.catalyst.csv.CSVExprUtils$;
import org.apache.spark.sql.catalyst.csv.CSVInferSchema;
import org.apache.spark.sql.catalyst.csv.CSVOptions;
import org.apache.spark.sql.catalyst.json.JSONOptions;
import org.apache.spark.sql.catalyst.json.JSONOptionsInRead;
import org.apache.spark.sql.catalyst.json.JsonInferSchema;
import org.apache.spark.sql.execution.datasources.csv.CSVUtils$;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The schema that Spark's readers infer ({@code inferSchema} of csv; json), from given lines and without a session. In json too,
 * strings in the form of time stamps are TIMESTAMP, unless the options say {@code inferTimestamp=false}.
 */
public final class CatalystInference {
    private static final String CORRUPT = "_corrupt_record";

    private CatalystInference() {
    }

    /**
     * @param format {@code csv} or {@code json}
     * @param lines  a record each, and a csv header if the options say so
     * @throws IllegalArgumentException if Spark refuses an option, there is no record, or one is not JSON
     */
    public static InferredRecords of(String format, List<String> lines, Map<String, String> options, String timeZone) {
        SQLConf conf = Analysis.conf(true, timeZone);
        InferredRecords inferred;
        try {
            inferred = Analysis.under(conf, () -> format.equals("csv") ? csv(lines, options, timeZone)
                    : new InferredRecords(json(lines, options, timeZone).toDDL(), false, false));
        } catch (Exception e) {
            throw new IllegalArgumentException(Problems.message(e), e);
        }
        if (inferred.schema().isEmpty()) {
            throw new IllegalArgumentException("there is no record with a value");
        }
        return inferred;
    }

    /** Follows TextInputCSVDataSource. */
    private static InferredRecords csv(List<String> lines, Map<String, String> options, String timeZone) {
        CSVOptions csv = new CSVOptions(map(options), false, timeZone, CORRUPT);
        List<String> records = Scala.list(CSVExprUtils$.MODULE$
                .filterCommentAndEmpty(CollectionConverters.asScala(lines.iterator()), csv).toSeq());
        if (records.isEmpty()) {
            return new InferredRecords("", false, false);
        }
        CsvParser parser = new CsvParser(csv.asParserSettings());
        String first = records.get(0);
        String[] header = parser.parseLine(first).clone();
        String[] names = unique(CSVUtils$.MODULE$.makeSafeHeader(header, false, csv));
        CSVInferSchema inference = new CSVInferSchema(csv);
        DataType[] types = new DataType[names.length];
        Arrays.fill(types, DataTypes.NullType);
        boolean extra = false;
        for (String record : records) {
            if (!csv.headerFlag() || !record.equals(first)) {
                String[] cells = parser.parseLine(record);
                extra |= cells.length > names.length;
                types = inference.inferRowType(types, cells);
            }
        }
        return new InferredRecords(new StructType(inference.toStructFields(types, names)).toDDL(),
                csv.headerFlag() && !Arrays.equals(header, names), extra);
    }

    /** Spark numbers a name that comes twice, and may meet another one: those that do get lines behind them. */
    private static String[] unique(String[] names) {
        Set<String> taken = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        return Arrays.stream(names).map(name -> {
            String free = name;
            while (!taken.add(free)) {
                free += "_";
            }
            return free;
        }).toArray(String[]::new);
    }

    /** Follows JsonInferSchema.infer on an RDD, except that a record that is not JSON is an error. */
    private static StructType json(List<String> lines, Map<String, String> given, String timeZone) throws IOException {
        Map<String, String> options = new HashMap<>(given);
        options.putIfAbsent("inferTimestamp", "true");
        JSONOptions json = new JSONOptionsInRead(map(options), timeZone, CORRUPT);
        JsonInferSchema inference = new JsonInferSchema(json);
        scala.Function2<DataType, DataType, DataType> merge = JsonInferSchema.compatibleRootType(CORRUPT, json.parseMode());
        JsonFactory factory = json.buildJsonFactory();
        DataType merged = new StructType();
        for (int k = 0; k < lines.size(); k++) {
            if (!lines.get(k).isBlank()) {
                merged = merge.apply(merged, object(inference, factory, lines.get(k), k + 1));
            }
        }
        DataType whole = inference.canonicalizeType(merged, json).getOrElse(StructType::new);
        return whole instanceof StructType struct ? struct : new StructType();
    }

    private static DataType object(JsonInferSchema inference, JsonFactory factory, String line, int number) throws IOException {
        String reason = "";
        try {
            DataType found = inferred(inference, factory, line);
            DataType record = found instanceof ArrayType list ? list.elementType() : found;    // each element is a record
            if (record instanceof StructType) {
                return record;
            }
            if (found instanceof ArrayType && record instanceof NullType) {
                return new StructType();
            }
            reason = found instanceof ArrayType ? ", nor an array of such; take the lines apart yourself: read them with format "
                    + "text and select from_json(value, '" + found.sql() + "')" : "";
        } catch (IllegalArgumentException more) {
            reason = ": " + more.getMessage();
        } catch (JsonEOFException e) {
            throw new IllegalArgumentException("line " + number
                    + " is not a whole JSON value: one JSON object per line is read; this"
                    + " file seems to have one over several lines", e);
        } catch (JsonProcessingException e) {
            reason = ": " + ExpressionException.inGraphWords(e.getOriginalMessage());
        }
        throw new IllegalArgumentException("line " + number + " is not a JSON object" + reason);
    }

    private static DataType inferred(JsonInferSchema inference, JsonFactory factory, String line) throws IOException {
        try (JsonParser parser = new JsonRecordParser.WholeRecord(factory.createParser(line))) {
            parser.nextToken();
            return inference.inferField(parser);
        }
    }

    private static scala.collection.immutable.Map<String, String> map(Map<String, String> options) {
        return scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(options));
    }
}
