package io.despina.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A file of a log. One thread writes; each reader has opened it for itself. */
public interface LogFile extends Closeable {

    long length() throws IOException;

    /** Writes all that remains in {@code bytes}; a write that failed may be repeated. */
    void write(long at, ByteBuffer bytes) throws IOException;

    /** Reads until {@code into} is full or the file ends. @return bytes; 0 at the end of the file */
    int read(long at, ByteBuffer into) throws IOException;

    /** Makes durable what has been written. After it has failed, nobody knows what of it is. */
    void force() throws IOException;
}
