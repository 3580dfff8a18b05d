package io.despina.operator.record;

import io.despina.packet.Bytes;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.util.ArrayList;
import java.util.List;

/**
 * Packets in memory of their own, to be inspected or held before they leave. They are written through {@link #writer}, then read
 * in order. {@link #clear} keeps the first region unless it is large, so one packet at a time allocates nothing.
 */
public final class ScratchPackets implements PacketWriter.Regions {
    private static final int FIRST_BYTES = 1 << 10;
    private static final int MOST_BYTES = 1 << 20;
    /** What is of variable width has not so many times the bytes of its record: a decimal of one digit may take sixteen. */
    private static final int MOST_TIMES = 16;

    private final PacketWriter writer;
    private final PacketCursor cursor;
    /** Full regions, in order; the writer's region comes after them. */
    private final List<byte[]> full = new ArrayList<>();
    private final List<Integer> ends = new ArrayList<>();
    private byte[] first = new byte[FIRST_BYTES];
    /** The region being read: an index into {@link #full}, or its size for the writer's. */
    private int reading;
    private long bytes = FIRST_BYTES;

    public ScratchPackets(Schema schema) {
        writer = new PacketWriter(schema.layout(), this);
        cursor = PacketCursor.reusing(schema.layout());
        clear();
    }

    public PacketWriter writer() {
        return writer;
    }

    @Override
    public void makeRoom(PacketWriter open, int needed) {
        int finished = open.position();
        byte[] old = open.bytes();
        int enough = needed <= MOST_BYTES ? Integer.highestOneBit(needed) << 1 : needed;
        int size = Math.max(Math.min(MOST_BYTES, 2 * old.length), enough);
        open.move(new byte[size], 0, size);
        bytes += size;
        if (finished > 0) {
            full.add(old);
            ends.add(finished);
        } else if (full.isEmpty()) {
            first = open.bytes();
        }
    }

    /** Forgets all packets. */
    public void clear() {
        full.clear();
        ends.clear();
        if (first.length > MOST_BYTES) {
            first = new byte[FIRST_BYTES];
        }
        bytes = first.length;
        writer.open(first, 0, first.length);
        rewind();
    }

    /** Releases large regions whose packets have all been read. */
    public void letGo() {
        extend();
        if (bytes > MOST_BYTES && reading == full.size() && cursor.isEmpty()) {
            clear();
        }
    }

    /** Goes back to the first packet. */
    public void rewind() {
        reading = 0;
        cursor.letGo();
        cursor.reset(full.isEmpty() ? writer.bytes() : full.get(0), 0, 0);
        extend();
    }

    /** Lets the cursor see what was added to its region. */
    private void extend() {
        boolean last = reading == full.size();
        cursor.reset(last ? writer.bytes() : full.get(reading), cursor.position(), last ? writer.position() : ends.get(reading));
    }

    /** The next packet, or null; valid until {@link #clear}. */
    public Packet next() {
        extend();
        while (cursor.isEmpty() && reading < full.size()) {
            reading++;
            cursor.reset(writer.bytes(), 0, 0);
            extend();
        }
        return cursor.next();
    }

    /** Why one of the packets cannot leave; null if all can. No packet has been read. @param most {@code max_packet_bytes} */
    public String tooLong(int most) {
        if (bytes <= most) {
            return null;
        }
        int longest = 0;
        for (Packet each = next(); each != null; each = next()) {
            longest = Math.max(longest, each.size());
        }
        rewind();
        return longest <= most + Bytes.MAX_VARINT ? null : "it is a row of " + longest + " bytes; max_packet_bytes=" + most;
    }

    /**
     * How long a record may be whose packet may be written to where it leaves, for that is surely no longer than {@code most}. In
     * a list there is no such bound: each of its structures has all of its fields, though the record names none.
     *
     * @return negative for none
     */
    public static int shortRecord(Schema schema, int most) {
        boolean nested = schema.columns().stream().map(Column::type).anyMatch(type -> type instanceof Type.Array
                || type instanceof Type.MapOf || type instanceof Type.Struct);
        return nested ? -1 : Math.floorDiv(most - schema.layout().fixedBytes(), MOST_TIMES);
    }

    /** Whether {@link #next} would give none. */
    public boolean isRead() {
        extend();
        // only the region behind the last full one may have no packet: it may have been opened for one that was not finished
        return cursor.isEmpty() && (reading == full.size() || reading == full.size() - 1 && writer.position() == 0);
    }

    /** Makes the packet given last the next one again. */
    public void unread() {
        cursor.unread();
    }

    /** Memory held. */
    public long bytes() {
        return bytes;
    }
}
