package io.despina.expr;

import io.despina.packet.PacketWriter;

/** Reads records from text with Spark's own parser and options. One instance per task. */
public interface RecordParser {

    /**
     * A line that is no record of the schema.
     *
     * @param reason in plain words
     * @param record what Spark hands on as the bad record: the line, mostly whole
     * @param times  how often it does: once for each row of a JSON array that has a fault
     */
    record Refusal(String reason, String record, int times) {
    }

    /**
     * Reads one line (without its line end) and writes what it holds: mostly one packet, begun and committed; none for an
     * empty line or one that is a comment; several for a JSON array.
     *
     * @return null, or why the line is no record; then nothing was written
     */
    Refusal parse(byte[] line, int from, int to, PacketWriter out);

    /** The cells of a CSV header, as Spark's reader finds them. */
    default String[] header(byte[] line, int from, int to) {
        throw new UnsupportedOperationException("no csv");
    }
}
