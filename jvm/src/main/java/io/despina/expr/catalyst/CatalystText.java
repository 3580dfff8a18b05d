package io.despina.expr.catalyst;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.despina.expr.RecordFormatter;
import io.despina.expr.RecordParser;
import io.despina.expr.TextOptions;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.Charset;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.csv.CSVOptions;
import org.apache.spark.sql.catalyst.csv.UnivocityGenerator;
import org.apache.spark.sql.catalyst.csv.UnivocityParser;
import org.apache.spark.sql.catalyst.json.CreateJacksonParser$;
import org.apache.spark.sql.catalyst.json.JSONOptions;
import org.apache.spark.sql.catalyst.json.JSONOptionsInRead;
import org.apache.spark.sql.catalyst.json.JacksonGenerator;
import org.apache.spark.sql.catalyst.json.JacksonParser;
import org.apache.spark.sql.catalyst.util.BadRecordException;
import org.apache.spark.sql.catalyst.util.LazyBadRecordCauseWrapper;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.collection.immutable.Map;
import scala.jdk.javaapi.CollectionConverters;

/** Spark's own text parsers and generators on packets, under a graph's settings. */
public final class CatalystText {
    private static final String CORRUPT = "_corrupt_record";

    private CatalystText() {
    }

    private static Map<String, String> map(TextOptions options) {
        return scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(options.options()));
    }

    private static <T> T under(SQLConf conf, Callable<T> body) {
        try {
            return Analysis.under(conf, body);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalArgumentException(Problems.message(e), e);
        }
    }

    /** @throws IllegalArgumentException if Spark refuses an option */
    public static RecordParser parser(TextOptions options) {
        SQLConf conf = Analysis.conf(options.ansi(), options.timeZone());
        if (Boolean.parseBoolean(options.options().getOrDefault("multiLine", "false"))) {
            throw new IllegalArgumentException("multiLine=true: a record is one line");
        }
        Lines lines = under(conf, () -> options.format().equals("csv") ? csv(options) : json(options));
        return new Parser(conf, lines, options.schema());
    }

    /** Spark's rows of one line. */
    private interface Lines {
        List<InternalRow> parse(byte[] line, int from, int to) throws BadRecordException;
    }

    private static Lines csv(TextOptions options) {
        CSVOptions csv = new CSVOptions(map(options), false, options.timeZone(), CORRUPT);
        StructType all = SparkTypes.struct(options.schema());
        for (int k = options.schema().size(); k < options.columns(); k++) {
            all = all.add("_despina_" + k, DataTypes.StringType);
        }
        UnivocityParser parser = new UnivocityParser(all.asNullable(), all.asNullable(), csv);
        Charset charset = charset(csv.charset());
        String comment = csv.isCommentSet() ? String.valueOf(csv.comment()) : null;
        return (line, from, to) -> {
            String text = new String(line, from, to - from, charset);
            if (text.trim().isEmpty() || comment != null && text.startsWith(comment)) {
                return List.of();
            }
            scala.Option<InternalRow> row = parser.parse().apply(text);
            return row.isEmpty() ? List.of() : List.of(row.get());
        };
    }

    private static Lines json(TextOptions options) {
        JSONOptions json = new JSONOptionsInRead(map(options), options.timeZone(), CORRUPT);
        JacksonParser parser = new JacksonParser(SparkTypes.struct(options.schema()).asNullable(), json, true, Scala.seq());
        Charset charset = charset(json.encoding().getOrElse(() -> "UTF-8"));
        scala.Function2<JsonFactory, String, JsonParser> create = CreateJacksonParser$.MODULE$::string;
        scala.Function1<String, UTF8String> literal = UTF8String::fromString;
        return (line, from, to) -> {
            String text = new String(line, from, to - from, charset);
            return text.isBlank() ? List.of() : Scala.list(parser.parse(text, create, literal).toSeq());
        };
    }

    /** Writes Spark's rows as packets. */
    private static final class Parser implements RecordParser {
        private final SQLConf conf;
        private final Lines lines;
        private final Schema schema;
        private final ValueWriter[] writers;

        Parser(SQLConf conf, Lines lines, Schema schema) {
            this.conf = conf;
            this.lines = lines;
            this.schema = schema;
            writers = ValueWriter.of(schema.columns());
        }

        @Override
        public String parse(byte[] line, int from, int to, PacketWriter out) {
            return Analysis.under(conf, () -> {
                try {
                    List<InternalRow> rows = lines.parse(line, from, to);
                    String bad = nullColumn(rows);
                    if (bad == null) {
                        rows.forEach(row -> write(row, out));
                    }
                    return bad;
                } catch (BadRecordException e) {
                    return Problems.message(e.cause() instanceof LazyBadRecordCauseWrapper lazy ? lazy.cause().apply() : e.cause());
                }
            });
        }

        private String nullColumn(List<InternalRow> rows) {
            for (InternalRow row : rows) {
                for (int k = 0; k < schema.size(); k++) {
                    if (!schema.column(k).nullable() && row.isNullAt(k)) {
                        return "column `" + schema.column(k).name() + "` is NOT NULL, and has no value";
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

    /** @throws IllegalArgumentException if Spark refuses an option */
    public static RecordFormatter formatter(TextOptions options) {
        SQLConf conf = Analysis.conf(options.ansi(), options.timeZone());
        return under(conf, () -> options.format().equals("csv") ? new CsvFormatter(conf, options) : new JsonFormatter(conf, options));
    }

    private static Charset charset(String name) {
        return Charset.forName(name);
    }

    private static final class CsvFormatter implements RecordFormatter {
        private final ByteArrayOutputStream record = new ByteArrayOutputStream();
        private final SQLConf conf;
        private final PacketRow row;
        private final UnivocityGenerator generator;
        private final boolean header;

        CsvFormatter(SQLConf conf, TextOptions options) {
            this.conf = conf;
            row = new PacketRow(options.schema());
            CSVOptions csv = new CSVOptions(map(options), false, options.timeZone(), CORRUPT);
            Writer writer = new OutputStreamWriter(record, charset(csv.charset()));
            generator = new UnivocityGenerator(SparkTypes.struct(options.schema()), writer, csv);
            header = csv.headerFlag();
        }

        @Override
        public void header(OutputStream out) throws IOException {
            if (header) {
                generator.writeHeaders();
                send(out);
            }
        }

        @Override
        public void format(Packet packet, OutputStream out) throws IOException {
            Analysis.under(conf, () -> {
                generator.write(row.on(packet));
                return null;
            });
            send(out);
        }

        private void send(OutputStream out) throws IOException {
            generator.flush();
            record.writeTo(out);
            record.reset();
        }
    }

    private static final class JsonFormatter implements RecordFormatter {
        private final ByteArrayOutputStream record = new ByteArrayOutputStream();
        private final SQLConf conf;
        private final PacketRow row;
        private final JacksonGenerator generator;

        JsonFormatter(SQLConf conf, TextOptions options) {
            this.conf = conf;
            row = new PacketRow(options.schema());
            JSONOptions json = new JSONOptions(map(options), options.timeZone(), CORRUPT);
            Writer writer = new OutputStreamWriter(record, charset(json.encoding().getOrElse(() -> "UTF-8")));
            generator = new JacksonGenerator(SparkTypes.struct(options.schema()), writer, json);
        }

        @Override
        public void header(OutputStream out) {
        }

        @Override
        public void format(Packet packet, OutputStream out) throws IOException {
            Analysis.under(conf, () -> {
                generator.write(row.on(packet));
                generator.writeLineEnding();
                generator.flush();
                return null;
            });
            record.writeTo(out);
            record.reset();
        }
    }
}
