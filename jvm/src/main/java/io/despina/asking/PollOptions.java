package io.despina.asking;

import io.despina.spec.FileFormat;
import java.util.List;

/**
 * What a source asks for again and again.
 *
 * @param cursor null without
 * @param ends   whether it asks once only
 */
public record PollOptions(AskedServer server, long everyMillis, Answer answer, Cursor cursor, boolean ends) {

    /**
     * What an answer is.
     *
     * @param records   the names on the way to the records, in json
     * @param next      the names on the way to the next page's URL, in json; null if only the header {@code Link} has it
     * @param skipLines at the beginning, where records are lines
     * @param mostBytes of an answer, unpacked
     */
    public record Answer(FileFormat format, List<String> records, List<String> next, int skipLines, int mostBytes) {
    }

    /**
     * The column by whose greatest value the source knows what is new.
     *
     * @param kind      {@code NUMBER}, {@code TIME} or {@code TEXT}: as what its values are compared
     * @param parameter of the URL's query that gets the greatest value; null if the server cannot be asked so
     * @param start     the first value of that parameter; null to ask without
     * @param ascending whether records come in its order; else all pages are gathered first
     */
    public record Cursor(String column, String kind, String parameter, String start, boolean ascending) {
        /** Whether a text is such a value. */
        public boolean takes(String text) {
            return value(text) != null;
        }

        CursorValue value(String text) {
            return CursorValue.of(text, CursorValue.CursorKind.valueOf(kind));
        }
    }
}
