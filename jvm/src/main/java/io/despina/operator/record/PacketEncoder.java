package io.despina.operator.record;

import io.despina.operator.OperatorContext;
import io.despina.packet.Packet;
import java.io.IOException;

/** Writes packets as the bytes of files, one after the other. */
public interface PacketEncoder {

    /** Begins a file. */
    void head(LineBuffer bytes) throws IOException;

    /** Writes a packet; or hands it to {@code on_error}, and writes nothing. */
    void write(Packet packet, LineBuffer bytes, OperatorContext context) throws Exception;

    /** Ends the file. */
    default void finish(LineBuffer bytes) throws IOException {
    }

    /** Memory that packets take which are not written yet. */
    default long heldBytes() {
        return 0;
    }
}
