package io.despina.expr;

import io.despina.packet.PacketWriter;

/** Reads records from text with Spark's own parser and options. One instance per task. */
public interface RecordParser {

    /**
     * Reads one line (without its line end) and writes what it holds: mostly one packet, begun and committed; none for an
     * empty line or one that is a comment; several for a JSON array.
     *
     * @return null, or in plain words why the line is no record of the schema; then nothing was written
     */
    String parse(byte[] line, int from, int to, PacketWriter out);
}
