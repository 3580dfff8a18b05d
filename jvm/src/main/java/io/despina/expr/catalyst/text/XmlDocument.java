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

/** Writes packets as the elements of one document, as Spark's files of XML are: a declaration, and a root around the rows. */
final class XmlDocument implements RecordFormatter {
    /** A larger buffer is not kept for the next row. */
    private static final int KEPT = 1 << 20;
    private static final char START_END = '>';
    private static final String NOTHING_IN_IT = "/>";

    private final SQLConf conf;
    private final PacketRow row;
    private final StructType schema;
    private final XmlOptions options;
    private final String root;
    private StringWriter text;
    private StaxXmlGenerator generator;
    /** Whether the generator has left the start of the root open, and will close it before what it writes next. */
    private boolean isStarting;

    XmlDocument(SQLConf conf, TextOptions options) {
        this.conf = conf;
        row = ValueType.row(options.schema());
        schema = SparkTypes.struct(options.schema());
        this.options = XmlRecords.options(options);
        root = this.options.rootTag().split(" ")[0];
    }

    /** Within the root: what stands before that is in {@link #text}. */
    private void begin() {
        text = new StringWriter();
        generator = new StaxXmlGenerator(schema, text, options, StaxXmlGenerator.$lessinit$greater$default$4());
        generator.writeDeclaration();
        generator.flush();
        isStarting = text.getBuffer().charAt(text.getBuffer().length() - 1) != START_END;
    }

    @Override
    public void header(OutputStream out) throws IOException {
        Analysis.under(conf, () -> {
            begin();
            return null;
        });
        if (isStarting) {       // here, so that each document has a start and an end, rows or not
            text.write(START_END);
        }
        send(out);
    }

    @Override
    public void format(Packet packet, OutputStream out) throws IOException {
        Analysis.under(conf, () -> {
            write(packet);
            return null;
        });
        passStartEnd();
        send(out);
    }

    private void write(Packet packet) {
        try {
            generator.write(row.on(packet));
            generator.flush();
        } catch (Exception why) {       // Scala declares none: a character or a name that XML does not have
            begin();                    // it may stand within an element
            text.getBuffer().setLength(0);
            throw new IllegalArgumentException(Problems.message(why), why);
        }
    }

    @Override
    public void end(OutputStream out) throws IOException {
        Analysis.under(conf, () -> {
            generator.close();
            return null;
        });
        if (isStarting && text.toString().equals(NOTHING_IN_IT)) {
            isStarting = false;
            text.getBuffer().replace(0, NOTHING_IN_IT.length(), "</" + root + ">");
        }
        passStartEnd();
        send(out);
    }

    /** It is in the file. */
    private void passStartEnd() {
        if (isStarting && text.getBuffer().charAt(0) == START_END) {
            text.getBuffer().deleteCharAt(0);
        }
        isStarting = false;
    }

    private void send(OutputStream out) throws IOException {
        out.write(text.toString().getBytes(StandardCharsets.UTF_8));
        text.getBuffer().setLength(0);
        if (text.getBuffer().capacity() > KEPT) {
            text.getBuffer().trimToSize();
        }
    }
}
