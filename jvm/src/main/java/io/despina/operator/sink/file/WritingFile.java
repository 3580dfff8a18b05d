package io.despina.operator.sink.file;

import io.despina.operator.disk.FileCodec;
import io.despina.operator.record.LineBuffer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * The unfinished file, created by the first write. It holds whole lines, whatever goes wrong; of a packed file only what was
 * packed when it went wrong.
 */
final class WritingFile {
    /** Packed bytes are written in pieces of about this size. */
    private static final int PACKED_BYTES = 1 << 16;

    private final Supplier<Path> path;
    private final CreatedFolder folder;
    /** Null for none. */
    private final FileCodec codec;
    private final OutputDisk disk;
    private OutputDisk.Writing file;
    /** While a packed file is open: packs lines into {@link #packed}. */
    private OutputStream packer;
    /** Whether packed bytes could not be written. */
    private boolean broken;
    private final LineBuffer packed = new LineBuffer();
    /** Bytes that are in the file for good. */
    private long written;
    private long lineBytes;

    /** @param path of the next file */
    WritingFile(Supplier<Path> path, CreatedFolder folder, OutputOptions options) {
        this.path = path;
        this.folder = folder;
        codec = options.codec();
        disk = options.disk();
    }

    boolean isOpen() {
        return file != null;
    }

    /** The bytes in it for good. */
    long length() {
        return written;
    }

    /** Bytes of lines in it before they are packed, while it is open. */
    long lineBytes() {
        return file == null ? 0 : lineBytes;
    }

    /** Appends whole lines. */
    void write(byte[] lines, int length) throws IOException {
        try {
            open();
            if (codec == null) {
                put(lines, length);
            } else if (broken) {
                throw new IOException("an earlier write failed");
            } else {
                packer.write(lines, 0, length);
                if (packed.size() >= PACKED_BYTES) {
                    putPacked();
                }
            }
            lineBytes += length;
        } catch (FileSystemException namesItsFile) {
            throw namesItsFile;
        } catch (IOException e) {
            throw new IOException("cannot write to " + disk.text(path.get().getParent()) + ": " + e.getMessage(), e);
        }
    }

    private void open() throws IOException {
        if (file == null) {
            folder.make();       // it may have been removed with a dropped epoch
            file = disk.create(path.get());
            written = 0;
            lineBytes = 0;
            packed.cut(0);
            broken = false;
            packer = codec == null ? null : codec.packer(packed);
        }
    }

    private void put(byte[] bytes, int length) throws IOException {
        file.write(bytes, length, written);
        written += length;
    }

    /** A failed write is not repeated: the packer cannot pack the same lines again. */
    private void putPacked() throws IOException {
        broken = true;
        put(packed.bytes(), packed.size());
        packed.cut(0);
        broken = false;
    }

    /** Closes it. @return its size */
    long finish() throws IOException {
        close();
        return written;
    }

    /** Closes the file. Cuts off a line that was written in part, on a full disk. */
    void close() throws IOException {
        if (file != null) {
            OutputDisk.Writing closing = file;
            try {
                endPacking();
            } finally {
                file = null;
                closing.close(written);
            }
        }
    }

    private void endPacking() throws IOException {
        OutputStream packing = packer;
        packer = null;
        if (packing != null) {
            packing.close();
            if (!broken) {
                putPacked();
            }
        }
    }
}
