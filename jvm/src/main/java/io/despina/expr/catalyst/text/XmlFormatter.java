package io.despina.expr.catalyst.text;

import io.despina.expr.RecordFormatter;
import io.despina.expr.TextOptions;
import io.despina.expr.catalyst.analysis.Analysis;
import io.despina.expr.catalyst.analysis.Problems;
import io.despina.expr.catalyst.row.PacketRow;
import io.despina.expr.catalyst.row.SparkTypes;
import io.despina.expr.catalyst.row.ValueType;
import io.despina.packet.Packet;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.catalyst.xml.StaxXmlGenerator;
import org.apache.spark.sql.catalyst.xml.XmlOptions;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;

/** Writes each packet as an element, as Spark's {@code to_xml} does. */
final class XmlFormatter implements RecordFormatter {
    /** A larger buffer is not kept for the next row. */
    private static final int KEPT = 1 << 20;

    private final SQLConf conf;
    private final PacketRow row;
    private final StructType schema;
    private final XmlOptions options;
    private StringWriter text;
    private StaxXmlGenerator generator;

    XmlFormatter(SQLConf conf, TextOptions options) {
        this.conf = conf;
        row = ValueType.row(options.schema());
        schema = SparkTypes.struct(options.schema());
        this.options = XmlRecords.options(options);
        begin();
    }

    private void begin() {
        text = new StringWriter();
        generator = new StaxXmlGenerator(schema, text, options, false);
    }

    @Override
    public void header(OutputStream out) {
    }

    @Override
    public void format(Packet packet, OutputStream out) throws IOException {
        text.getBuffer().setLength(0);
        Analysis.under(conf, () -> {
            write(packet);
            return null;
        });
        out.write(text.toString().getBytes(StandardCharsets.UTF_8));
        int last = text.getBuffer().length() - 1;
        if (last < 0 || text.getBuffer().charAt(last) != '\n') {       // without an indent, Spark has written it
            out.write('\n');
        }
        if (text.getBuffer().length() > KEPT) {
            begin();
        }
    }

    private void write(Packet packet) {
        try {
            generator.write(row.on(packet));
            generator.flush();
        } catch (Exception why) {       // Scala declares none: a character or a name that XML does not have
            begin();                    // it may stand within an element
            throw new IllegalArgumentException(Problems.message(why), why);
        }
    }
}
