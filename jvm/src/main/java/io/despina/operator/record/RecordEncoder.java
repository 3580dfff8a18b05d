package io.despina.operator.record;

import io.despina.expr.RecordFormatter;
import io.despina.expr.TextOptions;
import io.despina.operator.OperatorContext;
import io.despina.operator.record.avro.AvroException;
import io.despina.operator.record.avro.AvroOptions;
import io.despina.operator.record.avro.AvroWriter;
import io.despina.operator.record.protobuf.ProtobufException;
import io.despina.operator.record.protobuf.ProtobufOptions;
import io.despina.operator.record.value.BinaryWriter;
import io.despina.operator.record.value.DelimitedWriter;
import io.despina.operator.record.value.RegisteredId;
import io.despina.packet.MalformedPacketException;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.spec.FileFormat;
import java.io.IOException;
import java.util.function.Function;

/** Writes packets as records, mostly lines: byte by byte where Spark's output is certain, else with Spark's own formatter. */
public final class RecordEncoder implements PacketEncoder {
    private final RecordFormat.Write records;
    private final Function<TextOptions, RecordFormatter> formatters;
    private final Schema schema;
    private final boolean text;
    /** Null if it does not support the options or a column's type. */
    private final PlainLines plain;
    /** Null for other formats. */
    private final InfluxLines influx;
    /** Null for other formats, and for Protobuf before a registry has given its schema. */
    private BinaryWriter binary;
    /** What stands before each record of Avro; null for nothing. */
    private RegisteredId id;
    private RecordFormatter formatter;
    private boolean isDocument;
    /** Of a document: whether its end is to be written. */
    private boolean isBegun;

    /** @param formatters gives Spark's formatter; called when first needed */
    public RecordEncoder(RecordFormat.Write records, Function<TextOptions, RecordFormatter> formatters, Schema schema) {
        this.records = records;
        this.formatters = formatters;
        this.schema = schema;
        text = records.format().isWhole();
        influx = records.format() == FileFormat.INFLUX ? influx(records, schema) : null;
        binary = records.format() == FileFormat.AVRO ? avro() : records.format() == FileFormat.PROTOBUF ? protobuf() : null;
        boolean other = text || influx != null || binary != null || records.format() == FileFormat.PROTOBUF
                || records.format() == FileFormat.XML;
        plain = other ? null : PlainLines.of(records, schema);
    }

    private static InfluxLines influx(RecordFormat.Write records, Schema schema) {
        try {
            return new InfluxLines(InfluxOptions.of(records.options(), schema, true), schema);
        } catch (InfluxOptions.InfluxException checkedBefore) {
            throw new IllegalArgumentException(checkedBefore);
        }
    }

    private BinaryWriter protobuf() {
        try {
            ProtobufOptions options = new ProtobufOptions(records.options());
            return options.haveFile() ? options.writer(schema) : null;
        } catch (ProtobufException why) {
            throw new IllegalArgumentException(why.getMessage(), why);
        }
    }

    private BinaryWriter avro() {
        try {
            AvroOptions options = new AvroOptions(records.options());
            id = options.id();
            return new AvroWriter(options.written(schema), schema);
        } catch (AvroException why) {
            throw new IllegalArgumentException(why.getMessage(), why);
        }
    }

    /** The same for files, in which a record of Protobuf is behind its length, and one of XML within a root. */
    public static RecordEncoder ofFiles(RecordFormat.Write records, Function<TextOptions, RecordFormatter> formatters,
            Schema schema) {
        RecordEncoder encoder = new RecordEncoder(records, formatters, schema);
        encoder.isDocument = records.format() == FileFormat.XML;
        if (records.format() == FileFormat.PROTOBUF) {
            encoder.binary = new DelimitedWriter(encoder.binary);
        }
        return encoder;
    }

    /** The schema of its records of Avro, as text. */
    public String avroSchema() {
        try {
            return new AvroOptions(records.options()).written(schema).toString();
        } catch (AvroException checkedBefore) {
            throw new IllegalArgumentException(checkedBefore);
        }
    }

    /** What stands before each record of Avro from now on. */
    public void begin(RegisteredId registered) {
        id = registered;
    }

    /** Writes each record of Protobuf, whose schema a registry has. Before the first. */
    public void begin(BinaryWriter registered) {
        binary = registered;
    }

    private RecordFormatter formatter() {
        if (formatter == null) {
            formatter = formatters.apply(new TextOptions(isDocument ? TextOptions.DOCUMENT : records.format().word(), schema, 0,
                    records.options(), records.timeZone(), records.ansi()));
        }
        return formatter;
    }

    @Override
    public void head(LineBuffer lines) throws IOException {
        if (records.format().isText() && !text && influx == null && (plain == null || !plain.head(lines))) {
            formatter().header(lines);
            isBegun = isDocument;
        }
    }

    @Override
    public void finish(LineBuffer lines) throws IOException {
        if (isBegun) {
            isBegun = false;
            formatter().end(lines);
        }
    }

    @Override
    public void write(Packet packet, LineBuffer lines, OperatorContext context) throws Exception {
        put(packet, lines, context);
    }

    /** Writes a packet; or hands it to {@code on_error}. @return whether it was written: a record may have no bytes */
    public boolean put(Packet packet, LineBuffer lines, OperatorContext context) throws Exception {
        int before = lines.size();
        try {
            encode(packet, lines);
            return true;
        } catch (MalformedPacketException broken) {
            throw broken;
        } catch (RuntimeException why) {
            lines.cut(before);
            context.badRecord(why, packet);
            return false;
        }
    }

    /**
     * Writes a packet, or fails and may have written a part.
     *
     * @throws RuntimeException if the packet cannot be a record
     */
    public void encode(Packet packet, LineBuffer lines) throws IOException {
        if (text) {
            if (!packet.isNull(0)) {
                int from = packet.valueStart(0);
                lines.write(packet.bytes(), from, packet.valueEnd() - from);
            }
            if (!records.format().isBinary()) {
                lines.write('\n');
            }
            return;
        }
        if (influx != null) {
            influx.write(packet, lines);
            return;
        }
        if (binary != null) {
            if (id != null) {
                id.write(lines);
            }
            binary.write(packet, lines);
            return;
        }
        int before = lines.size();
        if (plain == null || !plain.write(packet, lines)) {
            lines.cut(before);
            formatter().format(packet, lines);
        }
    }
}
