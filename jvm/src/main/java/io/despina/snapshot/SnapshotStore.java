package io.despina.snapshot;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;

/** A folder in which snapshots are kept. Paths are relative, with {@code /} between names. Any thread may call it. */
public interface SnapshotStore {

    /**
     * A new file, in place of one of that path. Nobody sees it before {@link NewFile#close}. Folders are made.
     */
    NewFile create(String path) throws IOException;

    /** A file in the writing. */
    abstract class NewFile extends FilterOutputStream {
        private boolean ended;

        NewFile(OutputStream out) {
            super(out);
        }

        @Override
        public final void write(byte[] bytes, int at, int length) throws IOException {
            out.write(bytes, at, length);
        }

        /** Puts the file on disk and shows it. After a failure, {@link #abort} removes what was written. */
        @Override
        public final void close() throws IOException {
            if (!ended) {
                show();
                ended = true;
            }
        }

        /** Leaves nothing of it, unless it is shown. */
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
     * Makes a file of that content, unless there is one of that path.
     *
     * @return whether it was made: of several callers one is told so
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

    /** Names in a folder, hidden ones left out, in order; empty if there is no such folder. */
    List<String> list(String folder) throws IOException;

    /** Deletes a file, or a folder with all that is in it; nothing if there is none. */
    void delete(String path) throws IOException;
}
