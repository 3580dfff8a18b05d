package io.despina.operator.sink;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/**
 * The unfinished file, created by the first write. It holds whole lines, whatever goes wrong. It uses a stream, not a channel,
 * because an interrupt of the operators before the sink must not close it.
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
                folder.make();       // it may have been removed with a dropped epoch
                file = new RandomAccessFile(path.toFile(), "rw");
                file.setLength(0);
                written = 0;
            }
            file.seek(written);      // after a write that found too little room, a part of it is in the file
            file.write(lines, 0, length);
            written += length;
        } catch (FileSystemException namesItsFile) {
            throw namesItsFile;
        } catch (IOException e) {
            throw new IOException("cannot write to " + path.getParent() + ": " + e.getMessage(), e);
        }
    }

    /** Closes the file. Cuts off a line that was written in part, on a full disk. */
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
