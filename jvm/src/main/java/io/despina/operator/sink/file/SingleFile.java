package io.despina.operator.sink.file;

import io.despina.wake.SharedThreads;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/** The one file of a sink that writes no folder: each epoch is appended to it. */
final class SingleFile {
    private static final int COPY_BYTES = 1 << 16;

    private final OutputOptions options;

    SingleFile(OutputOptions options) {
        this.options = options;
    }

    /**
     * Writes from the epoch's offset on, so that an interrupted commit can be repeated. A failed commit leaves nothing visible.
     */
    void append(Path prepared, long offset) throws IOException {
        SharedThreads.waits("appends to " + options.path());
        try (RandomAccessFile to = new RandomAccessFile(options.path().toFile(), "rw");
                RandomAccessFile from = new RandomAccessFile(prepared.toFile(), "r")) {
            if (to.length() < offset) {
                throw new IOException(options.text() + " has " + to.length() + " bytes, but this job had written "
                        + offset);
            }
            try {
                copy(from, to, offset);
            } catch (IOException e) {
                to.setLength(offset);
                throw new IOException("cannot write to " + options.path() + ": " + e.getMessage(), e);
            }
        }
        Files.delete(prepared);
    }

    private static void copy(RandomAccessFile from, RandomAccessFile to, long offset) throws IOException {
        to.setLength(offset);
        to.seek(offset);
        byte[] block = new byte[COPY_BYTES];
        for (int read = from.read(block); read > 0; read = from.read(block)) {
            to.write(block, 0, read);
        }
        to.getFD().sync();
    }
}
