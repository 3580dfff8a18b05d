package io.despina.operator.source.file;

import io.despina.operator.disk.FileAddress;
import io.despina.operator.disk.FileCodec;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.nio.file.Path;

/** The text of a packed file. An error names the file. Like Spark, it takes a file without bytes for an empty one. */
final class UnpackedInput extends InputStream {
    /** The most that is asked of a codec at once: what it had unpacked of that is lost where it finds damage. */
    private static final int STEP_BYTES = 1 << 13;

    private final Path path;
    private final FileCodec codec;
    private final PushbackInputStream packed;
    /** Null before the first read, and for a file without bytes. */
    private InputStream text;
    private boolean ended;
    private final int bufferBytes;
    private long offset;

    /** @param packed its bytes; closed with this */
    UnpackedInput(Path path, FileCodec codec, InputStream packed, int bufferBytes) {
        this.path = path;
        this.codec = codec;
        this.packed = new PushbackInputStream(packed);
        this.bufferBytes = bufferBytes;
    }

    @Override
    public int read(byte[] to, int from, int length) throws IOException {
        if (ended) {
            return -1;
        }
        try {
            if (text == null) {
                int first = packed.read();
                if (first < 0) {
                    ended = true;
                    return -1;
                }
                packed.unread(first);
                text = codec.unpacked(packed, bufferBytes);
            }
            int read = text.read(to, from, Math.min(length, STEP_BYTES));
            offset += Math.max(0, read);
            ended = read < 0;
            return read;
        } catch (IOException | RuntimeException damaged) {
            String what = damaged.getMessage() == null ? "" : ": " + damaged.getMessage();
            throw new IOException(FileAddress.text(path) + " cannot be unpacked as ." + codec.ending() + " behind byte " + offset
                    + " of its text" + what + "; it is damaged or cut short", damaged);
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public void close() throws IOException {
        try (packed) {
            if (text != null) {
                text.close();
            }
        }
    }
}
