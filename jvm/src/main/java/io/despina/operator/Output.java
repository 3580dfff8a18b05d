package io.despina.operator;

import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;

/** One output port of a task, as its operator sees it. Implemented by {@code link}. */
public interface Output {

    /** The writer of this port, the same object for the task's life: begin, set, commit; or copy. */
    PacketWriter writer();

    /**
     * Writes a packet of an equal layout as it is; a port that is not linked counts it and copies nothing.
     *
     * @return false when further packets would have to queue
     */
    default boolean pass(Packet packet) {
        PacketWriter to = writer();
        to.copy(packet);
        return !to.beganRegion() || hasRoom();
    }

    /** False when further packets would have to queue: return soon, and continue when called again. */
    boolean hasRoom();

    /**
     * Of sources, and operators that answer packets in a later call: the packets that follow were due, or stem from such that
     * were due, at {@code nanos} of the job's clock.
     */
    void due(long nanos);

    /**
     * Of sources, operators that set time anew, and those that hold packets back: no packet with an event time before
     * {@code micros} follows.
     *
     * @param exact true right before a late packet, so that every operator judges that packet by the same watermark
     */
    void watermark(long micros, boolean exact);

    /**
     * Of sources and operators that hold packets back: nothing follows for a while, so other inputs need not wait for this one's
     * watermark.
     */
    void idle();
}
