package io.despina.state;

import io.despina.packet.Packet;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Takes the sections of a snapshot, entry by entry, into a buffer. {@link StateFormat} says how they lie there. Its owner takes
 * the buffer away when it has no room.
 */
public final class SectionWriter {
    /** The bucket of an entry that has none. */
    public static final int NO_BUCKET = -1;
    static final int END = Integer.MIN_VALUE;
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    /** Filled beyond this, the buffer has no room. */
    private final int room;
    private final Sink sink = new Sink();
    private final DataOutputStream data = new DataOutputStream(sink);
    private byte[] bytes;
    private int size;
    /** Where the open entry's length lies. */
    private int lengthAt;
    private long entries;

    /** @param room how full the buffer may be before {@link #hasRoom} answers false, in bytes; one entry may go beyond it */
    public SectionWriter(int room) {
        this.room = room;
        bytes = new byte[room + (room >> 3)];
    }

    /** Begins the section of {@code state}. */
    public void begin(StateDescriptor state) throws IOException {
        entries = 0;
        StateFormat.writeHeader(data, state);
    }

    /** Ends the section. */
    public void end() {
        ensure(Integer.BYTES + Long.BYTES);
        putInt(END);
        putInt((int) (entries >>> Integer.SIZE));
        putInt((int) entries);
    }

    /** Whether another entry may be written now. */
    public boolean hasRoom() {
        return size < room;
    }

    /** Begins an entry. What the answer takes is its content, up to {@link #endEntry}. */
    public DataOutput beginEntry(int bucket) {
        ensure(2 * Integer.BYTES);
        putInt(bucket);
        lengthAt = size;
        size += Integer.BYTES;
        entries++;
        return data;
    }

    public void endEntry() {
        INT.set(bytes, lengthAt, size - lengthAt - Integer.BYTES);
    }

    /** What is written to it goes behind what is there. */
    DataOutput data() {
        return data;
    }

    /** Adds a packet to the open entry, with its length before it. */
    void packet(Packet packet) {
        int length = packet.size();
        ensure(Integer.BYTES + length);
        putInt(length);
        System.arraycopy(packet.bytes(), packet.start(), bytes, size, length);
        size += length;
    }

    /** Adds {@code from[at, at + length)} to the open entry. */
    void put(byte[] from, int at, int length) {
        ensure(length);
        System.arraycopy(from, at, bytes, size, length);
        size += length;
    }

    private void putInt(int value) {
        INT.set(bytes, size, value);
        size += Integer.BYTES;
    }

    private void ensure(int more) {
        if (more > bytes.length - size) {
            bytes = Arrays.copyOf(bytes,
                    Math.max(Math.addExact(size, more), (int) Math.min(2L * bytes.length, Integer.MAX_VALUE - 8)));
        }
    }

    /** The buffer, filled up to {@link #size}. */
    public byte[] bytes() {
        return bytes;
    }

    public int size() {
        return size;
    }

    /** Takes the buffer away. Another, empty, takes its place. */
    public void replace(byte[] empty) {
        bytes = empty;
        size = 0;
    }

    /** The open entry as a stream, for formats that write to one. */
    private final class Sink extends OutputStream {
        @Override
        public void write(int b) {
            ensure(1);
            bytes[size++] = (byte) b;
        }

        @Override
        public void write(byte[] from, int at, int length) {
            put(from, at, length);
        }
    }
}
