package io.despina.spool;

import java.io.IOException;

/** What whoever reads a spool does with it, wherever it is, besides reading. */
public interface SpoolDirection {

    SpoolState state() throws IOException, InterruptedException;

    /**
     * A row up to which there are about so many bytes from {@code from} on, at least one record if there is any.
     *
     * @param mostBytes to within 64 KB
     */
    long rowBehind(long from, long mostBytes) throws IOException, InterruptedException;

    /** Rows before {@code row} are not needed any more. */
    void cut(long row) throws IOException, InterruptedException;

    /** Nothing more will come, and what has come is not all: readers are told why when they have read it. */
    void fail(String why) throws IOException, InterruptedException;

    /** Gives its files back to the disk; rows that still come are dropped. */
    void release() throws IOException, InterruptedException;
}
