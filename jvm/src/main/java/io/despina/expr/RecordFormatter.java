package io.despina.expr;

import io.despina.packet.Packet;
import java.io.IOException;
import java.io.OutputStream;

/** Writes packets as text, with the same bytes as Spark's writer with the same options. One instance per task. */
public interface RecordFormatter {

    /** Writes the beginning of a file: a CSV header if the options require one, what stands before the rows of a document. */
    void header(OutputStream out) throws IOException;

    /** Writes one record and its line end. Buffers nothing. */
    void format(Packet packet, OutputStream out) throws IOException;

    /** Writes the end of a file that has a beginning. */
    default void end(OutputStream out) throws IOException {
    }
}
