package io.despina.snapshot;

import io.despina.snapshot.SectionFile.Extent;
import io.despina.snapshot.SectionFile.Indexed;
import io.despina.snapshot.SectionFile.Key;
import io.despina.state.MissingStateException;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32C;

/** The sections of a file that {@link SectionFile} has written, or of format 1. Any thread may read. */
final class SectionFileReader {
    /** Format 1: the sections of one instance. Its index has, for each: name (UTF) · offset (8) · length (8) · CRC32C (4). */
    private static final byte[] FIRST_MAGIC = "DESPSNP1".getBytes(StandardCharsets.US_ASCII);
    private static final int MAGIC_LENGTH = 8;
    private static final int TAIL = 2 * Integer.BYTES + MAGIC_LENGTH;
    private static final int LONGEST_INDEX = 1 << 28;
    private static final int BLOCK = 1 << 16;

    private final SnapshotStore store;
    private final String path;
    private final boolean first;
    private final Map<Key, Indexed> sections;

    private SectionFileReader(SnapshotStore store, String path, boolean first, Map<Key, Indexed> sections) {
        this.store = store;
        this.path = path;
        this.first = first;
        this.sections = sections;
    }

    /**
     * Opens a file. Verifies every byte before it returns.
     *
     * @param expected as in the manifest
     * @throws RottenStatesException if the file is missing, truncated, damaged or another one; names the file and the state
     */
    static SectionFileReader open(SnapshotStore store, Manifest.DataFile expected) throws IOException {
        String path = expected.path();
        long length = length(store, path);
        if (length != expected.length()) {
            throw new RottenStatesException(path, length + " bytes, where the manifest has " + expected.length());
        }
        if (length < MAGIC_LENGTH + TAIL) {
            throw new RottenStatesException(path, "too short for a file of states, " + length + " bytes");
        }
        byte[] tail = read(store, path, length - TAIL, TAIL);
        byte[] magic = Arrays.copyOfRange(tail, TAIL - MAGIC_LENGTH, TAIL);
        boolean first = Arrays.equals(magic, FIRST_MAGIC);
        if (!first && !Arrays.equals(magic, SectionFile.MAGIC)) {
            throw new RottenStatesException(path, "not a file of states, or one of another version");
        }
        SectionFileReader reader = new SectionFileReader(store, path, first, index(store, path, tail, first));
        reader.verify(expected);
        return reader;
    }

    private static long length(SnapshotStore store, String path) throws IOException {
        try {
            return store.length(path);
        } catch (FileNotFoundException gone) {
            throw new RottenStatesException(path, "the file is gone");
        }
    }

    private static Map<Key, Indexed> index(SnapshotStore store, String path, byte[] tail, boolean first) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(tail));
        int length = in.readInt();
        int crc = in.readInt();
        long end = store.length(path) - TAIL;
        if (length < Integer.BYTES || length > Math.min(LONGEST_INDEX, end - MAGIC_LENGTH)) {
            throw new RottenStatesException(path, "an index of " + length + " bytes");
        }
        byte[] index = read(store, path, end - length, length);
        CRC32C actual = new CRC32C();
        actual.update(index);
        if ((int) actual.getValue() != crc) {
            throw new RottenStatesException(path, "the index is damaged");
        }
        try {
            return parse(path, new DataInputStream(new ByteArrayInputStream(index)), first, end - length);
        } catch (EOFException cut) {
            throw new RottenStatesException(path, "the index is cut short");
        }
    }

    private static Map<Key, Indexed> parse(String path, DataInputStream in, boolean first, long end) throws IOException {
        Map<Key, Indexed> sections = new LinkedHashMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            Key key = first ? new Key("", 0, in.readUTF()) : new Key(in.readUTF(), in.readInt(), in.readUTF());
            List<Extent> extents = new ArrayList<>();
            int crc = first ? 0 : in.readInt();
            for (int more = first ? 1 : in.readInt(); more > 0; more--) {
                Extent extent = new Extent(in.readLong(), in.readLong());
                if (extent.offset() < MAGIC_LENGTH || extent.length() < 0 || extent.end() > end) {
                    throw new RottenStatesException(path, "the index is damaged at state `" + key.state() + "`");
                }
                extents.add(extent);
            }
            if (sections.put(key, new Indexed(extents, first ? in.readInt() : crc)) != null) {
                throw new RottenStatesException(path, "the index has state `" + key.state() + "` twice");
            }
        }
        return sections;
    }

    private static byte[] read(SnapshotStore store, String path, long at, int length) throws IOException {
        try (InputStream in = store.open(path, at)) {
            byte[] bytes = in.readNBytes(length);
            if (bytes.length < length) {
                throw new RottenStatesException(path, "cut short");
            }
            return bytes;
        }
    }

    /** Compares the whole; if that differs, says which state is damaged. */
    private void verify(Manifest.DataFile expected) throws IOException {
        String actual;
        try (InputStream in = store.open(path, 0)) {
            actual = Integer.toHexString(crc(in));
        }
        if (actual.equals(expected.crc32c())) {
            return;
        }
        for (Map.Entry<Key, Indexed> each : sections.entrySet()) {
            try (InputStream in = section(each.getValue())) {
                int crc = crc(in);
                if (crc != each.getValue().crc32c()) {
                    throw new RottenStatesException(path, "state `" + each.getKey().state() + "` is damaged: its CRC32C is "
                            + Integer.toHexString(crc) + ", not " + Integer.toHexString(each.getValue().crc32c()));
                }
            }
        }
        throw new RottenStatesException(path, "the file's CRC32C is " + actual + ", and the manifest has "
                + expected.crc32c());
    }

    private static int crc(InputStream in) throws IOException {
        CRC32C crc = new CRC32C();
        byte[] block = new byte[BLOCK];
        for (int read = in.read(block); read >= 0; read = in.read(block)) {
            crc.update(block, 0, read);
        }
        return (int) crc.getValue();
    }

    /**
     * A section from its beginning.
     *
     * @throws MissingStateException if the file has none
     */
    InputStream section(Key key) throws IOException {
        Indexed section = sections.get(first ? new Key("", 0, key.state()) : key);
        if (section == null) {
            throw new MissingStateException(path + ": state `" + key.state() + "` of operator `" + key.operator() + "`, instance "
                    + key.instance() + ", is not in the file; there are "
                    + states(key.operator(), key.instance()));
        }
        return section(section);
    }

    /** The states of which it has sections of an instance. */
    List<String> states(String operator, int instance) {
        return sections.keySet().stream().filter(each -> first || each.operator().equals(operator) && each.instance() == instance)
                .map(Key::state).toList();
    }

    /**
     * What follows the slices, with other ids of operators, without those that are dropped, whose id another may have then.
     *
     * @param renamed by old id
     * @return null if the file names none of the renamed ones
     */
    byte[] tail(Map<String, String> renamed, Set<String> dropped) throws IOException {
        if (first || sections.keySet().stream().map(Key::operator).noneMatch(renamed::containsKey)) {
            return null;
        }
        Map<Key, Indexed> others = new LinkedHashMap<>();
        sections.forEach((key, each) -> {
            if (!dropped.contains(key.operator())) {
                others.put(new Key(renamed.getOrDefault(key.operator(), key.operator()), key.instance(), key.state()), each);
            }
        });
        return SectionFile.tail(others);
    }

    /** How many bytes the slices have, with what begins the file. */
    long slicesEnd() {
        return sections.values().stream().flatMap(each -> each.extents().stream()).mapToLong(Extent::end).max()
                .orElse(MAGIC_LENGTH);
    }

    private InputStream section(Indexed section) throws IOException {
        return new ExtentStream(store, path, section.extents());
    }
}
