package io.despina.expr.catalyst.text;

import io.despina.expr.RecordFormatter;
import io.despina.expr.TextOptions;
import io.despina.expr.catalyst.analysis.Analysis;
import io.despina.expr.catalyst.analysis.Problems;
import io.despina.expr.catalyst.row.PacketRow;
import io.despina.expr.catalyst.row.SparkTypes;
import io.despina.expr.catalyst.row.ValueType;
import io.despina.packet.Packet;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.Charset;
import java.util.concurrent.Callable;
import org.apache.spark.sql.catalyst.csv.CSVOptions;
import org.apache.spark.sql.catalyst.csv.UnivocityGenerator;
import org.apache.spark.sql.catalyst.json.JSONOptions;
import org.apache.spark.sql.catalyst.json.JacksonGenerator;
import org.apache.spark.sql.internal.SQLConf;

/** Writes packets with Spark's own text generators, under a graph's settings. */
public final class CatalystText {
    private CatalystText() {
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
    public static RecordFormatter formatter(TextOptions options) {
        SQLConf conf = Analysis.conf(options.ansi(), options.timeZone());
        return under(conf, () -> switch (options.format()) {
            case "csv" -> new CsvFormatter(conf, options);
            case "xml" -> new XmlFormatter(conf, options);
            case TextOptions.DOCUMENT -> new XmlDocument(conf, options);
            default -> new JsonFormatter(conf, options);
        });
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
            row = ValueType.row(options.schema());
            CSVOptions csv = LineParser.csvOptions(options.options(), options.timeZone());
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
            row = ValueType.row(options.schema());
            JSONOptions json = new JSONOptions(LineParser.map(options.options()), options.timeZone(), LineParser.CORRUPT);
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
