package io.despina.operator.source.file;

import io.despina.operator.disk.FileAddress;
import io.despina.packet.Bytes;
import io.despina.packet.EightBytes;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The lines of one file, read in large blocks; each line is contiguous in {@link #bytes()}. A line ends with LF, CR LF or CR, as
 * in Spark, or with the user's separator. The text after the last separator counts as a line unless the file is {@code growing}:
 * it may be incomplete then. A byte order mark is skipped. packed files do not grow.
 */
final class LineBlocks implements Closeable {
    static final int BLOCK_BYTES = 1 << 18;
    /** The longest line that is read. */
    static final int MAX_LINE_BYTES = 1 << 24;

    private static final long LINE_FEEDS = EightBytes.of('\n');
    private static final long RETURNS = EightBytes.of('\r');

    /** A position between two lines: the number of bytes and of lines before it. */
    record Place(long offset, long line) {
        static final Place START = new Place(0, 0);
    }

    /**
     * Whether the file may grow.
     *
     * @param pipe the pipe to read instead of a file; null for a file
     */
    record Growth(boolean growing, Pipe pipe) {
    }

    /**
     * How the file is read.
     *
     * @param separator  between lines, or null for LF, CR LF and CR
     * @param bytes      opens it
     * @param blockBytes how much is read at a time, at least
     */
    record Options(byte[] separator, Growth growth, FileInput.Opener bytes, int blockBytes) {
    }

    private final byte[] separator;
    private boolean growing;
    private final int blockBytes;
    private final FileInput in;
    private byte[] bytes;
    /** Offset in the file of {@code bytes[0]}. */
    private long base;
    /** Where the next line begins. */
    private int position;
    private int limit;
    private boolean ended;
    private int start;
    private int end;
    private long line;

    LineBlocks(Path path, Place from, Options options) throws IOException {
        separator = options.separator;
        Pipe pipe = options.growth.pipe();
        growing = options.growth.growing() && (pipe != null || FileInput.codec(path) == null);
        blockBytes = options.blockBytes;
        bytes = new byte[blockBytes];
        in = pipe != null ? new FileInput(path, from.offset, pipe)
                : new FileInput(path, from.offset, growing, options);
        base = from.offset;
        line = from.line;
    }

    Path path() {
        return in.path();
    }

    /** The bytes of the line found last are {@code bytes()[start(), end())}, without its line end. */
    byte[] bytes() {
        return bytes;
    }

    int start() {
        return start;
    }

    int end() {
        return end;
    }

    /** Memory that it holds. */
    long heldBytes() {
        return bytes.length + in.heldBytes();
    }

    /** The number of the line found last, from 1. */
    long line() {
        return line;
    }

    /** Where the line found last begins. */
    Place lineStart() {
        return new Place(base + start, line - 1);
    }

    /** Where the next line begins. */
    Place place() {
        return new Place(base + position, line);
    }

    /** Finds the next line; false at the end, which may be temporary if the file grows. */
    boolean next() throws IOException {
        if (position == 0 && base == 0) {
            skipByteOrderMark();
        }
        int scanned = 0;
        while (true) {
            int at = find(position + scanned);
            if (at >= 0) {
                int length = separatorLength(at);
                if (length > 0) {
                    return found(at, at + length);
                }
            }
            scanned = (at < 0 ? Math.max(limit - (separator == null ? 0 : separator.length - 1), position) : at) - position;
            if (!fill()) {
                if (growing || position == limit) {
                    return false;
                }
                int to = at >= 0 ? at : limit;
                return found(to, limit);
            }
        }
    }

    private void skipByteOrderMark() throws IOException {
        while (limit < 3 && fill()) {
            continue;
        }
        if (limit >= 3 && bytes[0] == (byte) 0xEF && bytes[1] == (byte) 0xBB && bytes[2] == (byte) 0xBF) {
            position = 3;
        }
        ended = false;
    }

    private boolean found(int to, int next) {
        start = position;
        end = to;
        position = next;
        line++;
        return true;
    }

    /** The length of the separator at {@code at}, or 0 if it depends on bytes that are not read yet. */
    private int separatorLength(int at) {
        if (separator != null) {
            return separator.length;
        }
        if (bytes[at] == '\n') {
            return 1;
        }
        return at + 1 == limit ? 0 : bytes[at + 1] == '\n' ? 2 : 1;
    }

    private int find(int from) {
        if (separator != null) {
            return findSeparator(from);
        }
        int at = from;
        for (int last = limit - Long.BYTES; at <= last; at += Long.BYTES) {
            long eight = Bytes.getLong(bytes, at);
            long found = EightBytes.matches(eight, LINE_FEEDS) | EightBytes.matches(eight, RETURNS);
            if (found != 0) {
                return at + (Long.numberOfTrailingZeros(found) >> 3);
            }
        }
        for (; at < limit; at++) {
            if (bytes[at] == '\n' || bytes[at] == '\r') {
                return at;
            }
        }
        return -1;
    }

    private int findSeparator(int from) {
        for (int at = from; at + separator.length <= limit; at++) {
            if (Arrays.equals(bytes, at, at + separator.length, separator, 0, separator.length)) {
                return at;
            }
        }
        return -1;
    }

    /** Appends more bytes to the rest of the block; false at the end of the file. */
    private boolean fill() throws IOException {
        if (ended && !growing) {
            return false;
        }
        if (position > 0 && limit == bytes.length) {
            // a block that has grown for one line is not kept for the next ones
            byte[] block = bytes.length > blockBytes && limit - position <= blockBytes / 2 ? new byte[blockBytes] : bytes;
            System.arraycopy(bytes, position, block, 0, limit - position);
            bytes = block;
            base += position;
            limit -= position;
            position = 0;
        }
        if (limit == bytes.length) {
            if (limit >= MAX_LINE_BYTES) {
                throw new IOException(FileAddress.text(path()) + ":" + (line + 1) + ": line longer than "
                        + MAX_LINE_BYTES + " bytes");
            }
            bytes = Arrays.copyOf(bytes, 2 * limit);
        }
        int read = in.read(bytes, limit, bytes.length - limit);
        if (read < 0) {
            ended = true;
            return false;
        }
        limit += read;
        return true;
    }

    /** Whether all lines were found and none can follow. */
    boolean isRead() {
        return ended && !growing && position == limit;
    }

    void rename(Path to) {
        in.rename(to);
    }

    /** The file grows no more: the text after its last line end is a line. */
    void leave() {
        growing = false;
        ended = false;
    }

    /** Restarts a growing file at its first byte. */
    void restart() throws IOException {
        in.restart();
        base = 0;
        position = 0;
        limit = 0;
        line = 0;
        ended = false;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
