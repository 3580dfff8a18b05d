package io.despina.packet;

/**
 * Writes packets one after the other into a region that its {@link Regions} gives and takes back: {@code begin}, every
 * column in order, {@code commit}. Columns of fixed width may be set in any order, those in the tail in column order.
 */
public final class PacketWriter {

    /** Gives the writer its regions and takes the finished packets: called when a region ends, not per packet. */
    public interface Regions {
        /**
         * Gives {@code writer} another region through {@link PacketWriter#move}, and only then passes the old one on: its
         * finished packets end at {@link PacketWriter#position} as it was before the move.
         *
         * @param needed bytes that the packet being written (its length included) needs at least
         * @throws IllegalArgumentException if no packet may be that large
         */
        void makeRoom(PacketWriter writer, int needed);
    }

    private final PacketLayout layout;
    private final Regions regions;

    private byte[] bytes = {};
    private int limit;
    /** Where the next packet begins. */
    private int position;
    /** Packets written into the region since it was opened. */
    private int packets;

    /** The open packet: where its body begins, and the end of its tail so far. */
    private int body;
    private int tail;
    /** Bytes left free for the length, guessed from the packet before. */
    private int lengthBytes = 1;

    public PacketWriter(PacketLayout layout, Regions regions) {
        this.layout = layout;
        this.regions = regions;
    }

    public PacketLayout layout() {
        return layout;
    }

    /** Continues in {@code region[from, to)}, which has no packet yet. */
    public void open(byte[] region, int from, int to) {
        bytes = region;
        position = from;
        limit = to;
        packets = 0;
    }

    /** Continues in {@code region[from, to)}, and moves there what is written of the open packet. */
    public void move(byte[] region, int from, int to) {
        byte[] oldBytes = bytes;
        int oldBody = body;
        int written = tail - body;
        open(region, from, to);
        body = from + lengthBytes;
        tail = body + written;
        System.arraycopy(oldBytes, oldBody, region, body, written);
    }

    public byte[] bytes() {
        return bytes;
    }

    /** The end of the last finished packet. */
    public int position() {
        return position;
    }

    public int limit() {
        return limit;
    }

    /** Packets finished since {@link #open}. */
    public int packets() {
        return packets;
    }

    /**
     * Whether the packet finished last is the first of its region: the port can only have lost its room when a region was passed
     * on, so this is when to ask for room again.
     */
    public boolean beganRegion() {
        return packets <= 1;
    }

    /** Begins a packet. All null bits are clear; every column must be set. */
    public PacketWriter begin() {
        int needed = lengthBytes + layout.fixedBytes;
        if (needed > limit - position) {
            makeRoomBetweenPackets(needed);
        }
        body = position + lengthBytes;
        tail = body + layout.fixedBytes;
        for (int k = 0; k < layout.nullBytes; k++) {
            bytes[body + k] = 0;
        }
        return this;
    }

    /** Ends the packet begun last. */
    public void commit() {
        int length = tail - body;
        int needed = Bytes.varintBytes(length);
        if (needed != lengthBytes) {
            moveBody(needed, length);
        }
        if (needed == 1) {
            bytes[position] = (byte) length;
        } else {
            Bytes.putVarint(bytes, position, length);
        }
        position += needed + length;
        packets++;
    }

    private void moveBody(int needed, int length) {
        if (needed + length > limit - position) {
            relocate(needed + length);
        }
        System.arraycopy(bytes, body, bytes, position + needed, length);
        lengthBytes = needed;
    }

    /** Writes {@code packet}, of an equal layout, as it is. */
    public void copy(Packet packet) {
        int size = packet.size();
        if (size > limit - position) {
            makeRoomBetweenPackets(size);
        }
        System.arraycopy(packet.bytes(), packet.start(), bytes, position, size);
        position += size;
        packets++;
    }

    /**
     * Writes the packets that follow in {@code packets}, of an equal layout, as they are and all at once, as far as the region
     * has room for them.
     *
     * @return false if there was none: write the next packet by itself
     */
    public boolean copyRun(PacketCursor packets) {
        int from = packets.position();
        int run = packets.skip(limit - position);
        if (run == 0) {
            return false;
        }
        int size = packets.position() - from;
        System.arraycopy(packets.bytes(), from, bytes, position, size);
        position += size;
        this.packets += run;
        return true;
    }

    public void setNull(int column) {
        int bit = layout.nullBit[column];
        if (bit < 0) {
            throw new IllegalStateException("column " + column + " is not nullable");
        }
        bytes[body + (bit >> 3)] |= (byte) (1 << (bit & 7));
        if (layout.variable[column]) {
            endValue(column, tail);
        } else {
            zero(column);
        }
    }

    private void zero(int column) {
        int at = body + layout.offset[column];
        switch (layout.width[column]) {
            case Byte.BYTES -> bytes[at] = 0;
            case Short.BYTES -> Bytes.putShort(bytes, at, (short) 0);
            case Integer.BYTES -> Bytes.putInt(bytes, at, 0);
            default -> Bytes.putLong(bytes, at, 0);
        }
    }

    public void setBoolean(int column, boolean value) {
        bytes[body + layout.offset[column]] = (byte) (value ? 1 : 0);
    }

    public void setByte(int column, byte value) {
        bytes[body + layout.offset[column]] = value;
    }

    public void setShort(int column, short value) {
        Bytes.putShort(bytes, body + layout.offset[column], value);
    }

    public void setInt(int column, int value) {
        Bytes.putInt(bytes, body + layout.offset[column], value);
    }

    public void setLong(int column, long value) {
        Bytes.putLong(bytes, body + layout.offset[column], value);
    }

    public void setFloat(int column, float value) {
        setInt(column, Float.floatToRawIntBits(value));
    }

    public void setDouble(int column, double value) {
        setLong(column, Double.doubleToRawLongBits(value));
    }

    public void setBytes(int column, byte[] value, int from, int length) {
        int at = reserve(length);
        Bytes.copy(value, from, bytes, at, length);
        endValue(column, at + length);
    }

    /**
     * Sets {@code column} to column {@code origin} of {@code packet}, which has the same type and no null unless it is nullable
     * here.
     */
    public void setColumn(int column, Packet packet, int origin) {
        if (packet.isNull(origin)) {
            setNull(column);
        } else if (layout.variable[column]) {
            int from = packet.valueStart(origin);
            setBytes(column, packet.bytes(), from, packet.valueEnd() - from);
        } else {
            setFixed(column, packet.bytes(), packet.fixedStart(origin));
        }
    }

    /** Sets a column of fixed width from its encoding at {@code source[from]}. */
    public void setFixed(int column, byte[] source, int from) {
        int to = body + layout.offset[column];
        switch (layout.width[column]) {
            case Byte.BYTES -> bytes[to] = source[from];
            case Short.BYTES -> Bytes.putShort(bytes, to, Bytes.getShort(source, from));
            case Integer.BYTES -> Bytes.putInt(bytes, to, Bytes.getInt(source, from));
            case Long.BYTES -> Bytes.putLong(bytes, to, Bytes.getLong(source, from));
            default -> throw new IllegalStateException("column " + column + " has no fixed width");
        }
    }

    /** Sets columns of fixed width that stand side by side, the first {@code there} in the body. */
    void setFixed(int there, byte[] source, int from, int length) {
        int to = body + there;
        int k = 0;
        for (; k <= length - Long.BYTES; k += Long.BYTES) {
            Bytes.putLong(bytes, to + k, Bytes.getLong(source, from + k));
        }
        for (; k < length; k++) {
            bytes[to + k] = source[from + k];
        }
    }

    /**
     * Makes sure that {@code length} more bytes fit into the tail.
     *
     * @return where in {@link #bytes} to write them; finish with {@link #endValue}
     */
    public int reserve(int length) {
        if (length > limit - tail) {
            long written = (long) tail - body + length;
            relocate(written + Math.max(lengthBytes, Bytes.varintBytes((int) Math.min(written, Integer.MAX_VALUE))));
        }
        return tail;
    }

    /** Ends the variable-width value of {@code column} at {@code end}, an index into {@link #bytes}. */
    public void endValue(int column, int end) {
        int slot = layout.offset[column];
        if (slot != PacketLayout.TO_THE_END) {
            Bytes.putInt(bytes, body + slot, end - body);
        }
        tail = end;
    }

    private void makeRoomBetweenPackets(int needed) {
        body = position;
        tail = position;
        regions.makeRoom(this, needed);
    }

    /** @param needed may be more than an array holds */
    private void relocate(long needed) {
        if (needed > Bytes.MAX_LENGTH) {
            throw new IllegalArgumentException("a packet of at least " + needed + " bytes; max_packet_bytes is at most "
                    + Bytes.MAX_LENGTH);
        }
        regions.makeRoom(this, Math.max((int) needed, lengthBytes + tail - body));
    }
}
