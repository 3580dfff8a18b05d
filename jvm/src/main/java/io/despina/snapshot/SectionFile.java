package io.despina.snapshot;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * Writes a file of sections, one for each state of each operator instance, whose slices may come in any order.
 *
 * <pre>
 * file   = magic (8) · slice* · index · length of the index (4) · CRC32C of the index (4) · magic (8)
 * index  = number of sections (4) · for each: operator (UTF) · instance (4) · state (UTF) · CRC32C (4)
 *          · number of extents (4) · for each: offset in the file (8) · length (8)
 * </pre>
 *
 * A section is its extents, one after the other. Used by one thread at a time.
 */
final class SectionFile implements AutoCloseable {
    static final byte[] MAGIC = "DESPSNP2".getBytes(StandardCharsets.US_ASCII);

    /** Names a section. */
    record Key(String operator, int instance, String state) {
    }

    /** Bytes of a file. */
    record Extent(long offset, long length) {
        long end() {
            return offset + length;
        }
    }

    /**
     * What the index has of a section.
     *
     * @param crc32c of its bytes, in their order
     */
    record Indexed(List<Extent> extents, int crc32c) {
    }

    private static final class Section {
        private final CRC32C crc = new CRC32C();
        private final List<Extent> extents = new ArrayList<>();

        void add(long offset, int length) {
            Extent last = extents.isEmpty() ? null : extents.get(extents.size() - 1);
            if (last != null && last.end() == offset) {
                extents.set(extents.size() - 1, new Extent(last.offset, last.length + length));
            } else {
                extents.add(new Extent(offset, length));
            }
        }
    }

    private final SnapshotStore.NewFile out;
    private final CRC32C whole = new CRC32C();
    private final Map<Key, Section> sections = new LinkedHashMap<>();
    private long position;

    /** @param out removed if it cannot even be begun */
    SectionFile(SnapshotStore.NewFile out) throws IOException {
        this.out = out;
        try {
            put(MAGIC, MAGIC.length);
        } catch (IOException full) {
            try {
                out.abort();
            } catch (IOException alsoThis) {
                full.addSuppressed(alsoThis);
            }
            throw full;
        }
    }

    /** Appends to a section. */
    void write(Key key, byte[] bytes, int length) throws IOException {
        Section section = sections.computeIfAbsent(key, any -> new Section());
        section.crc.update(bytes, 0, length);
        section.add(position, length);
        put(bytes, length);
    }

    private void put(byte[] bytes, int length) throws IOException {
        whole.update(bytes, 0, length);
        out.write(bytes, 0, length);
        position += length;
    }

    /** Whether there is no section yet. */
    boolean isEmpty() {
        return sections.isEmpty();
    }

    /** So many have been written. */
    long bytes() {
        return position;
    }

    /** Writes the index, and makes the file durable. */
    Manifest.DataFile finish(String path) throws IOException {
        Map<Key, Indexed> index = new LinkedHashMap<>();
        sections.forEach((key, each) -> index.put(key, new Indexed(each.extents, (int) each.crc.getValue())));
        byte[] tail = tail(index);
        put(tail, tail.length);
        out.close();
        return new Manifest.DataFile(path, position, Integer.toHexString((int) whole.getValue()));
    }

    /** All that is behind the slices. */
    static byte[] tail(Map<Key, Indexed> sections) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream index = new DataOutputStream(bytes);
        index.writeInt(sections.size());
        for (Map.Entry<Key, Indexed> each : sections.entrySet()) {
            index.writeUTF(each.getKey().operator);
            index.writeInt(each.getKey().instance);
            index.writeUTF(each.getKey().state);
            index.writeInt(each.getValue().crc32c);
            index.writeInt(each.getValue().extents.size());
            for (Extent extent : each.getValue().extents) {
                index.writeLong(extent.offset);
                index.writeLong(extent.length);
            }
        }
        CRC32C ofIndex = new CRC32C();
        ofIndex.update(bytes.toByteArray());
        int length = bytes.size();
        index.writeInt(length);
        index.writeInt((int) ofIndex.getValue());
        index.write(MAGIC);
        return bytes.toByteArray();
    }

    /** Removes a file that was not finished. */
    @Override
    public void close() throws IOException {
        out.abort();
    }
}
