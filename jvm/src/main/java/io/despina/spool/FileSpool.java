package io.despina.spool;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A spool in files of this machine that have no names, so they are gone with their process. Rows are there for readers at once,
 * and what is {@link #cut} is given back to the disk, file by file.
 */
public final class FileSpool extends Spool {
    private static final int MOST_FILE = 64 << 20;
    private static final int LEAST_FILE = 1 << 18;
    private static final int FILES = 8;

    private final int fileBytes;

    // all below: guarded by this
    private final List<SpoolFile> files = new ArrayList<>();
    private long onDisk;
    /** A record is being put at the end of the last file, which must stay open. */
    private boolean writing;

    /** @param name for messages */
    public FileSpool(String name, Options options) {
        super(name, options);
        fileBytes = (int) Math.max(LEAST_FILE, Math.min(MOST_FILE, options.mostBytes() / FILES));
    }

    @Override
    public void append(byte[] record, int length, int count) throws IOException, InterruptedException {
        SpoolFile file;
        long row;
        synchronized (this) {
            while (isFull()) {
                wait();
            }
            if (released) {
                return;
            }
            file = open();
            row = rows;
            writing = true;
        }
        SpoolRecord.seal(record, length, row, count);
        try {
            file.write(record, length);
        } catch (IOException e) {
            if (isReleased()) {
                return;
            }
            throw new IOException("cannot write rows for " + name + " in " + options.folder() + ": " + e.getMessage(), e);
        }
        synchronized (this) {
            file.published(row, length);
            onDisk += length;
            bytes += length - SpoolRecord.HEADER_BYTES;
            rows += count;
            writing = false;
            notifyAll();
        }
    }

    /** The file to append to. */
    private SpoolFile open() throws IOException {
        if (files.isEmpty() || last().length() >= fileBytes) {
            files.add(SpoolFile.create(options.folder(), rows));
        }
        return last();
    }

    private SpoolFile last() {
        return files.get(files.size() - 1);
    }

    @Override
    public synchronized long rowBehind(long from, long mostBytes) throws SpoolException {
        if (from >= rows) {
            return rows;
        }
        long left = mostBytes;
        long row = from;
        for (int k = indexOf(from); k < files.size(); k++) {
            SpoolFile file = files.get(k);
            long found = file.rowBehind(row, left);
            if (found > from) {
                return found;
            }
            left -= file.length() - file.place(row);
            if (left <= 0 && k + 1 < files.size()) {
                return files.get(k + 1).first;
            }
            row = k + 1 < files.size() ? files.get(k + 1).first : row;
        }
        return rows;
    }

    /** The row that a reader keeps until it knows the end holds nobody up. */
    private boolean isFull() {
        return !released && rows - first > 1 && onDisk >= options.mostBytes();
    }

    @Override
    public synchronized void cut(long row) throws IOException {
        first = Math.max(first, Math.min(row, rows));
        while (files.size() > 1 ? files.get(1).first <= first : !files.isEmpty() && rows <= first && !writing) {
            SpoolFile file = files.remove(0);
            onDisk -= file.length();
            file.close();
        }
        changed();
    }

    @Override
    public synchronized void release() throws IOException {
        released = true;
        changed();
        for (SpoolFile file : files) {
            file.close();
        }
        files.clear();
        onDisk = 0;
    }

    @Override
    public SpoolAccess access() {
        return new Here();
    }

    private int indexOf(long row) throws SpoolException {
        refuseGone(row);
        int k = files.size() - 1;
        while (k > 0 && files.get(k).first > row) {
            k--;
        }
        return k;
    }

    /** Reads on from where it was, or finds the place of a row. */
    private final class Here implements SpoolAccess {
        private static final int MOST_BYTES = 1 << 20;
        private static final int LEAST_BYTES = 1 << 13;

        private byte[] chunk = new byte[LEAST_BYTES];
        private SpoolFile file;
        private long place;
        /** The row that is at that place. */
        private long row = -1;

        @Override
        public Chunk read(long from, long millis) throws IOException, InterruptedException {
            int length;
            synchronized (FileSpool.this) {
                awaitRow(from, millis);
                int index = indexOf(from);
                if (rows <= from) {
                    if (failure != null) {
                        throw new SpoolException(failure);
                    }
                    return new Chunk(chunk, 0, ended);
                }
                if (file != files.get(index) || row != from) {
                    file = files.get(index);
                    place = file.place(from);
                }
                length = (int) Math.min(file.length() - place, MOST_BYTES);
            }
            return take(from, length);
        }

        /** Those of {@code length} bytes at the place that are whole records from that row on: at least one. */
        private Chunk take(long from, int length) throws IOException {
            int needed = length;
            while (true) {
                fill(from, needed);
                int begin = 0;
                while (begin + SpoolRecord.HEADER_BYTES <= needed && begin + SpoolRecord.length(chunk, begin) <= needed
                        && SpoolRecord.first(chunk, begin) + SpoolRecord.rows(chunk, begin) <= from) {
                    begin += (int) SpoolRecord.length(chunk, begin);
                }
                if (begin > 0) {
                    place += begin;
                    needed = Math.max(length - begin, SpoolRecord.HEADER_BYTES);
                    continue;
                }
                int end = 0;
                long next = from;
                while (end + SpoolRecord.HEADER_BYTES <= needed && end + SpoolRecord.length(chunk, end) <= needed) {
                    next = SpoolRecord.first(chunk, end) + SpoolRecord.rows(chunk, end);
                    end += (int) SpoolRecord.length(chunk, end);
                }
                if (end > 0) {
                    place += end;
                    row = next;
                    return new Chunk(chunk, end, isLast(next));
                }
                needed = wanted(needed);
            }
        }

        /** Bytes of the first record, which did not fit. */
        private int wanted(int had) throws SpoolException {
            long wanted = had < SpoolRecord.HEADER_BYTES ? SpoolRecord.HEADER_BYTES : SpoolRecord.length(chunk, 0);
            synchronized (FileSpool.this) {
                if (wanted > file.length() - place || wanted > Integer.MAX_VALUE) {
                    throw new SpoolException("the record of " + name + " at byte " + place
                            + " is not as it was written: its length is wrong");
                }
            }
            return (int) wanted;
        }

        private void fill(long from, int length) throws IOException {
            if (length > chunk.length) {
                chunk = new byte[Math.max(length, Math.min(2 * chunk.length, MOST_BYTES))];
            }
            try {
                file.read(place, chunk, length);
            } catch (IOException e) {
                synchronized (FileSpool.this) {
                    indexOf(from);
                }
                throw new IOException("cannot read rows of " + name + ": " + e.getMessage(), e);
            }
        }

        private boolean isLast(long next) {
            synchronized (FileSpool.this) {
                return ended && next >= rows;
            }
        }

        @Override
        public void close() {
            chunk = new byte[0];
        }
    }
}
