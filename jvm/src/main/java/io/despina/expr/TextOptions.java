package io.despina.expr;

import io.despina.packet.Schema;
import java.util.List;
import java.util.Map;

/**
 * How records are written as text.
 *
 * @param format   {@code csv} or {@code json}
 * @param schema   columns that packets have; in CSV the first columns of a line
 * @param columns  CSV: how many columns every line has, those beyond the schema are read over; 0: as many as the schema has;
 *                 {@link #AT_LEAST}: as many or more
 * @param header   CSV: the names of a line's cells, among which each of the schema's is once, whatever their case; empty where
 *                 the schema's columns are a line's first ones, in order
 * @param options  Spark's reader or writer options, for example {@code sep}, {@code timestampFormat}, {@code ignoreNullFields}
 * @param timeZone where the options name no {@code timeZone}
 * @param ansi     ANSI mode, as Spark's session has it
 */
public record TextOptions(String format, Schema schema, int columns, List<String> header, Map<String, String> options,
        String timeZone, boolean ansi) {
    /** For {@code columns}: a CSV line may have any number beyond the schema's. */
    public static final int AT_LEAST = -1;

    public TextOptions {
        header = List.copyOf(header);
        options = Map.copyOf(options);
        if (!format.equals("csv") && !format.equals("json")) {
            throw new IllegalArgumentException("format=" + format + ": csv or json");
        }
        if (columns != 0 && columns != AT_LEAST && columns < schema.size()) {
            throw new IllegalArgumentException("columns=" + columns + ": the schema has " + schema.size());
        }
    }

    /** A line's first columns are the schema's, in order. */
    public TextOptions(String format, Schema schema, int columns, Map<String, String> options, String timeZone, boolean ansi) {
        this(format, schema, columns, List.of(), options, timeZone, ansi);
    }
}
