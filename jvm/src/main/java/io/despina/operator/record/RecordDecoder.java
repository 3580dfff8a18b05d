package io.despina.operator.record;

import io.despina.expr.RecordParser;
import io.despina.expr.TextOptions;
import io.despina.operator.record.avro.AvroException;
import io.despina.operator.record.avro.AvroOptions;
import io.despina.operator.record.csv.CsvDialect;
import io.despina.operator.record.csv.CsvHeader;
import io.despina.operator.record.csv.CsvReader;
import io.despina.operator.record.csv.HeaderException;
import io.despina.operator.record.protobuf.ProtobufException;
import io.despina.operator.record.protobuf.ProtobufOptions;
import io.despina.operator.record.value.BinaryReader;
import io.despina.operator.source.time.Watermarks;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.spec.EventTime;
import io.despina.spec.FileFormat;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Turns records into packets, and hands bad ones to {@code on_error}. */
public final class RecordDecoder {
    /** Takes a record that is not one of the schema. */
    public interface BadRecords {
        void take(String why, String record) throws Exception;
    }

    private static final String BYTE_ORDER_MARK = "\uFEFF";

    private final RecordFormat.Read records;
    private final EventTime eventTime;
    private final Function<TextOptions, RecordParser> parsers;
    private final BadRecords bad;
    private final Map<String, String> named = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    private final CsvDialect dialect;
    /** Whether the text of a record that is one column needs no conversion. */
    private final boolean isUtf8;
    /** A byte order mark before a line of csv, in its charset; empty where there is none. */
    private final byte[] mark;
    /** Whether a CSV line may have any number of columns beyond the schema's. */
    private final boolean anyColumns;
    /** The reader of lines with the schema's columns in its order; null for text. */
    private final RecordReader inOrder;
    /** The reader of line protocol; null for other formats. */
    private final InfluxReader influx;
    /** The reader of records that are no text; null for other formats. */
    private BinaryReader binary;
    /** Readers of files whose headers give the places of the columns, one for each header. */
    private final Map<List<String>, RecordReader> byName = new HashMap<>();

    /**
     * Of a source.
     *
     * @param eventTime or null
     * @param parsers   gives Spark's parser for what the byte-level reader does not read; called when first needed
     */
    public RecordDecoder(RecordFormat.Read records, EventTime eventTime, Function<TextOptions, RecordParser> parsers,
            BadRecords bad) {
        this.records = records;
        this.eventTime = eventTime;
        this.parsers = parsers;
        this.bad = bad;
        named.putAll(records.options());
        refuseUnreadable();
        isUtf8 = records.format().isBinary() || charset().equals(StandardCharsets.UTF_8);
        boolean csv = records.format() == FileFormat.CSV;
        mark = csv ? mark(charset()) : new byte[0];
        dialect = csv ? CsvDialect.of(records.options(), records.timeZone()) : null;
        anyColumns = csv && records.ignoreExtra() && records.columns() <= 0;
        influx = records.format() == FileFormat.INFLUX ? influx(records) : null;
        binary = records.format() == FileFormat.AVRO ? avro(records)
                : records.format() == FileFormat.PROTOBUF ? protobuf(records) : null;
        inOrder = !records.format().isText() || records.format().isWhole() || influx != null ? null
                : reader(new CsvReader.Cells(wantedColumns(), anyColumns, null), List.of());
    }

    /** @param header the names of a line's cells; empty for the schema's columns in its order */
    private RecordReader reader(CsvReader.Cells line, List<String> header) {
        int time = eventTime == null ? -1 : eventTime.column();
        CsvReader fast = dialect == null ? null : new CsvReader(dialect, line,
                new CsvReader.Columns(records.schema(), time, records.unread()));
        TextOptions text = new TextOptions(records.format().word(), records.schema(),
                anyColumns ? TextOptions.AT_LEAST : isByName() ? 0 : records.columns(), header, records.options(),
                records.timeZone(), records.ansi());
        return new RecordReader(fast != null && fast.canRead() ? fast : null, text, parsers);
    }

    /** Whether each file's header says how its lines are read. */
    public boolean isByName() {
        return records.columns() == RecordFormat.Read.BY_NAME;
    }

    private int wantedColumns() {
        return records.columns() <= 0 ? records.schema().size() : records.columns();
    }

    private static InfluxReader influx(RecordFormat.Read records) {
        try {
            return new InfluxReader(InfluxOptions.of(records.options(), records.schema(), false), records.schema());
        } catch (InfluxOptions.InfluxException checkedBefore) {
            throw new IllegalArgumentException(checkedBefore);
        }
    }

    /** Null without a schema: {@link #readBy} is to be called. */
    private BinaryReader avro(RecordFormat.Read of) {
        try {
            AvroOptions options = new AvroOptions(of.options());
            return options.haveSchema() ? options.reader(of.schema(), defaults()) : null;
        } catch (AvroException why) {
            throw new IllegalArgumentException(why.getMessage(), why);
        }
    }

    /** Null without a file: {@link #readBy} is to be called. */
    private BinaryReader protobuf(RecordFormat.Read of) {
        try {
            ProtobufOptions options = new ProtobufOptions(of.options());
            return options.haveFile() ? options.reader(of.schema(), defaults()) : null;
        } catch (ProtobufException why) {
            throw new IllegalArgumentException(why.getMessage(), why);
        }
    }

    /** Records that are no text are read by that one, which is made of the columns and the row of their defaults, if any. */
    public <R extends BinaryReader> R readBy(BiFunction<Schema, Packet, R> made) {
        R reader = made.apply(records.schema(), defaults());
        binary = reader;
        return reader;
    }

    /** A row of what columns are that a record leaves out; null if it may leave out none. Spark's parser knows their literals. */
    private Packet defaults() {
        if (records.schema().defaults().isEmpty()) {
            return null;
        }
        ScratchPackets row = new ScratchPackets(records.schema());
        byte[] nothing = {'{', '}'};
        parsers.apply(new TextOptions(FileFormat.JSON.word(), records.schema(), 0, List.of(), Map.of(), records.timeZone(),
                records.ansi())).parse(nothing, 0, nothing.length, row.writer());
        return row.next();
    }

    private void refuseUnreadable() {
        Type only = records.format().isBinary() ? Type.Simple.BINARY : Type.Simple.STRING;
        if (records.format().isWhole() && (records.schema().size() != 1 || records.schema().column(0).type() != only)) {
            throw new IllegalArgumentException("format " + records.format().word() + " has one " + only + " column, not "
                    + records.schema());
        }
    }

    /** Null if every line is a record. */
    public CsvDialect dialect() {
        return dialect;
    }

    /** The line separator, or null for the usual ones. */
    public byte[] separator() {
        String separator = named.get("lineSep");
        return separator == null || separator.isEmpty() ? null : separator.getBytes(charset());
    }

    /** Whether a byte order mark is before the first line of a file that is parsed: Spark's parser takes it off. */
    private boolean isMarked(RecordView line) {
        int marked = line.start() + mark.length;
        return line.isFirst() && mark.length > 0 && marked <= line.end()
                && Arrays.equals(line.bytes(), line.start(), marked, mark, 0, mark.length);
    }

    private static byte[] mark(Charset charset) {
        byte[] bytes = BYTE_ORDER_MARK.getBytes(charset);
        return new String(bytes, charset).equals(BYTE_ORDER_MARK) ? bytes : new byte[0];
    }

    private Charset charset() {
        return Charset.forName(named.getOrDefault("encoding", named.getOrDefault("charset", "UTF-8")));
    }

    /** The reader of the lines after a header. Refuses the header if its names matter and differ from the schema's. */
    public RecordReader reader(RecordView line) throws IOException {
        if (dialect.byPlace()) {
            return inOrder;
        }
        String[] cells = isMarked(line) ? null : dialect.plainCells(line.bytes(), line.start(), line.end());
        if (cells == null) {
            cells = inOrder.parser(line).header(line.bytes(), line.start(), line.end());
        }
        if (isByName()) {
            List<String> names = cells == null ? List.of()
                    : Arrays.stream(cells).map(cell -> cell == null ? "" : cell).toList();
            int[] places = CsvHeader.places(line.where(), names, records.schema());
            return byName.computeIfAbsent(names,
                    header -> reader(new CsvReader.Cells(header.size(), anyColumns, places), header));
        }
        String problem = CsvHeader.mismatch(cells, records.schema(), wantedColumns(), anyColumns);
        if (problem != null) {
            throw HeaderException.ofSource(line.where() + ": the CSV header does not fit the schema: " + problem);
        }
        return inOrder;
    }

    private RecordReader readerOf(RecordView line) {
        RecordReader reader = line.reader();
        return reader == null ? inOrder : reader;
    }

    /** Writes the line to an output, if the byte-level reader can read it and it may be sent now. */
    public boolean decodeInto(RecordView line, PacketWriter out, Watermarks watermarks) throws Exception {
        if (records.format().isWhole()) {
            writeWhole(line, out);      // without a time
            return true;
        }
        if (binary != null && eventTime == null) {
            decodeBinary(line, out);
            return true;
        }
        return influx == null && binary == null && read(readerOf(line), line, out, watermarks);
    }

    /** Writes the line's packets, if any, to {@code scratch}; or hands it to {@code on_error}. */
    public void decode(RecordView line, ScratchPackets scratch) throws Exception {
        if (records.format().isWhole()) {
            writeWhole(line, scratch.writer());
            return;
        }
        if (influx != null) {
            decodeLines(line, scratch);
            return;
        }
        if (binary != null) {
            decodeBinary(line, scratch.writer());
            return;
        }
        RecordReader reader = readerOf(line);
        if (!read(reader, line, scratch.writer(), null)) {
            RecordParser.Refusal refusal = reader.parser(line).parse(line.bytes(), line.start(), line.end(), scratch.writer());
            if (refusal != null) {
                bad(line, refusal);
            }
        }
    }

    /** A bad record that is no text is shown in hexadecimal digits. */
    private void decodeBinary(RecordView record, PacketWriter out) throws Exception {
        String why = binary.read(record.bytes(), record.start(), record.end(), out);
        if (why != null) {
            bad.take(record.where() + ": " + why, HexFormat.of().formatHex(record.bytes(), record.start(), record.end()));
        }
    }

    /** A message of line protocol may have many lines. */
    private void decodeLines(RecordView record, ScratchPackets scratch) throws Exception {
        byte[] bytes = record.bytes();
        for (int start = record.start(); start < record.end();) {
            int end = start;
            while (end < record.end() && bytes[end] != '\n') {
                end++;
            }
            String why = influx.read(bytes, start, end, record.arrived(), scratch.writer());
            if (why != null) {
                bad.take(record.where() + ": " + why, new String(bytes, start, end - start, StandardCharsets.UTF_8));
            }
            start = end + 1;
        }
    }

    /** Reads a line by the byte-level reader; false if that is unsure, or the packet must wait. */
    private boolean read(RecordReader reader, RecordView line, PacketWriter out, CsvReader.BeforePacket hook) throws Exception {
        if (!reader.isFast() || isMarked(line)) {
            return false;
        }
        CsvReader.LineResult result = reader.read(line.bytes(), line.start(), line.end(), out, hook);
        if (result == CsvReader.LineResult.WRONG_COLUMNS) {
            bad(line, new RecordParser.Refusal(reader.wrongColumns(),
                    new String(line.bytes(), line.start(), line.end() - line.start(), StandardCharsets.UTF_8), 1));
        }
        return result == CsvReader.LineResult.WRITTEN || result == CsvReader.LineResult.WRONG_COLUMNS;
    }

    private void bad(RecordView line, RecordParser.Refusal refusal) throws Exception {
        for (int k = 0; k < refusal.times(); k++) {
            bad.take(line.where() + ": " + refusal.reason(), refusal.record());
        }
    }

    private void writeWhole(RecordView line, PacketWriter out) {
        byte[] bytes = line.bytes();
        int from = line.start();
        int to = line.end();
        if (!isUtf8) {
            bytes = new String(bytes, from, to - from, charset()).getBytes(StandardCharsets.UTF_8);
            from = 0;
            to = bytes.length;
        }
        out.begin().setBytes(0, bytes, from, to - from);
        out.commit();
    }
}
