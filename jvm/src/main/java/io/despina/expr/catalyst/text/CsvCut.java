package io.despina.expr.catalyst.text;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.csv.CSVOptions;

/**
 * Finds the end of the first columns of a CSV line, with respect to quotes, for lines that may have more columns than are read.
 * The engine and Spark both use it, so they agree on every line, even on those that no CSV writer would make.
 */
public final class CsvCut implements Serializable {
    private static final long serialVersionUID = 1L;

    private final String separator;
    private final char quote;
    private final char escape;
    private final int columns;
    private final boolean any;

    /**
     * @param columns the number of columns to keep, at least 1
     * @param any     whether columns behind them are cut off whatever they hold; else only one that is empty is
     */
    public CsvCut(CSVOptions options, int columns, boolean any) {
        this.any = any;
        separator = options.delimiter();
        quote = options.quote();
        escape = options.escape();
        this.columns = columns;
    }

    /** The line's first columns; the whole line if it has no more, or more than may be cut off. */
    public String text(String line) {
        int end = end(line);
        return any || line.substring(end).equals(separator) ? line.substring(0, end) : line;
    }

    /** The end of the line's first columns: before a separator, or at the line's end if it has no more. */
    private int end(String line) {
        int left = columns;
        boolean atStart = true;
        boolean quoted = false;
        int at = 0;
        while (at < line.length()) {
            char c = line.charAt(at);
            if (quoted) {
                if (c == escape && escape != quote && at + 1 < line.length()) {
                    at++;
                } else if (c == quote) {
                    quoted = at + 1 < line.length() && !line.startsWith(separator, at + 1);
                }
                at++;
            } else if (line.startsWith(separator, at)) {
                if (--left == 0) {
                    return at;
                }
                at += separator.length();
                atStart = true;
                continue;
            } else {
                quoted = c == quote && atStart;
                at++;
            }
            atStart = false;
        }
        return line.length();
    }
}
