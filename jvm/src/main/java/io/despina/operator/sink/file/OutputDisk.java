package io.despina.operator.sink.file;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;

/** The file system that a file sink writes to. {@link io.despina.operator.disk.FileAddress} says what a path is elsewhere. */
interface OutputDisk extends Closeable {

    /** A file that is being written, from its beginning on. */
    interface Writing {
        /** Writes {@code bytes[0, length)} at that place of the file, which is at its end or where a write failed. */
        void write(byte[] bytes, int length, long at) throws IOException;

        /** Ends the file, after so many bytes. */
        void close(long length) throws IOException;
    }

    /** For messages. */
    String text(Path path);

    /** Whether it may wait for a network. */
    boolean mayWait(Path folder) throws IOException;

    boolean exists(Path path) throws IOException;

    boolean isFolder(Path path) throws IOException;

    long size(Path file) throws IOException;

    /** The entries of a folder, by name. */
    List<Path> list(Path folder) throws IOException;

    /** Makes a folder, and those above it. */
    void makeFolders(Path folder) throws IOException;

    /** Deletes a file or an empty folder, if there is one. */
    void delete(Path path) throws IOException;

    /** Renames a file. Another one of that name is replaced. */
    void move(Path from, Path to) throws IOException;

    /** A small file as a whole. */
    void write(Path file, String text) throws IOException;

    String read(Path file) throws IOException;

    /** @throws IOException that names the file, if there is none */
    InputStream open(Path file) throws IOException;

    /** A new file, in place of one that has its name. */
    Writing create(Path file) throws IOException;

    /** Whether {@link #cut} can be called. */
    default boolean canCut() {
        return false;
    }

    /** Cuts a file off that a process that has ended was writing. */
    default void cut(Path file, long length) throws IOException {
        throw new IOException(text(file) + " cannot be cut off there");
    }

    /** A new file with the beginning of another one. */
    default void copy(Path from, long length, Path to) throws IOException {
        throw new IOException(text(from) + " cannot be copied there");
    }

    /** Returns when what was written to a file will survive a power failure. */
    void force(Path file) throws IOException;

    /** The same for the names in a folder. */
    void forceFolder(Path folder) throws IOException;

    /** Takes a lock that ends with the process. @return releases it; null if another holds it */
    Closeable lock(Path file) throws IOException;

    /** Whether a live sink holds that lock; if not, its file is deleted. */
    boolean isHeld(Path file) throws IOException;
}
