package io.despina.snapshot;

import java.io.Closeable;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;

/** A folder in which snapshots are kept. Paths are relative, with {@code /} between names. Any thread may call it. */
public interface SnapshotStore {
    /** As {@link #leaseMillis}, where nothing else is said. */
    long LEASE_MILLIS = 5_000;
    /** In place of a time: there is no such file. */
    long NOT_THERE = Long.MIN_VALUE;

    /**
     * Creates a file under its own name, and missing folders. It may be seen before it is whole, so something else must say
     * that it is: a manifest.
     *
     * @throws IOException if there is a file of that path
     */
    NewFile create(String path) throws IOException;

    /** The folder, if it is one of this machine's disks; else null. */
    default Path local() {
        return null;
    }

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

        /** Makes the file durable. After a failure, {@link #abort} removes what was written. */
        @Override
        public final void close() throws IOException {
            if (!ended) {
                keep();
                ended = true;
            }
        }

        /** Removes the file, unless it is durable. */
        public final void abort() throws IOException {
            if (!ended) {
                ended = true;
                drop();
            }
        }

        abstract void keep() throws IOException;

        abstract void drop() throws IOException;
    }

    /**
     * Creates a file with that content, unless one exists at that path, and makes it durable. Where the file system allows, the
     * file is never there without all of its content.
     *
     * @return whether this call created it: true for one of several callers
     */
    boolean createIfAbsent(String path, byte[] content) throws IOException;

    /** Writes a small file in place of the one that may be there. It need not outlive a loss of power. */
    void replace(String path, byte[] content) throws IOException;

    /**
     * As {@link #replace(String, byte[])}, unless another has written to the file since it was looked at. Most stores cannot do
     * both at once, and only write: what another has written in that moment is lost.
     *
     * @param modifiedMillis when it was last written to, as it was seen; {@link #NOT_THERE} if it was not there
     * @return whether it was written
     */
    default boolean replace(String path, long modifiedMillis, byte[] content) throws IOException {
        replace(path, content);
        return true;
    }

    /**
     * Locks a file until it is closed or the process ends.
     *
     * @param content who locks it; for others to read
     * @return null if another has the lock, in this process or elsewhere
     * @throws UnsupportedOperationException where the file system has no locks
     */
    Closeable lock(String path, byte[] content) throws IOException;

    /** A lease here has ended that was not renewed for so long. Where clients of a server renew it, that may be short. */
    default long leaseMillis() {
        return LEASE_MILLIS;
    }

    /**
     * Makes a file durable that is whole, and that another may have created and not made so, before somebody acts on it.
     *
     * @throws java.io.FileNotFoundException if there is no such file
     */
    void force(String path) throws IOException;

    /**
     * A file's bytes from {@code offset} on.
     *
     * @throws java.io.FileNotFoundException if there is no such file
     */
    InputStream open(String path, long offset) throws IOException;

    /** @throws java.io.FileNotFoundException if there is no such file */
    long length(String path) throws IOException;

    /**
     * When a file was last written to, in milliseconds since 1970-01-01T00:00Z, by the clock of the file system.
     *
     * @throws java.io.FileNotFoundException if there is no such file
     */
    long modifiedMillis(String path) throws IOException;

    boolean exists(String path) throws IOException;

    /** The names in a folder, without hidden ones, in order; empty if there is no such folder. */
    List<String> list(String folder) throws IOException;

    /**
     * A file.
     *
     * @param path           in the store
     * @param modifiedMillis as {@link #modifiedMillis}
     */
    record Stored(String path, long modifiedMillis) {
    }

    /** All files in a folder and below, hidden ones too, in the order of their paths; empty if there is no such folder. */
    List<Stored> files(String folder) throws IOException;

    /** Deletes a file, or a folder with its content; does nothing if it does not exist. */
    void delete(String path) throws IOException;
}
