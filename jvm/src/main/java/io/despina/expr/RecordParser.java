package io.despina.expr;

import io.despina.packet.PacketWriter;

/** Reads records from text with Spark's own parser and options. One instance per task. */
public interface RecordParser {

    /**
     * A line that is not a record of the schema.
     *
     * @param reason in plain words
     * @param record Spark's text of the bad record: mostly the whole line
     * @param times  how many bad records Spark reports: one for each bad row of a JSON array
     */
    record Refusal(String reason, String record, int times) {
    }

    /**
     * Reads one line (without its line end), or a document of XML, and writes its packets: mostly one; none for an empty line or
     * a comment; several for a JSON array, or for a document with several rows.
     *
     * @return null, or why the line is not a record; nothing is written then
     */
    Refusal parse(byte[] line, int from, int to, PacketWriter out);

    /** Says whether the next line is the first of its file that is parsed: Spark's parser handles that one in its own way. */
    default void begin(boolean first) {
    }

    /** The cells of a CSV header, as Spark's reader finds them. */
    default String[] header(byte[] line, int from, int to) {
        throw new UnsupportedOperationException("no csv");
    }
}
