package io.despina.operator.source.file;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/** The bytes of a file that does not grow, of which as many stand together as are wanted. Packed files are unpacked. */
final class FileBytes implements Closeable {
    private final FileInput in;
    private final int blockBytes;
    private byte[] bytes;
    /** Offset in the file of {@code bytes[0]}. */
    private long base;
    private int at;
    private int limit;

    /** @param blockBytes how much is read at a time, at least */
    FileBytes(Path path, long from, FileInput.Opener opener, int blockBytes) throws IOException {
        this.blockBytes = blockBytes;
        bytes = new byte[blockBytes];
        base = from;
        in = new FileInput(path, from, false,
                new LineBlocks.Options(null, new LineBlocks.Growth(false, null), opener, blockBytes));
    }

    /** How many bytes are in {@link #bytes} from {@link #at} on: at least {@code count}, if the file has so many. */
    int have(int count) throws IOException {
        while (limit - at < count) {
            if (limit == bytes.length) {
                makeRoom(count);
            }
            int read = in.read(bytes, limit, bytes.length - limit);
            if (read < 0) {
                break;
            }
            limit += read;
        }
        return limit - at;
    }

    /** At most twice as much as the file has turned out to have, whatever it says of itself. */
    private void makeRoom(int count) {
        int there = limit - at;
        int size = there <= blockBytes / 2 ? blockBytes
                : there < bytes.length ? bytes.length : (int) Math.min(2L * bytes.length, Math.max(count, blockBytes));
        byte[] to = size == bytes.length ? bytes : new byte[size];
        System.arraycopy(bytes, at, to, 0, there);
        bytes = to;
        base += at;
        at = 0;
        limit = there;
    }

    byte[] bytes() {
        return bytes;
    }

    /** Where the next byte is. */
    int at() {
        return at;
    }

    /** The offset of the next byte in the file. */
    long offset() {
        return base + at;
    }

    /** Passes over bytes that are there. */
    void pass(int count) {
        at += count;
    }

    /** Keeps no bytes any more: the file may stay open. */
    void release() {
        base += at;
        bytes = new byte[0];
        at = 0;
        limit = 0;
    }

    Path path() {
        return in.path();
    }

    void rename(Path to) {
        in.rename(to);
    }

    /** Memory that it holds. */
    long heldBytes() {
        return bytes.length + in.heldBytes();
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
