package io.despina.spool;

import java.io.IOException;

/** The way to a spool's records: here, or over a connection. One thread. */
public interface SpoolAccess extends AutoCloseable {

    /**
     * The records that begin with the one that has row {@code row}. The bytes stay until the next call.
     *
     * @param millis how long to wait for it while the spool has not got it
     * @return no record if it has not come, or the spool ends before it
     * @throws SpoolException if the row has been cut, or the spool is gone
     */
    Chunk read(long row, long millis) throws IOException, InterruptedException;

    @Override
    void close() throws IOException;
}
