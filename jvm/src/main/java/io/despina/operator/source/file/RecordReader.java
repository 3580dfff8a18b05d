package io.despina.operator.source.file;

import io.despina.expr.RecordParser;
import io.despina.expr.TextOptions;
import io.despina.operator.source.csv.CsvReader;
import io.despina.packet.PacketWriter;
import java.util.function.Function;

/** Reads lines whose columns lie alike: by the byte-level reader where it is sure, by Spark's parser where it is not. */
final class RecordReader {
    /** Null where it cannot read the schema or the dialect. */
    private final CsvReader fast;
    private final TextOptions text;
    private final Function<TextOptions, RecordParser> parsers;
    /** Made when it is first needed, as it loads Spark's classes: with {@link #fast}, perhaps never. */
    private RecordParser slow;

    /** @param fast null for none */
    RecordReader(CsvReader fast, TextOptions text, Function<TextOptions, RecordParser> parsers) {
        this.fast = fast;
        this.text = text;
        this.parsers = parsers;
        if (fast == null) {
            parser();       // it refuses wrong options before there is a line
        }
    }

    /** Whether {@link #read} reads any line. */
    boolean isFast() {
        return fast != null;
    }

    /** Reads a line by the byte-level reader, if it is sure and the packet may go now. */
    CsvReader.LineResult read(byte[] bytes, int start, int end, PacketWriter out, CsvReader.BeforePacket hook) {
        return fast.read(bytes, start, end, out, hook);
    }

    /** After {@link CsvReader.LineResult#WRONG_COLUMNS}, in words. */
    String wrongColumns() {
        int found = fast.found();
        int wanted = fast.wanted();
        String why = found < wanted ? "; the line may be cut short"
                : wanted > 1 && found >= 2 * wanted - 1 ? "; two records may have become one line" : "";
        return found + (found == 1 ? " column" : " columns") + " instead of " + wanted + why;
    }

    RecordParser parser() {
        if (slow == null) {
            slow = parsers.apply(text);
        }
        return slow;
    }
}
