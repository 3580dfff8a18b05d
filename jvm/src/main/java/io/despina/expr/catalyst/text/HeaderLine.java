package io.despina.expr.catalyst.text;

import io.despina.packet.Column;
import io.despina.packet.Schema;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.csv.CSVOptions;

/**
 * Finds the first line of a csv file among bad records, where nobody has said that it has the names of the columns.
 *
 * @param names     of the columns, in lower case; none where a line cannot be that
 * @param separator of fields
 */
record HeaderLine(Set<String> names, Pattern separator) {
    static final String HINT = "; the line has the names of the columns: \"options\": {\"header\": \"true\"} says so";

    /** @param csv how a file is read; null if it is no csv */
    static HeaderLine of(Schema schema, CSVOptions csv) {
        if (csv == null || csv.headerFlag()) {
            return new HeaderLine(Set.of(), null);
        }
        return new HeaderLine(schema.columns().stream().map(Column::name).map(HeaderLine::plain).collect(Collectors.toSet()),
                Pattern.compile(csv.delimiter(), Pattern.LITERAL));
    }

    boolean is(String record) {
        return !names.isEmpty() && Arrays.stream(separator.split(record)).map(HeaderLine::plain).allMatch(names::contains);
    }

    private static String plain(String name) {
        String bare = name.strip();
        boolean quoted = bare.length() > 1 && bare.startsWith("\"") && bare.endsWith("\"");
        return (quoted ? bare.substring(1, bare.length() - 1) : bare).toLowerCase(Locale.ROOT);
    }
}
