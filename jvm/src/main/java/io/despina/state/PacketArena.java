package io.despina.state;

import io.despina.packet.Bytes;
import io.despina.packet.Packet;
import java.util.Arrays;

/**
 * Copies of packets in growing chunks of bytes, without an object per packet. A chunk is released when all its packets are freed,
 * so packets should be freed roughly in the order in which they were added.
 */
public final class PacketArena {
    private static final int FIRST_CHUNK = 1 << 10;
    private static final int LARGEST_CHUNK = 1 << 16;
    private static final int NO_CHUNK = -1;
    private static final boolean CHECKS = Boolean.getBoolean("despina.checks");

    private byte[][] chunks = new byte[4][];
    /** By chunk: the number of packets that are not freed. */
    private int[] live = new int[4];
    /** By chunk: how many were opened before it. Chunks take the place of others, so their own numbers tell no age. */
    private long[] ages = new long[4];
    private long openings;
    private int used;
    private int open = NO_CHUNK;
    private int position;
    private byte[] spare;
    private long bytes;
    /** The number of snapshots that have yet to write this arena; until then no memory is reused. */
    private int frozen;
    /** The size of chunks released meanwhile. */
    private long frozenBytes;

    /** Stores a copy of {@code packet}. The returned place is valid until {@link #free}. */
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

    /** The chunk in which a packet is stored. */
    static int chunk(long place) {
        return (int) (place >> Integer.SIZE);
    }

    /** Where in its chunk a packet is stored. The packets of a chunk lie one behind the other, from its beginning on. */
    static int offset(long place) {
        return (int) place;
    }

    /** How many chunks were opened before that chunk; packets were added to them before any of this one. */
    long age(int chunk) {
        return ages[chunk];
    }

    /** Moves {@code view} to a stored packet. */
    public void view(long place, Packet view) {
        byte[] chunk = chunks[(int) (place >> Integer.SIZE)];
        view.wrap(chunk, (int) place, chunk.length);
    }

    /** The first byte of a stored packet. */
    byte first(long place) {
        return chunks[chunk(place)][offset(place)];
    }

    /** Whether the packet at {@code place} has exactly the bytes of {@code packet}. */
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

    /** The same, without what only a snapshot needs. */
    long ownBytes() {
        return bytes;
    }

    /** The present packets, until the returned object is closed. */
    Frozen freeze() {
        frozen++;
        return new Frozen();
    }

    /** The packets at one instant. */
    final class Frozen implements AutoCloseable {
        private byte[][] held = chunks.clone();

        /** Moves {@code view} to a packet that was stored at that instant. */
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
            ages = Arrays.copyOf(ages, 2 * slot);
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
        ages[slot] = openings++;
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
