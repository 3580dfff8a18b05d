package io.despina.snapshot;

import io.despina.snapshot.SectionFile.Extent;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/** Parts of a file, one after the other. */
final class ExtentStream extends InputStream {
    private static final int BLOCK = 1 << 16;
    /** What is rather read and thrown away than skipped by opening the file again. */
    private static final long NEAR = 1 << 20;

    private final SnapshotStore store;
    private final String path;
    private final List<Extent> extents;
    private final byte[] block = new byte[BLOCK];
    /** The file from {@code position} on, or null. */
    private InputStream file;
    private long position;
    private int next;
    /** Of the present extent. */
    private long left;
    private int at;
    private int end;

    ExtentStream(SnapshotStore store, String path, List<Extent> extents) {
        this.store = store;
        this.path = path;
        this.extents = extents;
    }

    @Override
    public int read() throws IOException {
        return fill() ? block[at++] & 0xff : -1;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (!fill()) {
            return -1;
        }
        int some = Math.min(length, end - at);
        System.arraycopy(block, at, bytes, from, some);
        at += some;
        return some;
    }

    @Override
    public int available() {
        return end - at;
    }

    /** @return whether the block has a byte to give */
    private boolean fill() throws IOException {
        while (at == end) {
            if (left == 0) {
                if (next == extents.size()) {
                    return false;
                }
                move(extents.get(next++));
                continue;
            }
            at = 0;
            end = file.read(block, 0, (int) Math.min(left, BLOCK));
            if (end < 0) {
                end = 0;
                throw new EOFException(path + ": cut short at " + position);
            }
            left -= end;
            position += end;
        }
        return true;
    }

    private void move(Extent to) throws IOException {
        long gap = to.offset() - position;
        if (file == null || gap < 0 || gap > NEAR) {
            close();
            file = store.open(path, to.offset());
        } else {
            file.skipNBytes(gap);
        }
        position = to.offset();
        left = to.length();
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
            file = null;
        }
    }
}
