package io.despina.operator.record;

import io.despina.expr.RecordParser;
import io.despina.expr.TextOptions;
import io.despina.operator.record.csv.CsvReader;
import io.despina.packet.PacketWriter;
import java.util.function.Function;

/** Reads lines with the same order of columns: with the byte-level reader where it is sure, else with Spark's parser. */
public final class RecordReader {
    /** Null if it cannot read the schema or the dialect. */
    private final CsvReader fast;
    private final TextOptions text;
    private final Function<TextOptions, RecordParser> parsers;
    /** Made when first needed, because it loads Spark's classes: with {@link #fast}, perhaps never. */
    private RecordParser slow;

    /** @param fast null for none */
    RecordReader(CsvReader fast, TextOptions text, Function<TextOptions, RecordParser> parsers) {
        this.fast = fast;
        this.text = text;
        this.parsers = parsers;
        if (fast == null) {
            parser();       // refuses wrong options before the first line
        }
    }

    /** Whether {@link #read} can be used. */
    boolean isFast() {
        return fast != null;
    }

    /** Reads a line with the byte-level reader, if it is sure and the packet may be sent now. */
    CsvReader.LineResult read(byte[] bytes, int start, int end, PacketWriter out, CsvReader.BeforePacket hook) {
        return fast.read(bytes, start, end, out, hook);
    }

    /** The message after {@link CsvReader.LineResult#WRONG_COLUMNS}. */
    String wrongColumns() {
        int found = fast.found();
        int wanted = fast.wanted();
        String why = fast.endsEmpty() ? "; the line ends with a separator, behind which nothing stands: a `file_source` leaves "
                + "that out with \"extra_columns\": \"ignore\""
                : found < wanted ? "; the line may be cut short"
                : wanted > 1 && found >= 2 * wanted - 1 ? "; two records may have become one line" : "";
        return found + (found == 1 ? " column" : " columns") + " instead of " + wanted + why;
    }

    /** Spark's parser, for that record. */
    RecordParser parser(RecordView line) {
        RecordParser parser = parser();
        parser.begin(line.isFirst());
        return parser;
    }

    private RecordParser parser() {
        if (slow == null) {
            slow = parsers.apply(text);
        }
        return slow;
    }
}
