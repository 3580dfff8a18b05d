package io.despina.expr;

import io.despina.packet.Packet;
import java.io.IOException;
import java.io.OutputStream;

/** Writes packets as text, the bytes that Spark's writer makes with the same options. One instance per task. */
public interface RecordFormatter {

    /** Writes what a file begins with: a CSV header if the options ask for one, else nothing. */
    void header(OutputStream out) throws IOException;

    /** Writes one record and its line end. Nothing is kept back. */
    void format(Packet packet, OutputStream out) throws IOException;
}
