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
 * Writes the sections of a snapshot, entry by entry, into a buffer, in the format of {@link StateFormat}. Its owner takes the
 * buffer away when it is full.
 */
public final class SectionWriter {
    /** Stands for no bucket. */
    public static final int NO_BUCKET = -1;
    static final int END = Integer.MIN_VALUE;
    /** The bytes of a first buffer, which grows: most states are small. */
    public static final int FIRST = 1 << 10;
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    /** The buffer is full when it holds more than this. */
    private final int room;
    private final Sink sink = new Sink();
    private final DataOutputStream data = new DataOutputStream(sink);
    private byte[] bytes;
    private int size;
    /** The offset of the open entry's length. */
    private int lengthAt;
    private long entries;
    private boolean numbered;

    /** @param room how many bytes the buffer may hold before {@link #hasRoom} returns false; the last entry may exceed it */
    public SectionWriter(int room) {
        this.room = room;
        bytes = new byte[Math.min(FIRST, usual())];
    }

    /** A buffer of so many bytes takes a last entry too, unless that is large. */
    private int usual() {
        return room + (room >> 3);
    }

    /** Begins a section of all that {@code state} has, without numbers. */
    public void begin(StateDescriptor state) throws IOException {
        begin(state, SectionForm.PLAIN);
    }

    /** Begins a section of {@code state}. */
    public void begin(StateDescriptor state, SectionForm form) throws IOException {
        entries = 0;
        numbered = form != SectionForm.PLAIN;
        StateFormat.writeHeader(data, state, form);
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

    /** So many bytes may be written now; none if it is not positive. */
    int left() {
        return room - size;
    }

    /** Begins an entry. Its content is what is written to the returned output before {@link #endEntry}. */
    public DataOutput beginEntry(int bucket) {
        return beginEntry(bucket, 0);
    }

    /** The same. @param number of the entry in its group; not written to a plain section */
    public DataOutput beginEntry(int bucket, int number) {
        ensure(3 * Integer.BYTES);
        putInt(bucket);
        if (numbered) {
            putInt(number);
        }
        lengthAt = size;
        size += Integer.BYTES;
        entries++;
        return data;
    }

    public void endEntry() {
        endEntry(0);
    }

    /** The same, with so many bytes more, which follow through {@link #put}, in the next buffers too. */
    void endEntry(int more) {
        INT.set(bytes, lengthAt, Math.addExact(size - lengthAt - Integer.BYTES, more));
    }

    /** The entries that follow are of that group. */
    void group(int group) {
        note(StateFormat.GROUP, group, 0);
    }

    /** So many entries of the present group are gone, from that number on. */
    void gone(int first, int count) {
        note(StateFormat.GONE, first, count);
    }

    /** All entries of a group are gone. */
    void groupGone(int group) {
        note(StateFormat.GROUP_GONE, group, 0);
    }

    private void note(int what, int number, int count) {
        if (numbered) {
            ensure(3 * Integer.BYTES);
            putInt(what);
            putInt(number);
            putInt(count);
            entries++;
        }
    }

    /** Appends to the buffer. */
    DataOutput data() {
        return data;
    }

    /** The same. */
    OutputStream stream() {
        return sink;
    }

    /** Adds a packet to the open entry, with its length before it. */
    void packet(Packet packet) {
        int length = packet.size();
        ensure(Integer.BYTES + length);
        putInt(length);
        System.arraycopy(packet.bytes(), packet.start(), bytes, size, length);
        size += length;
    }

    /** Adds {@code from[at, at + length)} to the open entry, or to the one that ended with more to come. */
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
            int most = bytes.length < usual() ? usual() : Integer.MAX_VALUE - 8;
            bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(size, more), (int) Math.min(2L * bytes.length, most)));
        }
    }

    /** The buffer, filled up to {@link #size}. */
    public byte[] bytes() {
        return bytes;
    }

    public int size() {
        return size;
    }

    /** Replaces the buffer by an empty one. */
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
