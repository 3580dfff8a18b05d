package io.despina.expr;

import io.despina.packet.Schema;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The text format of records.
 *
 * @param format   {@code csv}, {@code json} or {@code xml}; for writing also {@link #DOCUMENT}
 * @param schema   columns of packets; in CSV the first columns of a line
 * @param columns  CSV: the number of columns in every line, of which those beyond the schema are ignored; 0 for as many as the
 *                 schema; {@link #AT_LEAST} for as many or more
 * @param header   CSV: the names of a line's cells, which contain each column of the schema once, in any case; empty if the
 *                 schema's columns are a line's first cells, in order
 * @param options  Spark's reader or writer options, for example {@code sep}, {@code timestampFormat}, {@code ignoreNullFields};
 *                 and for reading JSON {@link #TIMESTAMP_UNIT}
 * @param timeZone if the options name no {@code timeZone}
 * @param ansi     ANSI mode, as in Spark's session
 */
public record TextOptions(String format, Schema schema, int columns, List<String> header, Map<String, String> options,
        String timeZone, boolean ansi) {
    /** For {@code columns}: a CSV line may have any number beyond the schema's. */
    public static final int AT_LEAST = -1;
    /** In the options: what JSON numbers that are times count, in small letters; Spark's is {@code seconds}. */
    public static final String TIMESTAMP_UNIT = "timestamp_unit";

    /** A format: rows of XML that are elements of one document, as in a file. */
    public static final String DOCUMENT = "document";
    private static final Set<String> FORMATS = Set.of("csv", "json", "xml", DOCUMENT);

    public TextOptions {
        header = List.copyOf(header);
        options = Map.copyOf(options);
        if (!FORMATS.contains(format)) {
            throw new IllegalArgumentException("format=" + format + ": csv, json or xml");
        }
        if (columns != 0 && columns != AT_LEAST && columns < schema.size()) {
            throw new IllegalArgumentException("columns=" + columns + ": the schema has " + schema.size());
        }
    }

    /** For lines that begin with the schema's columns, in order. */
    public TextOptions(String format, Schema schema, int columns, Map<String, String> options, String timeZone, boolean ansi) {
        this(format, schema, columns, List.of(), options, timeZone, ansi);
    }
}
