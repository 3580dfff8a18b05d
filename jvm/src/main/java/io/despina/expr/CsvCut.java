package io.despina.expr;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * Finds where the first columns of a CSV line end, minding quotes: for lines that may have more columns than are read. The
 * engine and Spark both cut with it, so that they agree on every line, also on those that no CSV writer would make.
 */
public final class CsvCut implements Serializable {
    private static final long serialVersionUID = 1L;
    private static final int NONE = -1;

    private final byte[] separator;
    private final int quote;
    private final int escape;
    private final int columns;

    private CsvCut(byte[] separator, int quote, int escape, int columns) {
        this.separator = separator;
        this.quote = quote;
        this.escape = escape;
        this.columns = columns;
    }

    /**
     * @param options Spark's reader options; {@code sep}, {@code quote} and {@code escape} matter
     * @param columns how many to keep, at least 1
     */
    public static CsvCut of(Map<String, String> options, int columns) {
        Map<String, String> named = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        named.putAll(options);
        String sep = named.getOrDefault("sep", named.getOrDefault("delimiter", ","));
        String separator = sep.equals("\\t") ? "\t" : sep.equals("\\\\") ? "\\" : sep;
        String quote = named.getOrDefault("quote", "\"");
        return new CsvCut(separator.getBytes(StandardCharsets.UTF_8), quote.isEmpty() ? 0 : oneAscii(quote),
                oneAscii(named.getOrDefault("escape", "\\")), columns);
    }

    private static int oneAscii(String text) {
        return text.length() == 1 && text.charAt(0) < 0x80 ? text.charAt(0) : NONE;
    }

    /** The line's first columns; the whole line if it has no more. */
    public String text(String line) {
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        int end = end(bytes, 0, bytes.length);
        return end == bytes.length ? line : new String(bytes, 0, end, StandardCharsets.UTF_8);
    }

    /** Where the line's first columns end: before a separator, or at {@code to} if it has no more. */
    public int end(byte[] line, int from, int to) {
        int left = columns;
        boolean atStart = true;
        boolean quoted = false;
        int at = from;
        while (at < to) {
            int b = line[at] & 0xFF;
            if (quoted) {
                if (b == escape && escape != quote && at + 1 < to) {
                    at++;
                } else if (b == quote) {
                    quoted = at + 1 < to && !separates(line, at + 1, to);
                }
                at++;
            } else if (separates(line, at, to)) {
                if (--left == 0) {
                    return at;
                }
                at += separator.length;
                atStart = true;
                continue;
            } else {
                quoted = b == quote && atStart;
                at++;
            }
            atStart = false;
        }
        return to;
    }

    private boolean separates(byte[] line, int at, int to) {
        if (to - at < separator.length) {
            return false;
        }
        for (int k = 0; k < separator.length; k++) {
            if (line[at + k] != separator[k]) {
                return false;
            }
        }
        return true;
    }
}
