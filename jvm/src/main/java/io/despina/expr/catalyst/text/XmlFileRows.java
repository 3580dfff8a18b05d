package io.despina.expr.catalyst.text;

import io.despina.expr.FileRows;
import io.despina.expr.TextOptions;
import io.despina.expr.catalyst.analysis.Analysis;
import io.despina.expr.catalyst.row.SparkTypes;
import io.despina.expr.catalyst.row.ValueWriter;
import io.despina.packet.PacketWriter;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import javax.xml.stream.XMLStreamException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.BadRecordException;
import org.apache.spark.sql.catalyst.xml.StaxXMLRecordReader;
import org.apache.spark.sql.catalyst.xml.StaxXmlParser;
import org.apache.spark.sql.catalyst.xml.XmlOptions;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Option;

/**
 * The rows of an XML file, as Spark's source of such files finds them: the elements of the name {@code rowTag}. One that cannot
 * be a row has a {@link #problem}; where the file is no XML, that is its last one.
 */
public final class XmlFileRows implements FileRows {
    private static final UTF8String NOTHING = UTF8String.fromString("");

    /** Keeps what it could not read, which Spark takes for the end of the file. */
    private static final class Watched extends FilterInputStream {
        private IOException failure;

        Watched(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] to, int from, int length) throws IOException {
            try {
                return in.read(to, from, length);
            } catch (IOException damaged) {
                failure = damaged;
                throw damaged;
            }
        }
    }

    private final SQLConf conf;
    private final Watched in;
    private final StaxXmlParser parser;
    /** Rows, nothing, and records that are none. */
    private final scala.collection.Iterator<Object> found;
    private final ValueWriter[] writers;
    private InternalRow row;
    private String problem;

    /**
     * @param name  of the file, for messages
     * @param bytes of it; closed with this
     * @param from  how many rows to pass over, those with a problem included
     */
    public XmlFileRows(String name, InputStream bytes, Options options, long from) throws IOException {
        conf = Analysis.conf(options.ansi(), options.timeZone());
        in = new Watched(bytes);
        writers = ValueWriter.of(options.schema().columns());
        XmlOptions xml = XmlRecords.options(new TextOptions("xml", options.schema(), 0, options.options(), options.timeZone(),
                options.ansi()));
        boolean isOpened = false;
        try {
            parser = Analysis.under(conf, () -> new StaxXmlParser(SparkTypes.struct(options.schema()).asNullable(), xml));
            found = Analysis.under(conf, () -> StaxXmlParser.convertStream(() -> in, xml, this::judged));
            for (long k = 0; k < from; k++) {
                if (!next()) {
                    throw new IOException(name + " has become shorter: the source was to go on at element " + from);
                }
            }
            isOpened = true;
        } finally {
            if (!isOpened) {
                in.close();
            }
        }
    }

    private Object judged(StaxXMLRecordReader element) {
        try {
            return row(element);
        } catch (BadRecordException bad) {
            return bad;
        } catch (RuntimeException ofAnAttribute) {      // Spark's source ends with it
            return new BadRecordException(() -> NOTHING, () -> new InternalRow[0], ofAnAttribute);
        }
    }

    /** Declares the exception that the Scala method does not declare. */
    private Option<InternalRow> row(StaxXMLRecordReader element) throws BadRecordException {
        return parser.doParseColumnOptimized(element, () -> NOTHING);
    }

    @Override
    public boolean next() throws IOException {
        boolean is = Analysis.under(conf, this::find);
        if (in.failure != null) {
            throw in.failure;
        }
        return is;
    }

    private boolean find() {
        row = null;
        problem = null;
        while (row == null && problem == null && found.hasNext()) {
            Object next = found.next();
            if (next instanceof BadRecordException bad) {
                problem = reason(bad.cause());
            } else if (next instanceof Option<?> some && some.isDefined()) {
                row = (InternalRow) some.get();
            }
        }
        return row != null || problem != null;
    }

    private static String reason(Throwable cause) {
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (each instanceof XMLStreamException wrong) {
                return XmlRecords.reason(wrong) + "; the rest of the file is not read";
            }
        }
        return BadText.reason(cause);
    }

    @Override
    public String problem() {
        return problem;
    }

    @Override
    public void write(PacketWriter out) {
        out.begin();
        for (int k = 0; k < writers.length; k++) {
            writers[k].set(out, k, row.get(k, writers[k].spark()));
        }
        out.commit();
    }

    /** Of the parser: a row at a time. */
    @Override
    public long heldBytes() {
        return 1 << 16;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
