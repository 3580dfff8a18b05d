package io.despina.spool;

import java.io.IOException;
import java.io.InterruptedIOException;

/** Walks the records of a spool from a row on, wherever the spool is. One thread. */
public final class SpoolRecords implements AutoCloseable {
    private final SpoolAccess access;
    private final String name;
    private Chunk chunk = new Chunk(new byte[0], 0, false);
    /** Where in the chunk the next record begins. */
    private int at;
    private long row;
    private int from;
    private int to;
    private long first;
    private int rows;

    /**
     * @param name of the spool, for messages
     * @param row  that the first record is to have
     */
    public SpoolRecords(SpoolAccess access, String name, long row) {
        this.access = access;
        this.name = name;
        this.row = row;
    }

    /**
     * Moves to the next record.
     *
     * @param millis how long it is waited for
     * @return whether there is one
     * @throws SpoolException if the record is not the one that was written
     */
    public boolean next(long millis) throws IOException {
        if (at == chunk.length()) {
            try {
                chunk = access.read(row, millis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw (InterruptedIOException) new InterruptedIOException("interrupted while it waited for rows").initCause(e);
            }
            at = 0;
            if (chunk.length() == 0) {
                return false;
            }
        }
        byte[] bytes = chunk.bytes();
        long length = chunk.length() - at < SpoolRecord.HEADER_BYTES ? Long.MAX_VALUE : SpoolRecord.length(bytes, at);
        if (length > chunk.length() - at || !SpoolRecord.isWhole(bytes, at, (int) length)) {
            throw new SpoolException("the record of " + name + " with row " + row + " is not as it was written: its checksum or "
                    + "its length is wrong");
        }
        from = at + SpoolRecord.HEADER_BYTES;
        to = at + (int) length;
        first = SpoolRecord.first(bytes, at);
        rows = SpoolRecord.rows(bytes, at);
        at = to;
        row = first + rows;
        return true;
    }

    /** Whether nothing follows the last record: known after {@link #next} has answered false. */
    public boolean isAtEnd() {
        return chunk.ended() && at == chunk.length();
    }

    /** The region of the record's packets, from {@link #from} to {@link #to}; it stays until the next call of {@link #next}. */
    public byte[] bytes() {
        return chunk.bytes();
    }

    public int from() {
        return from;
    }

    public int to() {
        return to;
    }

    /** The number of the record's first row. */
    public long first() {
        return first;
    }

    public int rows() {
        return rows;
    }

    @Override
    public void close() throws IOException {
        access.close();
    }
}
