package io.despina.snapshot;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;

/** A folder in which snapshots are kept. Paths are relative, with {@code /} between names. Any thread may call it. */
public interface SnapshotStore {

    /**
     * Creates a file that replaces any file of that path. It is invisible before {@link NewFile#close}. Creates missing folders.
     */
    NewFile create(String path) throws IOException;

    /** An unfinished file. */
    abstract class NewFile extends FilterOutputStream {
        private boolean ended;

        NewFile(OutputStream out) {
            super(out);
        }

        @Override
        public final void write(byte[] bytes, int at, int length) throws IOException {
            out.write(bytes, at, length);
        }

        /** Makes the file durable and visible. After a failure, {@link #abort} removes what was written. */
        @Override
        public final void close() throws IOException {
            if (!ended) {
                show();
                ended = true;
            }
        }

        /** Removes the file, unless it is visible. */
        public final void abort() throws IOException {
            if (!ended) {
                ended = true;
                drop();
            }
        }

        abstract void show() throws IOException;

        abstract void drop() throws IOException;
    }

    /**
     * Creates a file with that content, unless one exists at that path.
     *
     * @return whether this call created it: true for one of several callers
     */
    boolean createIfAbsent(String path, byte[] content) throws IOException;

    /**
     * A file's bytes from {@code offset} on.
     *
     * @throws java.io.FileNotFoundException if there is no such file
     */
    InputStream open(String path, long offset) throws IOException;

    /** @throws java.io.FileNotFoundException if there is no such file */
    long length(String path) throws IOException;

    /** The names in a folder, without hidden ones, in order; empty if there is no such folder. */
    List<String> list(String folder) throws IOException;

    /** Deletes a file, or a folder with its content; does nothing if it does not exist. */
    void delete(String path) throws IOException;
}
