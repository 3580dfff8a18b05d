package io.despina.state;

import io.despina.packet.Packet;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * The packets of a table at one instant, each in memory of its own. They are shared with the table until it replaces them, so a
 * change copies none. A long one is written piece by piece, as there is room.
 */
final class SharedPackets {
    /** A piece is no shorter than this, even if it fills its buffer a little more. */
    private static final int PIECE = 1 << 10;
    private static final int NONE = -1;

    /** Those that were replaced before their turn, by entry. */
    private final Map<Integer, Packet> replaced = new HashMap<>();
    private long replacedBytes;
    /** Whose packet is being written. */
    private int entry = NONE;
    private Packet open;
    private int written;

    /** The packet of an entry is about to be replaced, before its turn. */
    void keep(int ofEntry, Packet packet) {
        replaced.put(ofEntry, packet);
        replacedBytes += packet.bytes().length;
    }

    /** The memory of the packets that the table has no more. */
    long bytes() {
        return replacedBytes;
    }

    /** Whether a packet is written in part. */
    boolean isOpen() {
        return open != null;
    }

    /** Whether it is that of this entry. */
    boolean isOpen(int ofEntry) {
        return entry == ofEntry;
    }

    /** Ends the entry that is open in {@code to} with a packet, of which more may follow. @param ofTable that of the table now */
    void end(int ofEntry, Packet ofTable, SectionWriter to) throws IOException {
        open = replaced.remove(ofEntry);
        if (open == null) {
            open = ofTable;
        } else {
            replacedBytes -= open.bytes().length;
        }
        entry = ofEntry;
        written = 0;
        to.data().writeInt(open.size());
        to.endEntry(open.size());
        writeMore(to);
    }

    /** Goes on with the packet that is written in part. */
    void writeMore(SectionWriter to) {
        int some = Math.min(open.size() - written, Math.max(to.left(), PIECE));
        to.put(open.bytes(), open.start() + written, some);
        written += some;
        if (written == open.size()) {
            open = null;
            entry = NONE;
        }
    }
}
