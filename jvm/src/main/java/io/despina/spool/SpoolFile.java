package io.despina.spool;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Set;

/**
 * One file of a spool: records, one after the other, and an index of some of them in memory. The file has no name any more once
 * it is open, so the system frees it when its process ends, however that ends.
 *
 * <p>Random access files, not channels: an interrupt, which ends a Spark task, would close a channel for all its readers.
 * What it has ({@link #length}, the index) is guarded by the spool; reads and writes are not, and one thread writes.
 */
final class SpoolFile implements AutoCloseable {
    private static final Set<PosixFilePermission> OWNERS = PosixFilePermissions.fromString("rw-------");
    /** From one record of the index to the next, at least. */
    private static final int STEP_BYTES = 1 << 16;
    private static final int FIRST_ENTRIES = 16;

    /** The number of its first row. */
    final long first;
    private final RandomAccessFile out;
    private final RandomAccessFile in;
    private long length;
    private long[] rows = new long[FIRST_ENTRIES];
    private long[] places = new long[FIRST_ENTRIES];
    private int entries;

    private SpoolFile(Path file, long first) throws IOException {
        this.first = first;
        out = new RandomAccessFile(file.toFile(), "rw");
        in = new RandomAccessFile(file.toFile(), "r");
    }

    /** A new one in that folder. */
    static SpoolFile create(Path folder, long first) throws IOException {
        Path file = Files.createTempFile(folder, "despina-spool-", "", PosixFilePermissions.asFileAttribute(OWNERS));
        try {
            return new SpoolFile(file, first);
        } finally {
            Files.delete(file);
        }
    }

    /** Puts a record at its end; it counts only after {@link #published}. */
    void write(byte[] record, int bytes) throws IOException {
        out.write(record, 0, bytes);
    }

    /** The record that was written last is there for readers. */
    void published(long firstRow, int bytes) {
        if (entries == 0 || length - places[entries - 1] >= STEP_BYTES) {
            if (entries == rows.length) {
                rows = Arrays.copyOf(rows, 2 * entries);
                places = Arrays.copyOf(places, 2 * entries);
            }
            rows[entries] = firstRow;
            places[entries++] = length;
        }
        length += bytes;
    }

    long length() {
        return length;
    }

    /** The index's last entry that is not behind that row. */
    private int entry(long row) {
        int at = Arrays.binarySearch(rows, 0, entries, row);
        return at >= 0 ? at : Math.max(0, -at - 2);
    }

    /** Where a record begins that is not behind that row, and near it. */
    long place(long row) {
        return places[entry(row)];
    }

    /**
     * The row of the index that is about so many bytes behind the record of {@code row}.
     *
     * @return -1 if the file ends before
     */
    long rowBehind(long row, long bytes) {
        int from = entry(row);
        for (int k = from + 1; k < entries; k++) {
            if (places[k] - places[from] >= bytes) {
                return rows[k];
            }
        }
        return -1;
    }

    /** Reads from a place, {@code bytes} of them, which must be there. */
    void read(long place, byte[] into, int bytes) throws IOException {
        synchronized (in) {
            in.seek(place);
            in.readFully(into, 0, bytes);
        }
    }

    @Override
    public void close() throws IOException {
        try (in; out) {
            length = 0;
        }
    }
}
