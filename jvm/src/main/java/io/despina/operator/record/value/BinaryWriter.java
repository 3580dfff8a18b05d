package io.despina.operator.record.value;

import io.despina.packet.Packet;
import java.io.IOException;
import java.io.OutputStream;

/** Writes rows as records that are no text. */
public interface BinaryWriter {

    /** Writes a row. @throws IllegalArgumentException if no record can hold it; something may have been written by then */
    void write(Packet packet, OutputStream out) throws IOException;
}
