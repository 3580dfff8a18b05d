package io.despina.operator.source.file;

import io.despina.operator.disk.FileAddress;
import io.despina.operator.disk.FileCodec;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The bytes of one file, from an offset on. Packed files are unpacked: their offsets are those of the text, and they do not
 * grow. A file that may grow is checked for truncation: the bytes read last must still be there when more is read, because a file
 * that was cut and rewritten can be longer than before.
 */
final class FileInput implements Closeable {
    /** Opens a file's bytes, packed or not, at the first. */
    interface Opener {
        InputStream open(Path file) throws IOException;
    }

    /** How many of the bytes read last are compared. */
    private static final int TAIL_BYTES = 256;
    private static final int BUFFER_BYTES = 1 << 16;

    private Path path;
    /** Null if the file is not packed. */
    private final FileCodec codec;
    private final InputStream in;
    /** Null where the file is not watched. */
    private final FileChannel watched;
    /** The last bytes before {@link #offset}, at its beginning, and room to compare them. */
    private final byte[] tail;
    private final ByteBuffer now;
    private int tailLength;
    private long offset;

    FileInput(Path path, long from, boolean growing, LineBlocks.Options options) throws IOException {
        this.path = path;
        InputFiles.refuseSpecial(path);     // it may have replaced a file that was found
        try {
            codec = codec(path);
            watched = growing && codec == null ? FileChannel.open(path) : null;
            in = watched != null ? Channels.newInputStream(watched) : codec == null ? options.bytes().open(path)
                    : new UnpackedInput(path, codec, options.bytes().open(path), options.blockBytes());
        } catch (NoSuchFileException gone) {
            throw new FileNotFoundException("no such file: " + path);
        }
        tail = watched == null ? null : new byte[TAIL_BYTES];
        now = watched == null ? null : ByteBuffer.allocate(TAIL_BYTES);
        try {
            skip(from);
        } catch (EOFException shorter) {
            in.close();
            if (watched != null) {
                throw new TruncatedException(path, from);
            }
            throw new IOException(FileAddress.text(path) + " has become shorter: the source was to go on at byte "
                    + from, shorter);
        }
    }

    /** The bytes of a pipe: more may follow until it has ended. Its owner closes it. */
    FileInput(Path name, long from, Pipe pipe) throws IOException {
        path = name;
        codec = null;
        watched = null;
        tail = null;
        now = null;
        in = new InputStream() {
            @Override
            public int read() {
                throw new UnsupportedOperationException("blocks only");
            }

            @Override
            public int read(byte[] to, int at, int length) throws IOException {
                return pipe.read(to, at, length);
            }
        };
        if (from > 0) {
            throw new IOException(name + " cannot be read again");
        }
    }

    /** All bytes of a file that does not grow, unpacked. */
    static InputStream stream(Path path, Opener bytes) throws IOException {
        FileCodec codec = codec(path);
        return codec == null ? new BufferedInputStream(bytes.open(path), BUFFER_BYTES)
                : new UnpackedInput(path, codec, bytes.open(path), BUFFER_BYTES);
    }

    /** How the file is packed; null if it is not. */
    static FileCodec codec(Path path) {
        return FileCodec.ofFile(path.getFileName().toString());
    }

    /** Memory for unpacking. */
    long heldBytes() {
        return codec == null ? 0 : codec.heldBytes();
    }

    private void skip(long from) throws IOException {
        long before = watched == null ? from : Math.max(0, from - TAIL_BYTES);
        in.skipNBytes(before);
        offset = before;
        for (int missing = (int) (from - before); missing > 0;) {
            int read = read(new byte[missing], 0, missing);
            if (read < 0) {
                throw new EOFException();
            }
            missing -= read;
        }
    }

    Path path() {
        return path;
    }

    void rename(Path to) {
        path = to;
    }

    /**
     * Reads some bytes; -1 at the end of the file, which may be temporary if the file grows.
     *
     * @throws TruncatedException if the bytes read before are no longer there; nothing is read then
     */
    int read(byte[] to, int from, int length) throws IOException {
        int read = in.read(to, from, length);
        if (watched != null) {
            if (!isIntact()) {
                throw new TruncatedException(path, offset);
            }
            remember(to, from, read);
        }
        return read;
    }

    /** Whether the bytes read last are still there. */
    private boolean isIntact() throws IOException {
        now.clear().limit(tailLength);
        while (now.hasRemaining() && watched.read(now, offset - now.remaining()) >= 0) {
            continue;
        }
        return !now.hasRemaining() && Arrays.equals(now.array(), 0, tailLength, tail, 0, tailLength);
    }

    private void remember(byte[] bytes, int from, int read) {
        if (read <= 0) {
            return;
        }
        offset += read;
        int kept = Math.min(tailLength, Math.max(0, TAIL_BYTES - read));
        int added = Math.min(TAIL_BYTES, read);
        System.arraycopy(tail, tailLength - kept, tail, 0, kept);
        System.arraycopy(bytes, from + read - added, tail, kept, added);
        tailLength = kept + added;
    }

    /** Restarts a watched file at its first byte. */
    void restart() throws IOException {
        watched.position(0);
        offset = 0;
        tailLength = 0;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
