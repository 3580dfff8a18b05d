package io.despina.state;

import io.despina.packet.Bytes;
import io.despina.packet.MalformedPacketException;
import io.despina.packet.Packet;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/**
 * The format of states in snapshots. Numbers are big-endian, as {@link DataOutput} writes them.
 *
 * <pre>
 * section = magic (4) · version (2) · rule · schema (each as modified UTF-8 with a 2-byte length before it) · entry*
 *         · end mark (4) · number of entries (8)
 * entry   = bucket, or -1 (4) · length of the content (4) · content
 * packet  = length (4) · the packet, its own length included
 * </pre>
 */
public final class StateFormat {
    private static final int MAGIC = 0x44535053;
    private static final int VERSION = 2;
    /** The most bytes read at once, so that a damaged length cannot cause a large allocation. */
    private static final int STEP = 1 << 16;
    private static final int MAX_SCHEMA = 0xffff / 3;

    private StateFormat() {
    }

    static void writeHeader(DataOutput out, StateDescriptor state) throws IOException {
        out.writeInt(MAGIC);
        out.writeShort(VERSION);
        out.writeUTF(state.rule().name());
        out.writeUTF(shortened(state.schema()));
    }

    static void checkHeader(DataInput in, StateDescriptor state) throws IOException {
        String name = state.name();
        int magic = in.readInt();
        if (magic != MAGIC) {
            throw new SnapshotException("state `" + name + "`: not a state's section (magic=" + Integer.toHexString(magic)
                    + ")");
        }
        int version = in.readUnsignedShort();
        if (version != VERSION) {
            throw new SnapshotException("state `" + name + "`: version=" + version + "; this engine reads " + VERSION);
        }
        check(name, "rule", in.readUTF(), state.rule().name());
        check(name, "schema", in.readUTF(), shortened(state.schema()));
    }

    private static void check(String name, String what, String found, String expected) throws SnapshotException {
        if (!found.equals(expected)) {
            throw new SnapshotException("state `" + name + "`: its " + what + " in the snapshot is `" + found
                    + "`, in the graph `" + expected + "`");
        }
    }

    /** A schema that is too long for its field is replaced by its beginning and its hash. */
    private static String shortened(String schema) {
        return schema.length() <= MAX_SCHEMA ? schema
                : schema.substring(0, MAX_SCHEMA / 2) + "… #" + Integer.toHexString(schema.hashCode());
    }

    public static void writePacket(DataOutput out, Packet packet) throws IOException {
        out.writeInt(packet.size());
        out.write(packet.bytes(), packet.start(), packet.size());
    }

    /** The packet's bytes, its length included; moves {@code view} to them. */
    public static byte[] readPacket(DataInput in, String name, Packet view) throws IOException {
        byte[] bytes = readBytes(in, name);
        view(bytes, 0, bytes.length, name, view);
        return bytes;
    }

    /** Moves {@code view} to the packet at {@code bytes[at, at + size)}. */
    static void view(byte[] bytes, int at, int size, String name, Packet view) throws SnapshotException {
        try {
            if (view.wrap(bytes, at, at + size) != at + size) {
                throw new SnapshotException("state `" + name + "`: bytes follow a packet");
            }
        } catch (MalformedPacketException malformed) {
            throw new SnapshotException("state `" + name + "`: " + malformed.getMessage(), malformed);
        }
    }

    private static byte[] readBytes(DataInput in, String name) throws IOException {
        int length = readCount(in, name, Bytes.MAX_LENGTH + Bytes.MAX_VARINT);
        byte[] bytes = new byte[Math.min(length, STEP)];
        int read = 0;
        while (true) {
            in.readFully(bytes, read, bytes.length - read);
            read = bytes.length;
            if (read == length) {
                return bytes;
            }
            bytes = Arrays.copyOf(bytes, (int) Math.min(length, 2L * read));
        }
    }

    public static int readCount(DataInput in, String name, int max) throws IOException {
        int count = in.readInt();
        if (count < 0 || count > max) {
            throw new SnapshotException("state `" + name + "`: count=" + count + ", expected 0 to " + max);
        }
        return count;
    }
}
