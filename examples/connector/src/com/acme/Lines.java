package com.acme;

import io.despina.connect.Records;

/** Whole lines of a file, one after the other. */
final class Lines implements Records {
    private final String partition;
    private final long start;
    private final byte[] bytes;
    private final boolean last;
    /** The current line is from here to {@link #end}; its line end is behind it. */
    private int begin;
    private int end = -1;

    /** @param start where the bytes are in the file */
    Lines(String partition, long start, byte[] bytes, boolean last) {
        this.partition = partition;
        this.start = start;
        this.bytes = bytes;
        this.last = last;
    }

    @Override
    public boolean next() {
        begin = end + 1;
        if (begin >= bytes.length) {
            end = bytes.length - 1;
            return false;
        }
        end = begin;
        while (bytes[end] != '\n') {
            end++;
        }
        return true;
    }

    @Override
    public String partition() {
        return partition;
    }

    @Override
    public long bytes() {
        return bytes.length;
    }

    @Override
    public String at() {
        return Long.toString(start + begin);
    }

    @Override
    public String behind() {
        return Long.toString(start + end + 1);
    }

    @Override
    public boolean isLast() {
        return last;
    }

    @Override
    public byte[] value() {
        return bytes;
    }

    @Override
    public int from() {
        return begin;
    }

    @Override
    public int to() {
        return end;
    }

    @Override
    public String where() {
        return partition + "@" + at();
    }

    @Override
    public boolean isMissing(int index) {
        return true;
    }

    @Override
    public long number(int index) {
        throw new IllegalArgumentException("a line has nothing beside it");
    }

    @Override
    public byte[] binary(int index) {
        throw new IllegalArgumentException("a line has nothing beside it");
    }

    @Override
    public byte[][] pairs(int index) {
        throw new IllegalArgumentException("a line has nothing beside it");
    }
}
