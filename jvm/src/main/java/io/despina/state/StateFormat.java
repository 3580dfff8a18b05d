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
 * section = magic (4) · version (2) · rule · schema (each as modified UTF-8 with a 2-byte length before it)
 *         · in version 3 whether it is of changes (1) · entry* · end mark (4) · number of entries (8)
 * entry   = bucket, or -1 (4) · in version 3 its number (4) · length of the content (4) · content
 * packet  = length (4) · the packet, its own length included
 * </pre>
 *
 * Of an entry that is part of a list in a value, see {@link FrozenLists}, the bucket is 2^30 + 1 more; of a value that has such
 * parts it is 2^29 + 1 more.
 *
 * Version 2 has all entries of a state. In version 3 entries have numbers, within groups: a section of changes replaces those of
 * the sections before it that have the same number in the same group, and names those that are gone.
 *
 * <pre>
 * a group begins            -2 (4) · group (4) · 0 (4); before it all are of group 0
 * entries are gone          -3 (4) · first number (4) · how many (4)
 * a group is gone           -4 (4) · group (4) · 0 (4)
 * </pre>
 */
public final class StateFormat {
    private static final int MAGIC = 0x44535053;
    private static final int PLAIN = 2;
    private static final int NUMBERED = 3;
    static final int GROUP = -2;
    static final int GONE = -3;
    static final int GROUP_GONE = -4;
    /** Part of a list. */
    static final int PART = 1 << 30;
    /** A value some of whose elements are in such parts. */
    static final int CUT = 1 << 29;
    /** The most bytes read at once, so that a damaged length cannot cause a large allocation. */
    private static final int STEP = 1 << 16;
    private static final int MAX_SCHEMA = 0xffff / 3;

    private StateFormat() {
    }

    /** What stands for a bucket if the entry is special. */
    static int flagged(int bucket, int flag) {
        return bucket + 1 | flag;
    }

    static boolean isFlagged(int bucket, int flag) {
        return bucket >= 0 && (bucket & flag) != 0;
    }

    /** The bucket of an entry that may be special. */
    static int bucket(int written) {
        return isFlagged(written, PART | CUT) ? (written & ~(PART | CUT)) - 1 : written;
    }

    static void writeHeader(DataOutput out, StateDescriptor state, SectionForm form) throws IOException {
        out.writeInt(MAGIC);
        out.writeShort(form == SectionForm.PLAIN ? PLAIN : NUMBERED);
        out.writeUTF(state.rule().name());
        out.writeUTF(shortened(state.schema()));
        if (form != SectionForm.PLAIN) {
            out.writeBoolean(form == SectionForm.CHANGES);
        }
    }

    /** The head of a section. */
    record Head(String rule, String schema, SectionForm form) {

        /** @throws SnapshotException if it is of another rule or schema than {@code state} */
        void check(StateDescriptor state) throws SnapshotException {
            StateFormat.check(state.name(), "rule", rule, state.rule().name());
            StateFormat.check(state.name(), "schema", schema, shortened(state.schema()));
        }

        /** The state of which it is. */
        StateDescriptor describe(String name) throws SnapshotException {
            for (RestoreRule each : RestoreRule.values()) {
                if (each.name().equals(rule)) {
                    return new Described(name, each, schema);
                }
            }
            throw new SnapshotException("state `" + name + "`: a rule that this engine does not know, `" + rule + "`");
        }
    }

    private record Described(String name, RestoreRule rule, String schema) implements StateDescriptor {
    }

    static Head head(DataInput in, String name) throws IOException {
        boolean numbered = version(in, name) == NUMBERED;
        String rule = in.readUTF();
        String schema = in.readUTF();
        return new Head(rule, schema, !numbered ? SectionForm.PLAIN : in.readBoolean() ? SectionForm.CHANGES
                : SectionForm.WHOLE);
    }

    private static int version(DataInput in, String name) throws IOException {
        int magic = in.readInt();
        if (magic != MAGIC) {
            throw new SnapshotException("state `" + name + "`: not a state's section (magic=" + Integer.toHexString(magic)
                    + ")");
        }
        int version = in.readUnsignedShort();
        if (version != PLAIN && version != NUMBERED) {
            throw new SnapshotException("state `" + name + "`: version=" + version + "; this engine reads " + PLAIN + " and "
                    + NUMBERED);
        }
        return version;
    }

    /** @throws SnapshotException if a packet that was restored has no event time */
    static void checkTime(String name, Packet packet, int timeColumn) throws SnapshotException {
        if (packet.isNull(timeColumn)) {
            throw new SnapshotException("state `" + name + "`: a packet without event time");
        }
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
        return checkCount(in.readInt(), name, max);
    }

    /** @throws SnapshotException if a count that was read is not from 0 to {@code max} */
    public static int checkCount(int count, String name, int max) throws SnapshotException {
        if (count < 0 || count > max) {
            throw new SnapshotException("state `" + name + "`: count=" + count + ", expected 0 to " + max);
        }
        return count;
    }
}
