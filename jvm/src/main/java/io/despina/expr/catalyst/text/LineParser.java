package io.despina.expr.catalyst.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.despina.expr.RecordParser;
import io.despina.expr.TextOptions;
import io.despina.expr.catalyst.analysis.Analysis;
import io.despina.expr.catalyst.analysis.Scala;
import io.despina.expr.catalyst.row.SparkTypes;
import io.despina.expr.catalyst.row.ValueWriter;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.io.Text;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.csv.CSVOptions;
import org.apache.spark.sql.catalyst.csv.UnivocityParser;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.json.CreateJacksonParser$;
import org.apache.spark.sql.catalyst.json.JSONOptions;
import org.apache.spark.sql.catalyst.json.JSONOptionsInRead;
import org.apache.spark.sql.catalyst.util.BadRecordException;
import org.apache.spark.sql.catalyst.util.LazyBadRecordCauseWrapper;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.collection.immutable.Map;
import scala.jdk.javaapi.CollectionConverters;

/** Reads lines with Spark's own text parsers, as its file sources call them, under a graph's settings. */
public final class LineParser implements RecordParser {
    static final String CORRUPT = "_corrupt_record";

    /** Spark's rows of one line. */
    private interface Lines {
        List<InternalRow> parse(byte[] line, int from, int to) throws BadRecordException;

        default String[] header(byte[] line, int from, int to) {
            throw new UnsupportedOperationException("no csv");
        }

        /** Null if they are none. */
        default CSVOptions csv() {
            return null;
        }

        /** As of a {@link RecordParser}. */
        default void begin(boolean first) {
        }
    }

    private final SQLConf conf;
    private final Lines lines;
    private final Schema schema;
    /** The charset of a bad record, if Spark reports it as bytes. */
    private final Charset charset;
    private final HeaderLine headers;
    private final ValueWriter[] writers;

    private LineParser(SQLConf conf, Lines lines, Schema schema, Charset charset) {
        this.conf = conf;
        this.lines = lines;
        this.schema = schema;
        this.charset = charset;
        headers = HeaderLine.of(schema, lines.csv());
        writers = ValueWriter.of(schema.columns());
    }

    /** @throws IllegalArgumentException if Spark refuses an option */
    public static RecordParser of(TextOptions options) {
        SQLConf conf = Analysis.conf(options.ansi(), options.timeZone());
        if (Boolean.parseBoolean(options.options().getOrDefault("multiLine", "false"))) {
            throw new IllegalArgumentException("multiLine=true: a record is one line");
        }
        return Analysis.under(conf, () -> switch (options.format()) {
            case "csv" -> csv(conf, options);
            case "xml" -> new LineParser(conf, new XmlRecords(options)::parse, options.schema(), StandardCharsets.UTF_8);
            default -> json(conf, options);
        });
    }

    static Map<String, String> map(java.util.Map<String, String> options) {
        return scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(options));
    }

    static CSVOptions csvOptions(java.util.Map<String, String> options, String timeZone) {
        return new CSVOptions(map(options), false, timeZone, CORRUPT);
    }

    private static LineParser csv(SQLConf conf, TextOptions options) {
        CSVOptions csv = csvOptions(options.options(), options.timeZone());
        StructType line = line(options).asNullable();
        // columns beyond the schema are counted, but not returned
        StructType given = options.header().isEmpty() ? line : SparkTypes.struct(options.schema()).asNullable();
        UnivocityParser parser = new UnivocityParser(line, given, csv);
        boolean any = options.columns() == TextOptions.AT_LEAST;
        CutLines again = !any && options.header().isEmpty() ? null
                : new CutLines(new CsvCut(csv, line.size(), any), new UnivocityParser(line, given, csv));
        return new LineParser(conf, new CsvLines(parser, again, given.size()), options.schema(), StandardCharsets.UTF_8);
    }

    /** The columns of a line. */
    private static StructType line(TextOptions options) {
        StructType schema = SparkTypes.struct(options.schema());
        StructType line = options.header().isEmpty() ? schema : new StructType();
        for (int k = line.size(); k < Math.max(options.columns(), options.header().size()); k++) {
            StructField named = options.header().isEmpty() ? null : named(schema, options.header().get(k));
            line = named == null ? line.add("_despina_" + k, DataTypes.StringType) : line.add(named);
        }
        return line;
    }

    private static StructField named(StructType schema, String name) {
        return Arrays.stream(schema.fields()).filter(field -> field.name().toLowerCase(Locale.ROOT)
                .equals(name.toLowerCase(Locale.ROOT))).findFirst().orElse(null);
    }

    /** @param parser a parser of their own, as in Spark's from_csv, because these parsers depend a little on the previous line */
    private record CutLines(CsvCut cut, UnivocityParser parser) {
    }

    private static final class CsvLines implements Lines {
        private final UnivocityParser parser;
        private final CutLines again;
        private final int size;
        private final Charset charset;
        private final String comment;
        private boolean begun;

        /** @param again null if the columns of a line are counted */
        CsvLines(UnivocityParser parser, CutLines again, int size) {
            this.parser = parser;
            this.again = again;
            this.size = size;
            charset = Charset.forName(parser.options().charset());
            comment = parser.options().isCommentSet() ? String.valueOf(parser.options().comment()) : null;
        }

        /** The tokenizer takes a byte order mark off the line with which it begins. No option finds `h` too long. */
        @Override
        public void begin(boolean first) {
            if (first && begun) {
                parser.tokenizer().stopParsing();
            } else if (!first && !begun) {
                parser.tokenizer().parseLine("h");
            }
            begun = true;
        }

        @Override
        public List<InternalRow> parse(byte[] line, int from, int to) throws BadRecordException {
            String text = new String(line, from, to - from, charset);
            if (text.trim().isEmpty() || comment != null && text.startsWith(comment)) {
                return List.of();
            }
            try {
                return rows(parser, text);
            } catch (BadRecordException whole) {
                if (again == null) {
                    throw whole;
                }
                try {
                    return rows(again.parser, again.cut.text(whole.record().apply().toString()));
                } catch (BadRecordException bad) {
                    throw whole;
                }
            }
        }

        @Override
        public CSVOptions csv() {
            return parser.options();
        }

        @Override
        public String[] header(byte[] line, int from, int to) {
            return parser.tokenizer().parseLine(new String(line, from, to - from, charset));
        }

        /**
         * Spark's readers recognize a bad record by its text. If their parser keeps no text, for an empty line or a supposed
         * comment, they see no error and use the partial row. So does this parser.
         */
        private List<InternalRow> rows(UnivocityParser parser, String text) throws BadRecordException {
            try {
                scala.Option<InternalRow> row = row(parser, text);
                return row.isEmpty() ? List.of() : List.of(row.get());
            } catch (BadRecordException bad) {
                UTF8String record = bad.record().apply();
                if (record != null) {
                    throw bad.copy(() -> record, bad.partialResults(), bad.cause());    // the parser reports it only once
                }
                InternalRow[] partial = bad.partialResults().apply();
                return List.of(partial.length == 0 ? new GenericInternalRow(size) : partial[0]);
            }
        }

        /** Declares the exception that the Scala method does not declare. */
        private static scala.Option<InternalRow> row(UnivocityParser parser, String text) throws BadRecordException {
            return parser.parse().apply(text);
        }
    }

    private static LineParser json(SQLConf conf, TextOptions options) {
        JSONOptions json = new JSONOptionsInRead(map(options.options()), options.timeZone(), CORRUPT);
        JsonRecordParser parser = new JsonRecordParser(SparkTypes.struct(options.schema()).asNullable(), json,
                EpochTime.unit(options.options()));
        scala.Function2<JsonFactory, Text, JsonParser> create = json.encoding().isEmpty() ? CreateJacksonParser$.MODULE$::text
                : (factory, text) -> CreateJacksonParser$.MODULE$.text(json.encoding().get(), factory, text);
        scala.Function1<Text, UTF8String> literal = text -> UTF8String.fromBytes(text.getBytes(), 0, text.getLength());
        Text text = new Text();
        Lines lines = (line, from, to) -> {
            // as bytes: Spark then keeps the text of a nested value that is read as a STRING
            text.set(line, from, to - from);
            return Scala.list(parser.parse(text, create, literal).toSeq());
        };
        boolean latin = json.encoding().getOrElse(() -> "UTF-8").equalsIgnoreCase("ISO-8859-1");
        return new LineParser(conf, lines, options.schema(), latin ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8);
    }

    @Override
    public Refusal parse(byte[] line, int from, int to, PacketWriter out) {
        return Analysis.under(conf, () -> {
            try {
                List<InternalRow> rows = lines.parse(line, from, to);
                String bad = nullColumn(rows);
                if (bad != null) {
                    return new Refusal(bad, new String(line, from, to - from, charset), 1);
                }
                rows.forEach(row -> write(row, out));
                return null;
            } catch (BadRecordException e) {
                return refusal(e);
            }
        });
    }

    @Override
    public void begin(boolean first) {
        lines.begin(first);
    }

    @Override
    public String[] header(byte[] line, int from, int to) {
        return lines.header(line, from, to);
    }

    private Refusal refusal(BadRecordException e) {
        Throwable cause = e.cause() instanceof LazyBadRecordCauseWrapper lazy ? lazy.cause().apply() : e.cause();
        int times = Math.max(1, e.partialResults().apply().length);
        String record = new String(e.record().apply().getBytes(), charset);
        return new Refusal(BadText.reason(cause) + (headers.is(record) ? HeaderLine.HINT : ""), record, times);
    }

    private String nullColumn(List<InternalRow> rows) {
        for (InternalRow row : rows) {
            for (int k = 0; k < schema.size(); k++) {
                if (!schema.column(k).nullable() && row.isNullAt(k)) {
                    return "column `" + schema.column(k).name() + "` is NOT NULL but has no value";
                }
            }
        }
        return null;
    }

    private void write(InternalRow row, PacketWriter out) {
        out.begin();
        for (int k = 0; k < writers.length; k++) {
            writers[k].set(out, k, row.get(k, writers[k].spark()));
        }
        out.commit();
    }
}
