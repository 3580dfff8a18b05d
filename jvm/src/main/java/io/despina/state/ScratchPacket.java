package io.despina.state;

import io.despina.packet.Packet;
import io.despina.packet.PacketLayout;
import io.despina.packet.PacketWriter;
import java.util.Arrays;

/** Room for one packet at a time: a key, or a state's next value, before it is looked up or kept. */
public final class ScratchPacket implements PacketWriter.Store {
    private static final int FIRST_BYTES = 256;
    private static final boolean CHECKS = Boolean.getBoolean("despina.checks");

    private final PacketWriter writer;
    private final Packet view;
    private byte[] bytes = new byte[FIRST_BYTES];

    public ScratchPacket(PacketLayout layout) {
        writer = new PacketWriter(layout, this);
        view = new Packet(layout);
    }

    /** Begins the packet, in place of the one before. */
    public PacketWriter begin() {
        if (CHECKS) {
            Arrays.fill(bytes, (byte) 0xdb);
        }
        writer.open(bytes, 0, bytes.length);
        return writer.begin();
    }

    /** Ends it. What this gives stays until the next {@link #begin}. */
    public Packet commit() {
        writer.commit();
        view.wrap(bytes, 0, writer.position());
        return view;
    }

    @Override
    public void makeRoom(PacketWriter open, int needed) {
        byte[] larger = new byte[Math.max(needed, 2 * bytes.length)];
        open.move(larger, 0, larger.length);
        bytes = larger;
    }
}
