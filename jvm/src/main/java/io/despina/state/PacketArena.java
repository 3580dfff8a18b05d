package io.despina.state;

import io.despina.packet.Bytes;
import io.despina.packet.Packet;
import java.util.Arrays;

/**
 * Copies of packets in growing chunks of bytes, without an object per packet. A chunk is given back when all its packets
 * have been freed, so packets should be freed about in the order in which they were added.
 */
public final class PacketArena {
    private static final int FIRST_CHUNK = 1 << 10;
    private static final int LARGEST_CHUNK = 1 << 16;
    private static final int NO_CHUNK = -1;
    private static final boolean CHECKS = Boolean.getBoolean("despina.checks");

    private byte[][] chunks = new byte[4][];
    /** Per chunk: packets that have not been freed. */
    private int[] live = new int[4];
    private int used;
    private int open = NO_CHUNK;
    private int position;
    private byte[] spare;
    private long bytes;
    /** Snapshots that have still to write what lies here: until then no memory is used again. */
    private int frozen;
    /** Of chunks that were given back meanwhile. */
    private long frozenBytes;

    /** Keeps a copy of {@code packet}; the answer names it until {@link #free}. */
    public long add(Packet packet) {
        int size = packet.size();
        if (open == NO_CHUNK || size > chunks[open].length - position) {
            openChunk(size);
        }
        System.arraycopy(packet.bytes(), packet.start(), chunks[open], position, size);
        long place = (long) open << Integer.SIZE | position;
        position += size;
        live[open]++;
        return place;
    }

    /** Moves {@code view} to a packet that is kept. */
    public void view(long place, Packet view) {
        byte[] chunk = chunks[(int) (place >> Integer.SIZE)];
        view.wrap(chunk, (int) place, chunk.length);
    }

    /** Whether the packet kept there has exactly the bytes of {@code packet}. */
    boolean equal(long place, Packet packet) {
        byte[] chunk = chunks[(int) (place >> Integer.SIZE)];
        int from = (int) place;
        int size = packet.size();
        return size <= chunk.length - from && Bytes.equal(chunk, from, packet.bytes(), packet.start(), size);
    }

    public void free(long place) {
        int chunk = (int) (place >> Integer.SIZE);
        if (--live[chunk] > 0) {
            return;
        }
        if (frozen > 0) {
            frozenBytes += chunks[chunk].length;
            drop(chunk);
            open = chunk == open ? NO_CHUNK : open;
            return;
        }
        if (CHECKS) {
            Arrays.fill(chunks[chunk], (byte) 0xdb);
        }
        if (chunk == open) {
            position = 0;
        } else {
            drop(chunk);
        }
    }

    /** Memory held, in bytes. */
    public long bytes() {
        return bytes + frozenBytes;
    }

    /** What lies here now, until the answer is closed. */
    Frozen freeze() {
        frozen++;
        return new Frozen();
    }

    /** The packets at one instant. */
    final class Frozen implements AutoCloseable {
        private byte[][] held = chunks.clone();

        /** Moves {@code view} to a packet that was kept at that instant. */
        void view(long place, Packet view) {
            byte[] chunk = held[(int) (place >> Integer.SIZE)];
            view.wrap(chunk, (int) place, chunk.length);
        }

        @Override
        public void close() {
            if (held != null) {
                held = null;
                frozen--;
                frozenBytes = frozen == 0 ? 0 : frozenBytes;
            }
        }
    }

    public void clear() {
        Arrays.fill(chunks, null);
        Arrays.fill(live, 0);
        open = NO_CHUNK;
        used = 0;
        spare = null;
        bytes = 0;
    }

    private void drop(int chunk) {
        bytes -= chunks[chunk].length;
        if (frozen == 0 && spare == null && chunks[chunk].length == LARGEST_CHUNK) {
            spare = chunks[chunk];
            bytes += LARGEST_CHUNK;
        }
        chunks[chunk] = null;
        used--;
    }

    private void openChunk(int size) {
        if (open != NO_CHUNK && live[open] == 0) {
            drop(open);
        }
        int slot = used < chunks.length ? freeSlot() : chunks.length;
        if (slot == chunks.length) {
            chunks = Arrays.copyOf(chunks, 2 * slot);
            live = Arrays.copyOf(live, 2 * slot);
        }
        int wanted = (int) Math.min(LARGEST_CHUNK, Math.max(FIRST_CHUNK, Long.highestOneBit(bytes + 1)));
        if (spare != null && size <= LARGEST_CHUNK) {
            chunks[slot] = spare;
            spare = null;
        } else {
            chunks[slot] = new byte[Math.max(size, wanted)];
            bytes += chunks[slot].length;
        }
        used++;
        open = slot;
        position = 0;
    }

    private int freeSlot() {
        int slot = open == NO_CHUNK ? 0 : open;
        do {
            slot = slot + 1 == chunks.length ? 0 : slot + 1;
        } while (chunks[slot] != null);
        return slot;
    }
}
