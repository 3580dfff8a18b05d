package io.despina.packet;

/**
 * A view of one packet in its segment: a flyweight, moved from packet to packet. Every access stays within the packet's body,
 * which {@link #wrap} has checked against the region it was given; offsets found inside are checked on each use.
 *
 * <p>A view is valid until its segment is released; {@code state} copies what must live longer.
 */
public final class Packet {
    private static final byte[] NOTHING = {};

    private final PacketLayout layout;
    private byte[] bytes;
    /** Where the length's varint begins. */
    private int start;
    /** Where the body begins. */
    private int body;
    private int end;
    /** The bytes of the variable-width value found last. */
    private int valueEnd;

    public Packet(PacketLayout layout) {
        this.layout = layout;
    }

    public PacketLayout layout() {
        return layout;
    }

    /**
     * Moves this view to the packet at {@code at}.
     *
     * @param limit the end of the readable region
     * @return where the next packet begins
     * @throws MalformedPacketException if the packet exceeds the region, or is too short for its layout
     */
    public int wrap(byte[] region, int at, int limit) {
        int length = at < limit ? region[at] : -1;
        int k = at + 1;
        if (length < 0) {
            length = Bytes.getVarint(region, at, limit);
            if (length < 0) {
                throw new MalformedPacketException("packet length at " + at + " runs past " + limit);
            }
            k = at + Bytes.varintLength(region, at);
        }
        if (length > limit - k || length < layout.fixedBytes) {
            throw new MalformedPacketException("packet at " + at + " has length " + length + "; its layout needs at least "
                    + layout.fixedBytes + " bytes and " + (limit - k) + " are left");
        }
        bytes = region;
        start = at;
        body = k;
        end = k + length;
        return end;
    }

    /** Moves this view to a body without a length before it, as a struct's. */
    public Packet wrapBody(byte[] region, int from, int to) {
        if (from < 0 || to > region.length || to - from < layout.fixedBytes) {
            throw new MalformedPacketException("body of " + (to - from) + " bytes at " + from + "; its layout needs "
                    + layout.fixedBytes);
        }
        bytes = region;
        start = from;
        body = from;
        end = to;
        return this;
    }

    /** Drops its reference to the region, which may be large, until this view is moved again. */
    public void letGo() {
        bytes = NOTHING;
    }

    /** Moves this view to the packet of {@code other}. */
    public Packet wrap(Packet other) {
        bytes = other.bytes;
        start = other.start;
        body = other.body;
        end = other.end;
        return this;
    }

    public byte[] bytes() {
        return bytes;
    }

    /** Where the packet begins, its length included. */
    public int start() {
        return start;
    }

    public int bodyStart() {
        return body;
    }

    /** Where the packet ends, exclusive. */
    public int end() {
        return end;
    }

    /** Bytes of the whole packet, its length included. */
    public int size() {
        return end - start;
    }

    public boolean isNull(int column) {
        int bit = layout.nullBit[column];
        return bit >= 0 && (bytes[body + (bit >> 3)] >> (bit & 7) & 1) != 0;
    }

    public boolean getBoolean(int column) {
        return bytes[body + layout.offset[column]] != 0;
    }

    public byte getByte(int column) {
        return bytes[body + layout.offset[column]];
    }

    public short getShort(int column) {
        return Bytes.getShort(bytes, body + layout.offset[column]);
    }

    public int getInt(int column) {
        return Bytes.getInt(bytes, body + layout.offset[column]);
    }

    public long getLong(int column) {
        return Bytes.getLong(bytes, body + layout.offset[column]);
    }

    public float getFloat(int column) {
        return Float.intBitsToFloat(getInt(column));
    }

    public double getDouble(int column) {
        return Double.longBitsToDouble(getLong(column));
    }

    /** Where in {@link #bytes} the value of a column of fixed width begins. */
    public int fixedStart(int column) {
        return body + layout.offset[column];
    }

    /**
     * Finds a variable-width value.
     *
     * @return where in {@link #bytes} it begins; {@link #valueEnd} is then where it ends
     */
    public int valueStart(int column) {
        int previous = layout.previousSlot[column];
        int slot = layout.offset[column];
        int from = previous == PacketLayout.FIRST ? layout.fixedBytes : Bytes.getInt(bytes, body + previous);
        int to = slot == PacketLayout.TO_THE_END ? end - body : Bytes.getInt(bytes, body + slot);
        if (from < layout.fixedBytes || to < from || to > end - body) {
            throw new MalformedPacketException("column " + column + " lies at " + from + " to " + to + " of a body of "
                    + (end - body) + " bytes");
        }
        valueEnd = body + to;
        return body + from;
    }

    /** The end of the value that {@link #valueStart} found last. */
    public int valueEnd() {
        return valueEnd;
    }

    /** A copy of a variable-width value's bytes. */
    public byte[] copyOfValue(int column) {
        int from = valueStart(column);
        return java.util.Arrays.copyOfRange(bytes, from, valueEnd);
    }

    /** A view of a copy of the packet, valid for ever. */
    public Packet kept() {
        byte[] copy = copy();
        Packet kept = new Packet(layout);
        kept.wrap(copy, 0, copy.length);
        return kept;
    }

    /** A copy of the whole packet, its length included. */
    public byte[] copy() {
        return java.util.Arrays.copyOfRange(bytes, start, end);
    }
}
