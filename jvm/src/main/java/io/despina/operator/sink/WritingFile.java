package io.despina.operator.sink;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/**
 * The file in the writing, made when it is first written to: whole lines, whatever went wrong. It is written by a stream, not a
 * channel: an interrupt that ends what comes before the sink must not close it.
 */
final class WritingFile {
    private final Path path;
    private final CreatedFolder folder;
    private RandomAccessFile file;
    /** Bytes of whole lines. */
    private long written;

    WritingFile(Path path, CreatedFolder folder) {
        this.path = path;
        this.folder = folder;
    }

    boolean isOpen() {
        return file != null;
    }

    /** Bytes of lines in it, while it is open. */
    long written() {
        return file == null ? 0 : written;
    }

    /** Appends whole lines. */
    void write(byte[] lines, int length) throws IOException {
        try {
            if (file == null) {
                folder.make();       // gone, perhaps, with an epoch that was dropped
                file = new RandomAccessFile(path.toFile(), "rw");
                file.setLength(0);
                written = 0;
            }
            file.seek(written);      // behind a write that found no room for all of it, a part of that is there
            file.write(lines, 0, length);
            written += length;
        } catch (FileSystemException namesItsFile) {
            throw namesItsFile;
        } catch (IOException e) {
            throw new IOException("cannot write to " + path.getParent() + ": " + e.getMessage(), e);
        }
    }

    /** Closes it. A line that was written in part, on a disk that is full, is cut off. */
    void close() throws IOException {
        if (file != null) {
            RandomAccessFile closing = file;
            file = null;
            try (closing) {
                if (closing.length() > written) {
                    closing.setLength(written);
                }
            }
        }
    }
}
