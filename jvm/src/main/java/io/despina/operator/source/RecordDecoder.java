package io.despina.operator.source;

import io.despina.expr.RecordParser;
import io.despina.expr.TextOptions;
import io.despina.operator.OperatorContext;
import io.despina.packet.PacketWriter;
import io.despina.packet.Type;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Turns lines into packets: by the byte-level reader where it is sure, by Spark's parser where it is not. */
final class RecordDecoder {
    private final FileSource.Records records;
    private final FileSource.Options options;
    private final OperatorContext context;
    private final Map<String, String> named = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    private final CsvDialect dialect;
    /** Null where it cannot read the schema or the dialect. */
    private final CsvReader fast;
    /** Whether a CSV line may have any number of columns beyond the schema's. */
    private final boolean anyColumns;
    /** Made when it is first needed, as it loads Spark's classes: with {@link #fast}, perhaps never. */
    private RecordParser slow;

    RecordDecoder(FileSource.Options options, OperatorContext context) {
        this.options = options;
        this.context = context;
        records = options.records();
        named.putAll(records.options());
        refuseUnreadable();
        boolean csv = records.format() == FileSource.Format.CSV;
        dialect = csv ? CsvDialect.of(records.options(), records.timeZone()) : null;
        anyColumns = csv && records.ignoreExtra() && records.columns() == 0;
        int eventTime = options.eventTime() == null ? -1 : options.eventTime().column();
        CsvReader reader = csv ? new CsvReader(dialect, records.schema(), wantedColumns(), anyColumns, eventTime,
                records.unread()) : null;
        fast = csv && reader.canRead() ? reader : null;
        if (fast == null && records.format() != FileSource.Format.TEXT) {
            parser();       // it refuses wrong options before there is a line
        }
    }

    private int wantedColumns() {
        return records.columns() == 0 ? records.schema().size() : records.columns();
    }

    private void refuseUnreadable() {
        if (records.format() == FileSource.Format.TEXT && (records.schema().size() != 1
                || records.schema().column(0).type() != Type.Simple.STRING)) {
            throw new IllegalArgumentException(context.operatorId() + ": format text has one STRING column, not "
                    + records.schema());
        }
    }

    CsvDialect dialect() {
        return dialect;
    }

    /** What lines end with, or null for the usual. */
    byte[] separator() {
        String separator = named.get("lineSep");
        return separator == null || separator.isEmpty() ? null : separator.getBytes(charset());
    }

    private Charset charset() {
        return Charset.forName(named.getOrDefault("encoding", named.getOrDefault("charset", "UTF-8")));
    }

    /** Refuses a header whose names are not the schema's, in its order. */
    void checkHeader(FileLines line) throws IOException {
        if (dialect.byPlace()) {
            return;
        }
        String[] cells = dialect.plainCells(line.bytes(), line.start(), line.end());
        if (cells == null) {
            cells = parser().header(line.bytes(), line.start(), line.end());
        }
        String problem = CsvHeader.mismatch(cells, records.schema(), wantedColumns(), anyColumns);
        if (problem != null) {
            throw new IOException(line.where() + ": the CSV header does not fit the schema: " + problem
                    + "; write the schema in the header's order and by its names, or, to take columns by their place alone, add "
                    + "\"enforceSchema\": \"true\" to the options");
        }
    }

    /** Writes the line to an output if the byte-level reader can and it may go now. */
    boolean decodeInto(FileLines line, PacketWriter out, Watermarks watermarks) throws Exception {
        if (fast == null) {
            return false;
        }
        CsvReader.BeforePacket hook = watermarks;
        return read(line, out, hook);
    }

    /** Writes the line's packets, if any, to {@code scratch}; or hands it to {@code on_error}. */
    void decode(FileLines line, ScratchPackets scratch) throws Exception {
        if (records.format() == FileSource.Format.TEXT) {
            writeText(line, scratch.writer());
        } else if (fast == null || !read(line, scratch.writer(), null)) {
            RecordParser.Refusal refusal = parser().parse(line.bytes(), line.start(), line.end(), scratch.writer());
            if (refusal != null) {
                bad(line, refusal);
            }
        }
    }

    /** Reads a line by the byte-level reader; false if it is not sure, or the packet is to wait. */
    private boolean read(FileLines line, PacketWriter out, CsvReader.BeforePacket hook) throws Exception {
        CsvReader.Result result = fast.read(line.bytes(), line.start(), line.end(), out, hook);
        if (result == CsvReader.Result.WRONG_COLUMNS) {
            bad(line, new RecordParser.Refusal(wrongColumns(fast.found()),
                    new String(line.bytes(), line.start(), line.end() - line.start(), StandardCharsets.UTF_8), 1));
        }
        return result == CsvReader.Result.WRITTEN || result == CsvReader.Result.WRONG_COLUMNS;
    }

    private String wrongColumns(int found) {
        int wanted = wantedColumns();
        String why = found < wanted ? "; the line may be cut short"
                : wanted > 1 && found >= 2 * wanted - 1 ? "; two records may have been glued into one line" : "";
        return found + " columns where " + wanted + " are wanted" + why;
    }

    private void bad(FileLines line, RecordParser.Refusal refusal) throws Exception {
        for (int k = 0; k < refusal.times(); k++) {
            context.badRecord(line.where() + ": " + refusal.reason(), refusal.record());
        }
    }

    private RecordParser parser() {
        if (slow == null) {
            slow = options.parsers().apply(new TextOptions(records.format().name().toLowerCase(Locale.ROOT), records.schema(),
                    anyColumns ? TextOptions.AT_LEAST : records.columns(), records.options(), records.timeZone(),
                    records.ansi()));
        }
        return slow;
    }

    private void writeText(FileLines line, PacketWriter out) {
        byte[] bytes = line.bytes();
        int from = line.start();
        int to = line.end();
        if (!charset().equals(StandardCharsets.UTF_8)) {
            bytes = new String(bytes, from, to - from, charset()).getBytes(StandardCharsets.UTF_8);
            from = 0;
            to = bytes.length;
        }
        out.begin().setBytes(0, bytes, from, to - from);
        out.commit();
    }
}
