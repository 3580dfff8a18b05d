package io.despina.snapshot;

import io.despina.state.Sections;
import io.despina.state.SnapshotException;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * The snapshot of one operator instance: a section per state, each with its length and CRC32C.
 *
 * <pre>
 * file  = magic (8) · section* · index · length of the index (4) · CRC32C of the index (4) · magic (8)
 * index = number of sections (4) · for each: name (UTF) · offset in the file (8) · length (8) · CRC32C (4)
 * </pre>
 */
public final class SnapshotFile {
    private static final byte[] MAGIC = "DESPSNP1".getBytes(StandardCharsets.US_ASCII);
    private static final int TAIL = 2 * Integer.BYTES + MAGIC.length;
    private static final int LONGEST_INDEX = 1 << 20;
    private static final int BLOCK = 1 << 16;

    /** Length and CRC32C of a whole file, as in the manifest. */
    public record Summary(long length, int crc32c) {
    }

    private record Section(String name, long offset, long length, int crc32c) {
    }

    private SnapshotFile() {
    }

    /** Writes a file, section by section. One thread at a time. */
    public static final class Writer implements AutoCloseable {
        private final SnapshotStore.NewFile out;
        private final CRC32C whole = new CRC32C();
        private final CRC32C crc = new CRC32C();
        private final List<Section> sections = new ArrayList<>();
        private String name;
        private long begin;
        private long position;

        public Writer(SnapshotStore.NewFile out) throws IOException {
            this.out = out;
            put(MAGIC, MAGIC.length);
        }

        public void begin(String section) {
            name = section;
            begin = position;
            crc.reset();
        }

        /** Adds to the open section. */
        public void write(byte[] bytes, int length) throws IOException {
            crc.update(bytes, 0, length);
            put(bytes, length);
        }

        public void end() {
            sections.add(new Section(name, begin, position - begin, (int) crc.getValue()));
        }

        private void put(byte[] bytes, int length) throws IOException {
            whole.update(bytes, 0, length);
            out.write(bytes, 0, length);
            position += length;
        }

        /** Writes the index, and makes the file durable. */
        public Summary finish() throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream index = new DataOutputStream(bytes);
            index.writeInt(sections.size());
            for (Section section : sections) {
                index.writeUTF(section.name);
                index.writeLong(section.offset);
                index.writeLong(section.length);
                index.writeInt(section.crc32c);
            }
            CRC32C ofIndex = new CRC32C();
            ofIndex.update(bytes.toByteArray());
            int length = bytes.size();
            index.writeInt(length);
            index.writeInt((int) ofIndex.getValue());
            index.write(MAGIC);
            put(bytes.toByteArray(), bytes.size());
            out.close();
            return new Summary(position, (int) whole.getValue());
        }

        /** Drops a file that was not finished. */
        @Override
        public void close() throws IOException {
            out.abort();
        }
    }

    /**
     * The sections of a file. Verifies every checksum before it returns the first byte.
     *
     * @param expected as in the manifest
     * @throws SnapshotException if the file is truncated, damaged or another one; names the file and the state
     */
    public static Sections open(SnapshotStore store, String path, Summary expected) throws IOException {
        long length = store.length(path);
        if (length != expected.length) {
            throw new SnapshotException(path + ": " + length + " bytes, where the manifest has " + expected.length);
        }
        Map<String, Section> sections = index(store, path, length);
        verify(store, path, sections, expected);
        return name -> {
            Section section = sections.get(name);
            if (section == null) {
                throw new SnapshotException(path + ": state `" + name + "` is not in the snapshot; there are "
                        + sections.keySet());
            }
            return new Bounded(new BufferedInputStream(store.open(path, section.offset), BLOCK), section.length);
        };
    }

    private static Map<String, Section> index(SnapshotStore store, String path, long length) throws IOException {
        if (length < MAGIC.length + TAIL) {
            throw new SnapshotException(path + ": too short for a snapshot's file, " + length + " bytes");
        }
        byte[] tail = read(store, path, length - TAIL, TAIL);
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(tail));
        int indexLength = in.readInt();
        int crc = in.readInt();
        if (!new String(tail, 2 * Integer.BYTES, MAGIC.length, StandardCharsets.US_ASCII)
                .equals(new String(MAGIC, StandardCharsets.US_ASCII))) {
            throw new SnapshotException(path + ": not a snapshot's file, or one of another version");
        }
        if (indexLength < Integer.BYTES || indexLength > Math.min(LONGEST_INDEX, length - MAGIC.length - TAIL)) {
            throw new SnapshotException(path + ": an index of " + indexLength + " bytes");
        }
        byte[] index = read(store, path, length - TAIL - indexLength, indexLength);
        CRC32C actual = new CRC32C();
        actual.update(index);
        if ((int) actual.getValue() != crc) {
            throw new SnapshotException(path + ": the index is damaged");
        }
        return parse(path, index);
    }

    private static Map<String, Section> parse(String path, byte[] index) throws IOException {
        Map<String, Section> sections = new LinkedHashMap<>();
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(index));
        long next = MAGIC.length;
        for (int left = in.readInt(); left > 0; left--) {
            Section section = new Section(in.readUTF(), in.readLong(), in.readLong(), in.readInt());
            if (section.offset != next || section.length < 0 || sections.put(section.name, section) != null) {
                throw new SnapshotException(path + ": the index is damaged at state `" + section.name + "`");
            }
            next += section.length;
        }
        return sections;
    }

    private static byte[] read(SnapshotStore store, String path, long at, int length) throws IOException {
        try (InputStream in = store.open(path, at)) {
            byte[] bytes = in.readNBytes(length);
            if (bytes.length < length) {
                throw new SnapshotException(path + ": cut short");
            }
            return bytes;
        }
    }

    private static void verify(SnapshotStore store, String path, Map<String, Section> sections, Summary expected)
            throws IOException {
        CRC32C whole = new CRC32C();
        try (InputStream in = store.open(path, 0)) {
            check(in, MAGIC.length, whole, new CRC32C());
            for (Section section : sections.values()) {
                CRC32C own = new CRC32C();
                check(in, section.length, whole, own);
                if ((int) own.getValue() != section.crc32c) {
                    throw new SnapshotException(path + ": state `" + section.name + "` is damaged: its CRC32C is "
                            + Integer.toHexString((int) own.getValue()) + ", not " + Integer.toHexString(section.crc32c));
                }
            }
            long rest = expected.length - MAGIC.length - sections.values().stream().mapToLong(Section::length).sum();
            check(in, rest, whole, new CRC32C());
        } catch (EOFException cut) {
            throw new SnapshotException(path + ": cut short");
        }
        if ((int) whole.getValue() != expected.crc32c) {
            throw new SnapshotException(path + ": the file's CRC32C is " + Integer.toHexString((int) whole.getValue())
                    + ", and the manifest has " + Integer.toHexString(expected.crc32c));
        }
    }

    private static void check(InputStream in, long length, CRC32C whole, CRC32C own) throws IOException {
        byte[] block = new byte[BLOCK];
        for (long left = length; left > 0;) {
            int read = in.read(block, 0, (int) Math.min(left, BLOCK));
            if (read < 0) {
                throw new EOFException();
            }
            whole.update(block, 0, read);
            own.update(block, 0, read);
            left -= read;
        }
    }

    /** The first bytes of a stream. */
    private static final class Bounded extends FilterInputStream {
        private long left;

        Bounded(InputStream in, long length) {
            super(in);
            left = length;
        }

        @Override
        public int read() throws IOException {
            int b = left > 0 ? in.read() : -1;
            left -= b < 0 ? 0 : 1;
            return b;
        }

        @Override
        public int read(byte[] bytes, int at, int length) throws IOException {
            if (left == 0) {
                return -1;
            }
            int read = in.read(bytes, at, (int) Math.min(left, length));
            left -= Math.max(read, 0);
            return read;
        }

        @Override
        public int available() throws IOException {
            return (int) Math.min(left, in.available());
        }

        @Override
        public boolean markSupported() {
            return false;
        }
    }
}
