package io.despina.operator.program;

import io.despina.operator.Sink;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import java.io.IOException;

/** A sink whose rows the user's program gets. */
public interface ProgramSink extends Sink {

    /** The program is to get the packet, with others. Waits while the program does not keep up. */
    void add(Packet packet) throws IOException, InterruptedException;

    /** No other packet comes soon. */
    void handOver() throws IOException, InterruptedException;

    @Override
    default void process(int port, PacketCursor packets) throws Exception {
        Packet packet;
        while ((packet = packets.next()) != null) {
            add(packet);
        }
        handOver();
    }
}
